package aider

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/sources"
)

// row is the fields of a row, each with a scalar as it is written.
type row struct{ fields []field }

type field struct {
	name, value string
	quoted      bool
	offset      int // of the value
}

// isNull reports that a field has no value.
func (f *field) isNull() bool {
	return !f.quoted && (f.value == "" || f.value == "~" || strings.EqualFold(f.value, "null"))
}

// literal is the value as messages show it.
func (f *field) literal() string {
	if f.quoted {
		return canonical.Quote(f.value)
	}
	return f.value
}

func (r *row) field(name string) *field {
	for i := range r.fields {
		if r.fields[i].name == name {
			return &r.fields[i]
		}
	}
	return nil
}

// has reports whether a field has a value.
func (r *row) has(name string) bool {
	f := r.field(name)
	return f != nil && !f.isNull()
}

// value returns a field's text, "" if it is missing or null.
func (r *row) value(name string) string {
	if !r.has(name) {
		return ""
	}
	return r.field(name).value
}

// json is the row as a JSON object of texts, canonical.
func (r *row) json() []byte {
	v := ijson.Value{Kind: '{'}
	for _, f := range r.fields {
		v.Members = append(v.Members, ijson.Member{Name: f.name, Value: ijson.Value{Kind: '"', Text: f.value}})
	}
	return v.AppendCanonical(nil)
}

// knownFields are all that the leaderboard had until 2025-10, sorted.
var knownFields = []string{
	"command", "commit_hash", "completion_tokens", "date", "dirname", "edit_format", "editor_edit_format",
	"editor_model", "error_outputs", "exhausted_context_windows", "indentation_errors", "lazy_comments", "model",
	"num_malformed_responses", "num_with_malformed_responses", "pass_num_1", "pass_num_2", "pass_rate_1", "pass_rate_2",
	"percent_cases_well_formed", "prompt_tokens", "reasoning_effort", "seconds_per_case", "syntax_errors", "test_cases",
	"test_timeouts", "thinking_tokens", "total_cost", "total_tests", "user_asks", "versions",
}

// The bounds of a row, so that what is parsed at once is small.
const (
	maxRowBytes  = 64 << 10
	maxRowFields = 256
)

func readRows(snapshots []*sources.Snapshot, notes *sources.Notes) ([]sources.Row[row], error) {
	s, err := sources.Single(snapshots, "a leaderboard")
	if err != nil {
		return nil, err
	}
	if s.Resource().Artifact != artifact {
		return nil, s.EnvelopeFault("url", "must be that of the leaderboard in a commit, with 40 hexadecimal digits")
	}
	items, err := split(s)
	if err != nil {
		return nil, err
	}
	seen, unknown := map[string]bool{}, map[string]bool{}
	var rows []sources.Row[row]
	for i, it := range items {
		it.s, it.path = s, "["+strconv.Itoa(i)+"]"
		r, err := it.row()
		if err != nil {
			return nil, err
		}
		if seen[r.ID] {
			return nil, s.Fault(r.Where.Offset, it.path+".dirname", "must be that of one row: %s is repeated",
				canonical.Quote(r.ID))
		}
		seen[r.ID] = true
		for _, f := range r.Data.fields {
			if _, known := slices.BinarySearch(knownFields, f.name); !known {
				unknown[f.name] = true
			}
		}
		rows = append(rows, r)
	}
	notes.AddUnknown(unknown, s)
	return rows, nil
}

// item is an item of the list, which becomes a row.
type item struct {
	s     *sources.Snapshot
	path  string
	start int // offset of the text
	text  string
	lines []int // the offsets in the text at which its lines begin, once they are asked for
}

// split cuts the list into its items. Each begins with a dash at the start of a
// line, and nothing else of a list does. Parsing them one by one takes memory for
// one row, not for the tree of a whole file.
func split(s *sources.Snapshot) (items []item, err error) {
	body := s.Body()
	if i := strings.IndexByte(body, '\r'); i >= 0 {
		return nil, s.Fault(i, "", "holds a carriage return: lines end with a line feed")
	}
	at, begun := 0, false
	for line := range strings.Lines(body) {
		text := strings.TrimSuffix(line, "\n")
		isItem := text == "-" || strings.HasPrefix(text, "- ")
		switch blank := strings.TrimLeft(text, " "); {
		case isItem && len(items) == sources.MaxRows:
			return nil, s.Fault(at, "", "has more than %d rows", sources.MaxRows)
		case isItem:
			items = append(items, item{start: at})
		case text == "---" && !begun:
		case strings.HasPrefix(text, "---"), strings.HasPrefix(text, "..."):
			return nil, s.Fault(at, "", "must hold one document, and here it ends")
		case len(items) == 0 && blank != "" && blank[0] != '#':
			return nil, s.Fault(at, "", "must be a list of rows, each of which begins with a dash at the start of a line")
		}
		begun = begun || isItem || text == "---"
		at += len(line)
		if len(items) > 0 {
			last := &items[len(items)-1]
			if last.text = body[last.start:at]; len(last.text) > maxRowBytes {
				return nil, s.Fault(last.start, "["+strconv.Itoa(len(items)-1)+"]", "has more than %d bytes", maxRowBytes)
			}
		}
	}
	if len(items) == 0 {
		return nil, s.Fault(0, "", "holds no rows")
	}
	return items, nil
}

