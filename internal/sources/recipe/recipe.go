// Package recipe reads what a catalog is to be made of, and says what was made of it.
//
//   - A recipe is what people write: names of sources, whom to believe, which questions to ask
//     ([Read]). [New] writes one to begin with.
//   - A lock names every byte that went into a catalog ([ReadLock], [WriteLock]).
//   - A build record says what became of the rows ([ReadBuild], [WriteBuild]).
//   - Of a store's many bodies, [Needed] says which ones a build uses.
//
// All of it is pure: no clock, no file, no network.
//
//	version: 1
//	sources:
//	  models-dev:
//	  livebench: { release: newest }
//	prefer: [seller, models-dev]
package recipe

import (
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/settle"
	"github.com/model-catalog-service/svc/internal/spelling"
	"github.com/model-catalog-service/svc/service/record"
)

// The names of the files of a recipe, in its folder.
const (
	FileName  = "catalog.yaml"
	Catalog   = "catalog.json"
	LockName  = "catalog.lock.json"
	BuildName = "catalog.build.json"
)

// MaxBytes is the most bytes of a recipe.
const MaxBytes = 1 << 20

// Observations is the source that is observations of one's own, in files.
const Observations = "observations"

// defaultKeepDays is how long bodies are kept if a recipe does not say: a year and a month.
const defaultKeepDays = 400

// Read reads a recipe, whose sources are among those with the names. Faults are all of the file,
// each with its place; they have no code.
func Read(src problem.Source, known []string) (*record.Recipe, error) {
	r := reader{known: append(slices.Clone(known), sources.TeamTable, Observations), name: src.Name}
	out := &record.Recipe{KeepDays: defaultKeepDays}
	if root := r.document(src.Text); root != nil {
		r.recipe(root, out)
	}
	if len(r.faults) > 0 {
		return nil, r.faults.Err()
	}
	return out, nil
}

// reader gathers the faults of a recipe.
type reader struct {
	known  []string // sources
	name   string   // of the file
	faults problem.List
}

func (r *reader) fail(n *yaml.Node, at, format string, args ...any) {
	e := problem.New("", at, format, args...)
	e.Place = problem.Place{File: r.name, Line: max(1, n.Line), Column: max(1, n.Column)}
	r.faults = append(r.faults, e)
}

// document returns the one document of a text, nil if it is none.
func (r *reader) document(text string) *yaml.Node {
	d := yaml.NewDecoder(strings.NewReader(text))
	var document, second yaml.Node
	if err := d.Decode(&document); err != nil {
		reason := strings.TrimPrefix(err.Error(), "yaml: ")
		if errors.Is(err, io.EOF) {
			reason = "is empty: a recipe has at least version and sources"
		}
		r.fail(errorPlace(reason), "$", "%s", reason)
		return nil
	}
	if err := d.Decode(&second); !errors.Is(err, io.EOF) {
		at := &second
		if len(second.Content) > 0 {
			at = second.Content[0]
		}
		r.fail(at, "$", "must hold one YAML document")
		return nil
	}
	if r.isPlain(document.Content[0], "$") {
		return document.Content[0]
	}
	return nil
}

// errorPlace is a node at the line that a message of the YAML library begins with.
func errorPlace(message string) *yaml.Node {
	n := &yaml.Node{}
	if rest, ok := strings.CutPrefix(message, "line "); ok {
		digits, _, _ := strings.Cut(rest, ":")
		n.Line, _ = strconv.Atoi(digits) // none is the first line
	}
	return n
}

// isPlain reports whether there is nothing in a tree but what a recipe needs.
func (r *reader) isPlain(n *yaml.Node, at string) bool {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		r.fail(n, at, "must not use anchors and aliases of YAML")
	case n.Style&yaml.TaggedStyle != 0:
		r.fail(n, at, "must not use tags of YAML")
	case n.Kind == yaml.ScalarNode && n.Tag == "!!merge":
		r.fail(n, at, "must not use the merge key of YAML")
	default:
		ok := true
		for _, c := range n.Content {
			ok = r.isPlain(c, at) && ok
		}
		return ok
	}
	return false
}

// member is a key of a mapping with what reads its value.
type member struct {
	name string
	read func(n *yaml.Node, at string)
}

