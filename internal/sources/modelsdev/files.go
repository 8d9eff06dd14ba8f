package modelsdev

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/offer"
)

const suffix = ".toml"

// maxBases is how many rows a row may extend, one after another.
const maxBases = 8

// file is a TOML file by a name under which it is met.
type file struct {
	id   string
	name string // in the tar
	node *node  // nil if the name is a symbolic link to nothing
}

// files are the files of a tree that are read: rows, and what rows may be built on.
type files struct {
	tree    *tree
	parser  unstable.Parser
	rows    []*file
	byID    map[string]*file        // the rows
	bases   map[string]*file        // of models/, by their ids
	sellers map[string]*offer.Value // provider.toml, by providers; nil for one that cannot be read
	memory  map[*file]*mergedRow
	tooDeep *node // a file that is nested too deep, nil if there is none
}

// listFiles finds the files of a tree, in order of their names, whatever the order
// of the tar.
func listFiles(t *tree) (*files, error) {
	providers := t.resolve(t.top.children["providers"])
	if providers == nil || !providers.isFolder() {
		return nil, refuse("", 0, "has no folder providers: it is not a tree of models.dev")
	}
	fs := &files{tree: t, byID: map[string]*file{}, bases: map[string]*file{}, sellers: map[string]*offer.Value{},
		memory: map[*file]*mergedRow{}}
	w := walk{tree: t}
	for _, name := range providers.names() {
		provider := t.resolve(providers.children[name])
		if provider == nil || !provider.isFolder() {
			continue
		}
		fs.sellers[name], _ = fs.parse(t.resolve(provider.children["provider"+suffix]))
		w.enter(t.resolve(provider.children["models"]), t.top.name+"/providers/"+name+"/models", name)
	}
	fs.rows, w.files = w.files, nil
	w.enter(t.resolve(t.top.children["models"]), t.top.name+"/models", "")
	if w.visits > offer.MaxRows {
		return nil, refuse("", 0, offer.TooManyRows)
	}
	for _, f := range fs.rows {
		fs.byID[f.id] = f
	}
	for _, f := range w.files {
		fs.bases[f.id] = f
		fs.parse(f.node)
	}
	return fs, nil
}

// walk finds the TOML files of folders. Links are followed, to folders too; what
// they lead to may be met under several names.
type walk struct {
	tree   *tree
	files  []*file
	path   []*node // the folders that the walk is in
	visits int
}

// enter goes through a folder with a name in the tar; ids of what is in it begin
// with id and a slash.
func (w *walk) enter(folder *node, name, id string) {
	if folder == nil || !folder.isFolder() {
		return
	}
	w.path = append(w.path, folder)
	for _, child := range folder.names() {
		if w.visits++; w.visits > offer.MaxRows {
			break
		}
		w.visit(folder.children[child], name+"/"+child, joinID(id, child))
	}
	w.path = w.path[:len(w.path)-1]
}

func joinID(id, child string) string {
	if id == "" {
		return child
	}
	return id + "/" + child
}

func (w *walk) visit(child *node, name, id string) {
	bare, isTOML := strings.CutSuffix(id, suffix)
	n := w.tree.resolve(child)
	switch {
	case n == nil, slices.Contains(w.path, n): // nothing, or a folder within itself
		w.files = append(w.files, &file{id: bare, name: name})
	case n.isFolder():
		w.enter(n, name, id)
	case isTOML:
		w.files = append(w.files, &file{bare, name, n})
	}
}

// fault says why a file is no row.
type fault struct {
	reason offer.Reason
	why    string
	at     problem.Place // if that is not the row
}

// parse reads a TOML file. A nil file has nothing in it.
func (fs *files) parse(n *node) (*offer.Value, *fault) {
	if n == nil || !n.isFile() {
		return &offer.Value{Kind: offer.Table}, nil
	}
	doc, err := readTOML(&fs.parser, []byte(fs.tree.text(n)), n.start)
	if err == nil {
		return doc, nil
	}
	if errors.Is(err, errNesting) {
		fs.tooDeep = n
		return nil, &fault{reason: offer.RowUnreadable, why: err.Error()}
	}
	at := fs.tree.locate(n.start)
	if syntax, ok := errors.AsType[*tomlError](err); ok {
		at = fs.tree.locate(syntax.offset)
	}
	return nil, &fault{offer.RowUnreadable, "is not TOML: " + err.Error(), at}
}

// mergedRow is what a row says, with what it took over.
type mergedRow struct {
	doc   *offer.Value
	own   *offer.Value // what stands in its own file
	depth int          // rows that it extends, one after another
	open  bool         // it is being merged
	fault *fault
}

// merge returns what a row says together with what it extends or is built on.
func (fs *files) merge(f *file) *mergedRow {
	if m := fs.memory[f]; m != nil {
		return m
	}
	m := &mergedRow{}
	m.fault = fs.fill(f, m)
	return m
}

func (fs *files) fill(f *file, m *mergedRow) *fault {
	if f.node == nil {
		return &fault{reason: offer.RowDangling, why: "is a symbolic link that leads to nothing within the top folder"}
	}
	own, fault := fs.parse(f.node)
	if fault != nil {
		return fault
	}
	m.own, m.doc = own, own
	if base := own.Get("base_model"); base != nil {
		if fault := fs.build(m, base); fault != nil {
			return fault
		}
	}
	if extends := own.Get("extends"); extends != nil {
		return fs.extend(f, m, extends)
	}
	return nil
}

