package modelsdev

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// The bounds of a tree.
const (
	maxEntries   = 40_000
	maxFileBytes = 64 << 10 // of a TOML file
	maxHops      = 8        // symbolic links that are followed to one file
	maxName      = 1024     // bytes of a name
	maxFolders   = 32       // that a name leads through
)

// tree is the content of a tar: one top folder with what is in it. Nothing of it
// is ever written to a disk, and the bytes of its files stay in the body.
type tree struct {
	body     string
	top      *node
	files    []*node // in the order of the body
	modified time.Time
	isOfOne  bool // time: all entries were modified at once
}

// node is a folder, a file or a symbolic link of a tree.
type node struct {
	kind     byte // that of its entry in the tar
	name     string
	parent   *node
	children map[string]*node // of a folder, nil if it is empty
	target   string           // of a link
	start    int              // of a file: where its bytes are in the body
	end      int
	hasEntry bool // in the tar; folders may lack one
}

func (n *node) isFolder() bool { return n.kind == tar.TypeDir }
func (n *node) isFile() bool   { return n.kind == tar.TypeReg }
func (n *node) isLink() bool   { return n.kind == tar.TypeSymlink }

// path returns the name of the node in the tar.
func (n *node) path() string {
	if n.parent == nil {
		return n.name
	}
	return n.parent.path() + "/" + n.name
}

// names returns the names in a folder, sorted.
func (n *node) names() []string { return slices.Sorted(maps.Keys(n.children)) }

func (n *node) put(child *node) *node {
	if n.children == nil {
		n.children = map[string]*node{}
	}
	child.parent = n
	n.children[child.name] = child
	return child
}

// readTar reads a tar of one top folder with files, folders and symbolic links.
// Whatever else it holds makes the whole tar refused, as does a name that leaves
// the folder or is there twice. Faults have paths that end with the name.
func readTar(body string) (*tree, error) {
	t := &tree{body: body}
	text := strings.NewReader(body)
	archive := tar.NewReader(text)
	end := 0 // of the last entry
	for entries := 0; ; entries++ {
		start := end
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, refuse("", start, "is not a tar, or not a whole one: %s", err)
		}
		if entries == maxEntries {
			return nil, refuse("", start, "holds more than %d entries", maxEntries)
		}
		end = len(body) - text.Len() // of the header, where the bytes begin
		if h.Typeflag == tar.TypeReg && h.Size > int64(len(body)-end) {
			return nil, refuse(h.Name, start, "ends after the tar: it is truncated")
		}
		if err := t.add(h, start, end); err != nil {
			return nil, err
		}
		if h.Typeflag == tar.TypeReg {
			const block = 512
			end += (int(h.Size) + block - 1) / block * block
		}
	}
	const trailer = 1024 // bytes of two blocks of zeros, which end a tar
	if len(body)-end < trailer {
		return nil, refuse("", len(body), "lacks its end: it is truncated")
	}
	if rest := strings.TrimLeft(body[end:], "\x00"); rest != "" {
		return nil, refuse("", len(body)-len(rest), "holds something after its end")
	}
	if t.top == nil {
		return nil, refuse("", 0, "holds no folder")
	}
	return t, nil
}

func refuse(name string, offset int, format string, args ...any) error {
	path := "$"
	if name != "" {
		path += ijson.PathOf(strings.ToValidUTF8(name, "\uFFFD"))
	}
	e := problem.New(problem.InvalidSourceSnapshot, path, format, args...)
	e.Offset = offset
	return e
}

// add adds an entry whose header is at start and whose bytes are at data.
func (t *tree) add(h *tar.Header, start, data int) error {
	if h.Typeflag == tar.TypeXGlobalHeader {
		return nil
	}
	n := &node{kind: h.Typeflag, hasEntry: true, start: data, end: data, target: h.Linkname}
	steps, reason := splitName(h.Name)
	switch {
	case !n.isFile() && !n.isFolder() && !n.isLink():
		reason = fmt.Sprintf("is of type %q: a tree has files, folders and symbolic links", h.Typeflag)
	case reason != "":
	case n.isLink() && (h.Linkname == "" || len(h.Linkname) > maxName):
		reason = fmt.Sprintf("is a symbolic link to a name of %d bytes, there must be 1 to %d", len(h.Linkname), maxName)
	case n.isFile() && isSparse(h):
		reason = "is a sparse file: a tree has whole files"
	case n.isFile() && strings.HasSuffix(h.Name, suffix) && h.Size > maxFileBytes:
		reason = fmt.Sprintf("has %d bytes, a TOML file has at most %d", h.Size, maxFileBytes)
	default:
		if n.isFile() {
			n.end += int(h.Size)
			t.files = append(t.files, n)
		}
		reason = t.place(n, steps)
	}
	if reason != "" {
		return refuse(h.Name, start, "%s", reason)
	}
	switch {
	case t.modified.IsZero():
		t.modified, t.isOfOne = h.ModTime, true
	case !t.modified.Equal(h.ModTime):
		t.isOfOne = false
	}
	return nil
}