// mapping reads a mapping; a null is an empty one.
func (r *reader) mapping(n *yaml.Node, at string, members ...member) map[string]bool {
	seen := map[string]bool{}
	if isNull(n) {
		return seen
	}
	if n.Kind != yaml.MappingNode {
		r.fail(n, at, "must be a mapping: KEY: VALUE")
		return seen
	}
	var names []string
	for _, m := range members {
		names = append(names, m.name)
	}
	for pair := range slices.Chunk(n.Content, 2) {
		name := pair[0].Value
		i := slices.Index(names, name)
		switch {
		case pair[0].Kind != yaml.ScalarNode || i < 0 && len(names) == 0:
			r.fail(pair[0], at, "takes no key %s", problem.Clip(name))
		case i < 0:
			r.fail(pair[0], at, "unknown key %s%s", problem.Clip(name), meant(name, names))
		case seen[name]:
			r.fail(pair[0], at, "duplicate key %s", name)
		default:
			members[i].read(pair[1], at+"."+name)
		}
		seen[name] = true
	}
	return seen
}

// meant is what a message says of the name that was probably meant.
func meant(name string, names []string) string {
	if question := spelling.DidYouMean(name, names); question != "" {
		return "; " + question
	}
	return ": must be " + ijson.Alternatives(names)
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

func (r *reader) recipe(root *yaml.Node, out *record.Recipe) {
	seen := r.mapping(root, "$",
		member{"version", r.version},
		member{"sources", func(n *yaml.Node, at string) { r.sources(n, at, out) }},
		member{"prefer", func(n *yaml.Node, at string) { out.Prefer = r.names(n, at) }},
		member{"models", func(n *yaml.Node, at string) { out.Models = r.texts(n, at) }},
		member{"providers", func(n *yaml.Node, at string) { out.Providers = r.texts(n, at) }},
		member{"decisions", func(n *yaml.Node, at string) { out.Decisions = r.path(n, at) }},
		member{"rulings", func(n *yaml.Node, at string) { out.Rulings = r.path(n, at) }},
		member{"questions", func(n *yaml.Node, at string) { out.Questions = r.paths(n, at) }},
		member{"gateways", func(n *yaml.Node, at string) { out.Gateways = r.choices(n, at, Gateways) }},
		member{"keep", func(n *yaml.Node, at string) { out.KeepDays = r.days(n, at) }},
		member{"trust", func(n *yaml.Node, at string) { out.Trust = r.trust(n, at) }},
	)
	for _, name := range []string{"version", "sources"} {
		if !seen[name] {
			r.fail(root, "$", "lacks the key %s", name)
		}
	}
	r.checkPreferred(root, out)
	r.checkNames(root, out)
}

// trust reads whom to believe about what became of the catalog.
func (r *reader) trust(n *yaml.Node, at string) *record.RecipeTrust {
	t := &record.RecipeTrust{MaxAge: 24 * time.Hour}
	seen := r.mapping(n, at,
		member{"key", func(n *yaml.Node, at string) { t.Key = r.path(n, at) }},
		member{"endpoint", func(n *yaml.Node, at string) { t.Endpoint = r.endpoint(n, at) }},
		member{"max_age", func(n *yaml.Node, at string) { t.MaxAge = r.age(n, at) }},
	)
	if !seen["key"] {
		r.fail(n, at, "lacks the key key: a file with the public key of whoever publishes the catalog")
	}
	return t
}

// endpoint reads the URL of a source. It is no place for a password, which others can see.
func (r *reader) endpoint(n *yaml.Node, at string) string {
	text := r.text(n, at)
	_, rest, _ := strings.Cut(text, "://")
	if isWeb := strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://"); text != "" &&
		(!isWeb || rest == "" || strings.Contains(text, "@")) {
		r.fail(n, at, "must be a URL like https://catalogs.example, without a user")
	}
	return text
}

// age reads an age: hours or days.
func (r *reader) age(n *yaml.Node, at string) time.Duration {
	const most = 99_999
	digits, unit := n.Value, 24*time.Hour
	if hours, ok := strings.CutSuffix(n.Value, "h"); ok {
		digits, unit = hours, time.Hour
	} else {
		digits = strings.TrimSuffix(digits, "d")
	}
	count, err := strconv.Atoi(digits)
	if n.Kind != yaml.ScalarNode || digits == n.Value || err != nil || count < 1 || count > most ||
		strconv.Itoa(count) != digits {
		r.fail(n, at, "must be a number of hours or days, like 24h or 7d")
	}
	return time.Duration(count) * unit
}

// Gateways are those for which a build writes the answers to the questions.
var Gateways = []string{"litellm", "portkey"}

// GatewayFile returns the name of the file that a gateway reads of the answer to a question.
func GatewayFile(question, gateway string) string {
	name, ending := path.Base(question), map[string]string{"litellm": ".yaml", "portkey": ".json"}
	return strings.TrimSuffix(name, path.Ext(name)) + ".gateway" + ending[gateway]
}

// checkNames demands that no two questions write the same files for gateways.
func (r *reader) checkNames(root *yaml.Node, out *record.Recipe) {
	seen := map[string]bool{}
	for _, question := range out.Questions {
		name := GatewayFile(question, "")
		if seen[name] && out.Gateways != nil {
			r.fail(value(root, "questions"), "$.questions", "has two files that are called %s, as %s* would be twice",
				path.Base(question), name)
		}
		seen[name] = true
	}
}

// checkPreferred demands that whom to believe is among the sources.
func (r *reader) checkPreferred(root *yaml.Node, out *record.Recipe) {
	names := []string{settle.Seller}
	for _, s := range out.Sources {
		names = append(names, s.ID)
	}
	for _, name := range out.Prefer {
		if !slices.Contains(names, name) {
			r.fail(value(root, "prefer"), "$.prefer", "%s is none of the sources%s", problem.Clip(name), meant(name, names))
		}
	}
}

// value is the value of a key of a mapping.
func value(n *yaml.Node, name string) *yaml.Node {
	for pair := range slices.Chunk(n.Content, 2) {
		if pair[0].Value == name {
			return pair[1]
		}
	}
	return n
}

func (r *reader) version(n *yaml.Node, at string) {
	if n.ShortTag() != "!!int" || n.Value != "1" {
		r.fail(n, at, "must be 1")
	}
}

func (r *reader) sources(n *yaml.Node, at string, out *record.Recipe) {
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		r.fail(n, at, "must name at least one source")
		return
	}
	for pair := range slices.Chunk(n.Content, 2) {
		id := pair[0].Value
		switch {
		case !slices.Contains(r.known, id):
			r.fail(pair[0], at, "unknown source %s%s", problem.Clip(id), meant(id, r.known))
		case slices.ContainsFunc(out.Sources, func(s record.RecipeSource) bool { return s.ID == id }):
			r.fail(pair[0], at, "duplicate key %s", id)
		default:
			out.Sources = append(out.Sources, r.source(pair[1], at+"."+id, id))
		}
	}
}

