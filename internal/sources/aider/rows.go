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
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
)

// row is the fields of a row, each with a scalar as it is written.
type row struct{ fields []field }

type field struct {
	name, value string
	quoted      bool
	offset      int // of the value
}

// isNull reports that a field stands there without a value.
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

// value returns a field's text, "" if it is missing or null.
func (r *row) value(name string) string {
	if f := r.field(name); f != nil && !f.isNull() {
		return f.value
	}
	return ""
}

// json is the row as a JSON object of texts, canonical.
func (r *row) json() []byte {
	v := ijson.Value{Kind: '{'}
	for _, f := range r.fields {
		v.Members = append(v.Members, ijson.Member{Name: f.name, Value: ijson.Value{Kind: '"', Text: f.value}})
	}
	return v.AppendCanonical(nil)
}

// knownFields are all that the leaderboard had until 2025-10.
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
	if len(snapshots) != 1 {
		return nil, problem.New(problem.InvalidSourceSnapshot, "$.snapshots[1]", "must not be there: a leaderboard is one file")
	}
	s := snapshots[0]
	if s.Resource().Artifact != artifact {
		return nil, problem.New(problem.InvalidSourceSnapshot, "$.snapshots[0].url", "must be that of the leaderboard in a commit, with 40 hexadecimal digits")
	}
	items, err := split(s)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var rows []sources.Row[row]
	unknown := map[string]bool{}
	for i, at := range items {
		d := decoder{s: s, index: i, start: at[0], text: s.Body()[at[0]:at[1]]}
		r, err := d.row()
		if err != nil {
			return nil, err
		}
		if seen[r.ID] {
			return nil, s.Fault(r.Where.Offset, r.Where.Path+".dirname", "must be that of one row: %s is repeated", canonical.Quote(r.ID))
		}
		seen[r.ID] = true
		for _, f := range r.Data.fields {
			if _, known := slices.BinarySearch(knownFields, f.name); !known {
				unknown[f.name] = true
			}
		}
		rows = append(rows, r)
	}
	notes.AddUnknown(unknown, 0)
	return rows, nil
}

// split finds where the items of the list begin and end. Each begins with a dash
// at the start of a line, and nothing else of a list does. Parsing them one by one
// takes memory for one row, not for the tree of a whole file.
func split(s *sources.Snapshot) (items [][2]int, err error) {
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
			items = append(items, [2]int{at, at})
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
			if last[1] = at; last[1]-last[0] > maxRowBytes {
				return nil, s.Fault(last[0], "["+strconv.Itoa(len(items)-1)+"]", "has more than %d bytes", maxRowBytes)
			}
		}
	}
	if len(items) == 0 {
		return nil, s.Fault(0, "", "holds no rows")
	}
	return items, nil
}

// decoder makes a row of the text of an item.
type decoder struct {
	s     *sources.Snapshot
	index int
	start int // offset of the text
	text  string
	lines lines
}

func (d *decoder) path() string { return "[" + strconv.Itoa(d.index) + "]" }

func (d *decoder) at(n *yaml.Node) int { return d.offset(n.Line, n.Column) }

func (d *decoder) offset(line, column int) int {
	if d.lines == nil {
		d.lines = lineStarts(d.text)
	}
	return d.start + d.lines.offset(d.text, line, column)
}