// build merges a row with the file of models/ that it is built on.
func (fs *files) build(m *mergedRow, base *offer.Value) *fault {
	f := fs.bases[base.Text]
	if base.Kind != offer.String || f == nil || f.node == nil {
		return withoutBase("is built on %s, which is not a file of the folder models", base)
	}
	doc, fault := fs.baseOf(f)
	if fault != nil {
		return fault
	}
	m.doc = merge(doc, m.doc)
	m.doc = omit(m.doc, m.own.Get("base_model_omit"))
	m.doc = without(m.doc, "base_model", "base_model_omit")
	return nil
}

// baseOf returns what rows take over of a file of models/.
func (fs *files) baseOf(f *file) (*offer.Value, *fault) {
	m := fs.memory[f]
	if m == nil {
		m = &mergedRow{}
		m.doc, m.fault = fs.parse(f.node)
		if m.fault == nil {
			m.doc = without(m.doc, "benchmarks", "license", "links", "weights")
		}
		fs.memory[f] = m
	}
	return m.doc, m.fault
}

// extend merges a row with another row.
func (fs *files) extend(f *file, m *mergedRow, extends *offer.Value) *fault {
	from := extends.Get("from")
	if from == nil || from.Kind != offer.String {
		return withoutBase("extends %s, which names no row", extends)
	}
	other := fs.byID[from.Text]
	if other == nil || other.node == nil {
		return withoutBase("extends %s, which is not a row", from)
	}
	m.open = true
	fs.memory[f] = m // so that a circle is noticed
	base := fs.merge(other)
	fs.memory[other] = base
	switch {
	case base.open:
		return withoutBase("extends %s, which is the row itself, or extends it", from)
	case base.fault != nil && base.fault.reason == offer.RowUnreadable:
		return base.fault
	case base.fault != nil:
		return withoutBase("extends %s, which cannot be read either", from)
	}
	m.open = false
	if m.depth = base.depth + 1; m.depth > maxBases {
		return withoutBase("extends %s, and with it more rows, one after another, than svc follows", from)
	}
	m.doc = merge(base.doc, without(m.doc, "extends"))
	m.doc = omit(m.doc, extends.Get("omit"))
	return nil
}

func withoutBase(format string, v *offer.Value) *fault {
	return &fault{reason: offer.RowWithoutBase, why: fmt.Sprintf(format, v)}
}

// merge returns the members of two tables, tables among them merged likewise, and
// where both have another value that of the second.
func merge(base, own *offer.Value) *offer.Value {
	if base.Kind != offer.Table || own.Kind != offer.Table {
		return own
	}
	v := &offer.Value{Kind: offer.Table, Offset: own.Offset}
	for _, m := range base.Members {
		value := m.Value
		if o := own.Get(m.Name); o != nil {
			value = merge(value, o)
		}
		v.Add(m.Name, value)
	}
	for _, m := range own.Members {
		if base.Get(m.Name) == nil {
			v.Add(m.Name, m.Value)
		}
	}
	return v
}

// omit takes out of a table what a list names, as cost.tiers names a member of a
// member.
func omit(v, list *offer.Value) *offer.Value {
	if list == nil {
		return v
	}
	names, _ := list.Strings() // a list of anything else omits nothing
	return without(v, names...)
}

// without returns a table without what the names name. A table that becomes empty
// goes too.
func without(v *offer.Value, names ...string) *offer.Value {
	within := map[string][]string{} // by a member, what is named in it
	whole := map[string]bool{}
	for _, name := range names {
		member, rest, isWithin := strings.Cut(name, ".")
		if isWithin {
			within[member] = append(within[member], rest)
		} else {
			whole[member] = true
		}
	}
	kept := &offer.Value{Kind: offer.Table, Offset: v.Offset}
	for _, m := range v.Members {
		if whole[m.Name] {
			continue
		}
		value := m.Value
		if rest := within[m.Name]; rest != nil && value.Kind == offer.Table {
			value = without(value, rest...)
			if len(value.Members) == 0 && len(m.Members) > 0 {
				continue
			}
		}
		kept.Add(m.Name, value)
	}
	return kept
}

// Name is what a file of a tree is called, and what it says of its model.
type Name struct {
	Provider string // "" for a file of models/
	Runtime  string // that the provider is
	ID       string // below the folder of the provider, or of models/
	Base     string // the file of models/ that it is built on, "" for none
	Reasons  bool
}

// Names returns the files of a tree that can be read: those of models/ first.
func Names(body string) ([]Name, error) {
	t, err := readTar(body)
	if err != nil {
		return nil, err
	}
	fs, err := listFiles(t)
	if err != nil {
		return nil, err
	}
	var names []Name
	for _, id := range slices.Sorted(maps.Keys(fs.bases)) {
		if doc, fault := fs.baseOf(fs.bases[id]); fault == nil {
			names = append(names, Name{ID: id, Reasons: reasons(doc)})
		}
	}
	runtimes := offer.ReadRuntimes(Source)
	for _, f := range fs.rows {
		m := fs.merge(f)
		if m.fault != nil {
			continue
		}
		provider, id, _ := strings.Cut(f.id, "/")
		n := Name{Provider: provider, Runtime: runtimes.Provider(provider).Runtime, ID: id, Reasons: reasons(m.doc)}
		if base := m.own.Get("base_model"); base != nil {
			n.Base = base.Text
		}
		names = append(names, n)
	}
	return names, nil
}

func reasons(doc *offer.Value) bool {
	is := doc.Get("reasoning")
	return is != nil && is.Kind == offer.True
}