// source reads what a recipe says of a source.
func (r *reader) source(n *yaml.Node, at, id string) record.RecipeSource {
	s := record.RecipeSource{ID: id}
	keys := keysOf(id)
	all := []member{
		{"release", func(n *yaml.Node, at string) {
			s.Release = r.newestOr(n, at, "a date like 2026-01-08", sources.GrammarDate)
		}},
		{"revision", func(n *yaml.Node, at string) {
			s.Revision = r.newestOr(n, at, "a commit of 40 hexadecimal digits", sources.GrammarSHA)
		}},
		{"indexes", func(n *yaml.Node, at string) { s.Indexes = append([]string{}, r.choices(n, at, Indexes)...) }},
		{"collections", func(n *yaml.Node, at string) { s.Collections = r.collections(n, at) }},
		{"files", func(n *yaml.Node, at string) { s.Files = r.pattern(n, at) }},
		{"map", func(n *yaml.Node, at string) { s.Map = r.path(n, at) }},
		{"mapping", func(n *yaml.Node, at string) { s.Mapping = r.path(n, at) }},
		{"rows", func(n *yaml.Node, at string) { s.MappedOnly = r.mappedOnly(n, at) }},
	}
	var members []member
	for _, m := range all {
		if slices.Contains(keys, m.name) {
			members = append(members, m)
		}
	}
	seen := r.mapping(n, at, members...)
	if slices.Contains(keys, "files") && !seen["files"] {
		r.fail(n, at, "lacks the key files: a pattern like runs/**/results_*.json")
	}
	if slices.Contains(keys, "map") && !seen["map"] {
		r.fail(n, at, "lacks the key map: a file that says what the columns are")
	}
	return s
}

// Indexes are the figures of others that a list of offers carries.
var Indexes = []string{"artificial-analysis", "design-arena"}