// row reads the item: a map of scalars with a dirname.
func (it *item) row() (out sources.Row[row], err error) {
	n, err := it.parse()
	if err != nil {
		return out, err
	}
	out.Where = sources.Where{Snapshot: it.s, Path: it.path, Offset: it.nodeOffset(n)}
	if n.Kind != yaml.MappingNode {
		return out, it.s.Fault(it.nodeOffset(n), it.path, "must be a map")
	}
	if reason := plainness(n); reason != "" {
		return out, it.s.Fault(it.nodeOffset(n), it.path, "%s", reason)
	}
	if fields := len(n.Content) / 2; fields > maxRowFields {
		return out, it.s.Fault(it.nodeOffset(n), it.path, "has %d fields, at most %d are read", fields, maxRowFields)
	}
	for k := 0; k+1 < len(n.Content); k += 2 {
		if err := it.field(&out.Data, n.Content[k], n.Content[k+1]); err != nil {
			return out, err
		}
	}
	if out.ID = out.Data.value("dirname"); out.ID == "" {
		return out, it.s.Fault(it.nodeOffset(n), it.path+".dirname", "missing field: it names the row")
	}
	switch date := out.Data.value("date"); {
	case !sources.IsDate(date):
		out.Skip, out.Why = sources.RowUndated, "has no date like 2025-02-25: "+canonical.Quote(date)
	case sources.Midnight(date) > it.s.Envelope().FetchedAt:
		out.Skip, out.Why = sources.RowInFuture, "is dated "+date+", after it was fetched at "+it.s.Envelope().FetchedAt
	}
	return out, nil
}

// field reads a field of the row.
func (it *item) field(r *row, name, value *yaml.Node) error {
	if name.Kind != yaml.ScalarNode || plainness(name) != "" || name.Tag == "!!merge" {
		return it.s.Fault(it.nodeOffset(name), it.path, "must have plain names of fields")
	}
	path := it.path + "." + name.Value
	if r.field(name.Value) != nil {
		return it.s.Fault(it.nodeOffset(name), path, "duplicate field")
	}
	if reason := plainness(value); reason != "" {
		return it.s.Fault(it.nodeOffset(value), path, "%s", reason)
	}
	if value.Kind != yaml.ScalarNode {
		return it.s.Fault(it.nodeOffset(value), path, "must be a scalar: rows are flat")
	}
	const notPlain = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	r.fields = append(r.fields, field{name.Value, value.Value, value.Style&notPlain != 0, it.nodeOffset(value)})
	return nil
}

// plainness says what makes a node more than its text, "" if nothing does.
func plainness(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.AliasNode:
		return "must not be an alias"
	case n.Anchor != "":
		return "must have no anchor"
	case n.Style&yaml.TaggedStyle != 0:
		return "must have no tag"
	}
	return ""
}

// parse returns the one node of the item.
func (it *item) parse() (*yaml.Node, error) {
	var doc, second yaml.Node
	y := yaml.NewDecoder(strings.NewReader(it.text))
	if err := y.Decode(&doc); err != nil {
		return nil, it.syntaxFault(err)
	}
	if err := y.Decode(&second); err == nil {
		return nil, it.s.Fault(it.nodeOffset(&second), "", "must hold one document, and here begins a second")
	} else if !errors.Is(err, io.EOF) {
		return nil, it.syntaxFault(err)
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.SequenceNode || len(doc.Content[0].Content) != 1 {
		return nil, it.s.Fault(it.start, it.path, "must be one item of a list")
	}
	return doc.Content[0].Content[0], nil
}

// syntaxFault gives an error of the YAML library, which begins with its line, a
// place.
func (it *item) syntaxFault(err error) error {
	reason := strings.TrimPrefix(err.Error(), "yaml: ")
	offset := it.start
	if rest, ok := strings.CutPrefix(reason, "line "); ok {
		line, what, _ := strings.Cut(rest, ": ")
		if n, err := strconv.Atoi(line); err == nil {
			reason, offset = what, it.offset(n, 1)
		}
	}
	return it.s.Fault(offset, it.path, "is not YAML: %s", reason)
}

// nodeOffset returns the offset of a node.
func (it *item) nodeOffset(n *yaml.Node) int { return it.offset(n.Line, n.Column) }

// offset returns where a line and column are, which the YAML library counts from 1,
// columns in code points.
func (it *item) offset(line, column int) int {
	if it.lines == nil {
		it.lines = []int{0}
		for i, c := range it.text {
			switch c {
			case '\n', '\r', '\u0085', '\u2028', '\u2029': // what ends a line in YAML
				it.lines = append(it.lines, i+len(string(c)))
			}
		}
	}
	if line < 1 || line > len(it.lines) {
		return it.start + len(it.text)
	}
	at := it.lines[line-1]
	for i := range it.text[at:] {
		if column--; column <= 0 {
			return it.start + at + i
		}
	}
	return it.start + len(it.text)
}