// parse returns the one node of the item.
func (d *decoder) parse() (*yaml.Node, error) {
	var doc, second yaml.Node
	y := yaml.NewDecoder(strings.NewReader(d.text))
	if err := y.Decode(&doc); err != nil {
		return nil, d.syntaxFault(err)
	}
	if err := y.Decode(&second); err == nil {
		return nil, d.s.Fault(d.at(&second), "", "must hold one document, and here begins a second")
	} else if !errors.Is(err, io.EOF) {
		return nil, d.syntaxFault(err)
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.SequenceNode || len(doc.Content[0].Content) != 1 {
		return nil, d.s.Fault(d.start, d.path(), "must be one item of a list")
	}
	return doc.Content[0].Content[0], nil
}

// syntaxFault gives an error of the YAML library, which begins with its line, a
// place.
func (d *decoder) syntaxFault(err error) error {
	reason := strings.TrimPrefix(err.Error(), "yaml: ")
	offset := d.start
	if rest, ok := strings.CutPrefix(reason, "line "); ok {
		line, what, _ := strings.Cut(rest, ": ")
		if n, err := strconv.Atoi(line); err == nil {
			reason, offset = what, d.offset(n, 1)
		}
	}
	return d.s.Fault(offset, d.path(), "is not YAML: %s", reason)
}

// row reads the item: a map of scalars with a dirname.
func (d *decoder) row() (sources.Row[row], error) {
	var out sources.Row[row]
	n, err := d.parse()
	if err != nil {
		return out, err
	}
	path := d.path()
	out.Where = sources.Where{Path: path, Offset: d.at(n)}
	if n.Kind != yaml.MappingNode {
		return out, d.s.Fault(d.at(n), path, "must be a map")
	}
	if reason := plainness(n); reason != "" {
		return out, d.s.Fault(d.at(n), path, "%s", reason)
	}
	if fields := len(n.Content) / 2; fields > maxRowFields {
		return out, d.s.Fault(d.at(n), path, "has %d fields, at most %d are read", fields, maxRowFields)
	}
	names := make(map[string]bool, len(n.Content)/2)
	for k := 0; k+1 < len(n.Content); k += 2 {
		f, err := d.field(n.Content[k], n.Content[k+1], names)
		if err != nil {
			return out, err
		}
		out.Data.fields = append(out.Data.fields, f)
	}
	if out.ID = out.Data.value("dirname"); out.ID == "" {
		return out, d.s.Fault(d.at(n), path+".dirname", "missing field: it names the row")
	}
	d.date(&out)
	return out, nil
}

// field reads a field of the row.
func (d *decoder) field(name, value *yaml.Node, names map[string]bool) (field, error) {
	var none field
	if name.Kind != yaml.ScalarNode || plainness(name) != "" || name.Tag == "!!merge" {
		return none, d.s.Fault(d.at(name), d.path(), "must have plain names of fields")
	}
	at := d.path() + "." + name.Value
	if names[name.Value] {
		return none, d.s.Fault(d.at(name), at, "duplicate field")
	}
	names[name.Value] = true
	if reason := plainness(value); reason != "" {
		return none, d.s.Fault(d.at(value), at, "%s", reason)
	}
	if value.Kind != yaml.ScalarNode {
		return none, d.s.Fault(d.at(value), at, "must be a scalar: rows are flat")
	}
	const notPlain = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	return field{name.Value, value.Value, value.Style&notPlain != 0, d.at(value)}, nil
}

// plainness says what makes a node more than what stands there, "" if nothing.
func plainness(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.AliasNode:
		return "must be no alias"
	case n.Anchor != "":
		return "must have no anchor"
	case n.Style&yaml.TaggedStyle != 0:
		return "must have no tag"
	}
	return ""
}

// date marks a row that cannot be dated.
func (d *decoder) date(r *sources.Row[row]) {
	date := r.Data.value("date")
	switch {
	case !sources.IsRevision(sources.GrammarDate, date):
		r.Skip, r.Why = sources.RowUndated, "has no date like 2025-02-25: "+canonical.Quote(date)
	case sources.Midnight(date) > d.s.Envelope().FetchedAt:
		r.Skip, r.Why = sources.RowInFuture, "is dated "+date+", after it was fetched at "+d.s.Envelope().FetchedAt
	}
}

// lines are the offsets at which lines begin, as YAML counts them.
type lines []int

func lineStarts(body string) lines {
	starts := lines{0}
	for i, c := range body {
		switch c {
		case '\n', '\r', '\u0085', '\u2028', '\u2029':
			starts = append(starts, i+len(string(c)))
		}
	}
	return starts
}

// offset returns where a line and column, both from 1, are. Columns count code
// points.
func (l lines) offset(body string, line, column int) int {
	if line < 1 || line > len(l) {
		return len(body)
	}
	at := l[line-1]
	for i := range body[at:] {
		if column--; column <= 0 {
			return at + i
		}
	}
	return len(body)
}