// keysOf returns what a recipe may say of a source.
func keysOf(id string) []string {
	switch id {
	case "livebench":
		return []string{"release", "mapping", "rows"}
	case "openrouter-endpoints":
		return []string{"release", "mapping"}
	case "openrouter-models":
		return []string{"indexes", "mapping"}
	case "every-eval-ever":
		return []string{"revision", "collections", "mapping", "rows"}
	case sources.TeamSource, sources.TeamInspect:
		return []string{"files", "mapping"}
	case sources.TeamTable:
		return []string{"files", "map", "mapping"}
	case Observations:
		return []string{"files"}
	}
	if isLeaderboard(id) {
		return []string{"revision", "mapping", "rows"}
	}
	return []string{"revision", "mapping"}
}

func (r *reader) text(n *yaml.Node, at string) string {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || n.Value == "" || strings.TrimSpace(n.Value) != n.Value {
		r.fail(n, at, "must be a text")
		return ""
	}
	return n.Value
}

// newestOr reads the word newest, or a revision by its grammar.
func (r *reader) newestOr(n *yaml.Node, at, what, grammar string) string {
	text := n.Value // a date needs no quotes
	if n.Kind == yaml.ScalarNode && text == "newest" {
		return ""
	}
	if n.Kind != yaml.ScalarNode || !sources.IsRevision(grammar, text) {
		r.fail(n, at, "must be newest or %s", what)
		return ""
	}
	return text
}

// texts reads a list of texts, each once.
func (r *reader) texts(n *yaml.Node, at string) (list []string) {
	if n.Kind != yaml.SequenceNode {
		r.fail(n, at, "must be a list: [ONE, TWO]")
		return nil
	}
	for i, item := range n.Content {
		text := r.text(item, fmt.Sprintf("%s[%d]", at, i))
		if slices.Contains(list, text) && text != "" {
			r.fail(item, fmt.Sprintf("%s[%d]", at, i), "is there twice: %s", problem.Clip(text))
			continue
		}
		list = append(list, text)
	}
	return list
}

func (r *reader) names(n *yaml.Node, at string) []string { return r.texts(n, at) }

// collections reads names of folders.
func (r *reader) collections(n *yaml.Node, at string) []string {
	list := r.texts(n, at)
	for i, name := range list {
		if name != "" && !sources.IsFolder(name) {
			r.fail(n, fmt.Sprintf("%s[%d]", at, i), "must be the name of a folder: letters, digits and . _ -")
		}
	}
	return list
}

func (r *reader) choices(n *yaml.Node, at string, words []string) []string {
	list := r.texts(n, at)
	for _, word := range list {
		if word != "" && !slices.Contains(words, word) {
			r.fail(n, at, "unknown name %s%s", problem.Clip(word), meant(word, words))
		}
	}
	return list
}

// path reads the name of a file in the folder of the recipe or below it.
func (r *reader) path(n *yaml.Node, at string) string {
	text := r.text(n, at)
	if text != "" && (path.IsAbs(text) || text != path.Clean(text) || text == "." || text == ".." ||
		strings.HasPrefix(text, "../") || strings.Contains(text, `\`)) {
		r.fail(n, at, "must be a file in the folder of the recipe or below it, like questions/coding.json")
	}
	return text
}

func (r *reader) paths(n *yaml.Node, at string) []string {
	list := r.texts(n, at)
	if n.Kind == yaml.SequenceNode {
		for i, item := range n.Content {
			r.path(item, fmt.Sprintf("%s[%d]", at, i))
		}
	}
	return list
}

// pattern reads a pattern of files.
func (r *reader) pattern(n *yaml.Node, at string) string {
	text := r.path(n, at)
	if _, err := path.Match(text, ""); err != nil {
		r.fail(n, at, "must be a pattern of files: * in a name, ** for any folders")
	}
	return text
}

// mappedOnly reads which rows of a leaderboard are taken.
func (r *reader) mappedOnly(n *yaml.Node, at string) bool {
	text := r.text(n, at)
	if text != "" && text != "all" && text != "mapped" {
		r.fail(n, at, "must be all or mapped")
	}
	return text == "mapped"
}

// days reads a number of days like 400d.
func (r *reader) days(n *yaml.Node, at string) int {
	const most = 36500
	digits, isDays := strings.CutSuffix(n.Value, "d")
	days, err := strconv.Atoi(digits)
	if n.Kind != yaml.ScalarNode || !isDays || err != nil || days < 1 || days > most || strconv.Itoa(days) != digits {
		r.fail(n, at, "must be a number of days from 1d to %dd, like 400d", most)
		return defaultKeepDays
	}
	return days
}