func isSparse(h *tar.Header) bool {
	for name := range h.PAXRecords {
		if strings.HasPrefix(name, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// splitName returns the steps of a name, or why it is none that an entry may have.
func splitName(name string) (steps []string, reason string) {
	switch {
	case name == "":
		return nil, "has no name"
	case len(name) > maxName:
		return nil, fmt.Sprintf("has a name of %d bytes, at most %d are read", len(name), maxName)
	case !utf8.ValidString(name):
		return nil, "has a name that is not UTF-8"
	case strings.HasPrefix(name, "/"):
		return nil, "has an absolute name"
	}
	for step := range strings.SplitSeq(name, "/") {
		switch step {
		case "", ".":
		case "..":
			return nil, "has a name with .."
		default:
			steps = append(steps, step)
		}
	}
	switch {
	case len(steps) == 0:
		return nil, "has an empty name"
	case len(steps) > maxFolders:
		return nil, fmt.Sprintf("is in more than %d folders", maxFolders)
	}
	return steps, ""
}

// place puts a node into the tree, or says why it has no place there. Folders may
// come after what is in them, or not be there at all.
func (t *tree) place(n *node, steps []string) (reason string) {
	if t.top == nil {
		t.top = &node{kind: tar.TypeDir, name: strings.Clone(steps[0])}
	}
	if steps[0] != t.top.name {
		return fmt.Sprintf("is outside of the top folder %s: a tree has one", t.top.name)
	}
	there, isNew := t.top, false
	for _, step := range steps[1:] {
		if !there.isFolder() {
			return fmt.Sprintf("is within %s, which is not a folder", there.path())
		}
		next := there.children[step]
		if isNew = next == nil; isNew {
			next = there.put(&node{kind: tar.TypeDir, name: strings.Clone(step)})
		}
		there = next
	}
	switch {
	case isNew:
		n.name = there.name
		there.parent.put(n)
	case there.isFolder() && n.isFolder() && !there.hasEntry:
		there.hasEntry = true
	case there == t.top && !n.isFolder():
		return "is not a folder, as the one at the top must be"
	default:
		return "is there twice"
	}
	return ""
}

// resolve returns what a node is, once links are followed: nil if there is nothing.
func (t *tree) resolve(n *node) *node {
	if n == nil || !n.isLink() {
		return n
	}
	hops := maxHops - 1
	return t.follow(n.parent, n.target, &hops)
}

// follow follows a path from a folder on, with the links on its way, and returns
// what is there: nil if there is nothing, if the path leaves the top folder, or if
// there are more links than may be followed.
func (t *tree) follow(at *node, path string, hops *int) *node {
	if strings.HasPrefix(path, "/") {
		return nil
	}
	for step := range strings.SplitSeq(path, "/") {
		if step == "" || step == "." {
			continue
		}
		if !at.isFolder() {
			return nil
		}
		if step == ".." {
			at = at.parent
		} else {
			at = at.children[step]
		}
		if at != nil && at.isLink() {
			if *hops--; *hops < 0 {
				return nil
			}
			at = t.follow(at.parent, at.target, hops)
		}
		if at == nil {
			return nil
		}
	}
	return at
}

// text returns the bytes of a file.
func (t *tree) text(n *node) string { return t.body[n.start:n.end] }

// locate returns the place of an offset that is in a file.
func (t *tree) locate(offset int) problem.Place {
	i := sort.Search(len(t.files), func(i int) bool { return t.files[i].start > offset }) - 1
	if i < 0 {
		return problem.Place{}
	}
	f := t.files[i]
	return problem.Start(f.path()).After(t.body[f.start:max(f.start, min(offset, f.end))])
}
