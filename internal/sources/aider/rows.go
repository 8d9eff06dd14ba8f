package aider

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

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
		return quote(f.value)
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

// maxIndicators bounds how many nodes the YAML of a body can have before it is
// parsed: each is brought about by one of these characters.
const maxIndicators = 1_000_000

func readRows(snapshots []*sources.Snapshot, notes *sources.Notes) ([]sources.Row[row], error) {
	if len(snapshots) != 1 {
		return nil, problem.New(problem.InvalidSourceSnapshot, "$.snapshots[1]", "must not be there: a leaderboard is one file")
	}
	s := snapshots[0]
	if s.Resource().Artifact != artifact {
		return nil, problem.New(problem.InvalidSourceSnapshot, "$.snapshots[0].url", "must be that of the leaderboard in a commit, with 40 hexadecimal digits")
	}
	list, err := parse(s)
	if err != nil {
		return nil, err
	}
	d := decoder{s: s, lines: lineStarts(s.Body())}
	seen := map[string]bool{}
	var rows []sources.Row[row]
	unknown := map[string]bool{}
	for i, node := range list {
		r, err := d.row(i, node)
		if err != nil {
			return nil, err
		}
		if seen[r.ID] {
			return nil, s.Fault(r.Where.Offset, r.Where.Path+".dirname", "must be that of one row: %s is repeated", quote(r.ID))
		}
		seen[r.ID] = true
		for _, f := range r.Data.fields {
			if _, known := slices.BinarySearch(knownFields, f.name); !known {
				unknown[f.name] = true
			}
		}
		rows = append(rows, r)
	}
	sources.NoteNew(notes, unknown, 0)
	return rows, nil
}

// parse returns the items of the list that the body holds.
func parse(s *sources.Snapshot) ([]*yaml.Node, error) {
	body := s.Body()
	if i := strings.IndexByte(body, '\r'); i >= 0 {
		return nil, s.Fault(i, "", "holds a carriage return: lines end with a line feed")
	}
	if strings.Count(body, "\n- ") > sources.MaxRows {
		return nil, s.Fault(0, "", "has more than %d rows", sources.MaxRows)
	}
	indicators := 0
	for i := range len(body) {
		switch body[i] {
		case ':', '-', ',', '[', '{', '?':
			indicators++
		}
	}
	if indicators > maxIndicators {
		return nil, s.Fault(0, "", "has more structure than %d rows can have", sources.MaxRows)
	}
	d := yaml.NewDecoder(strings.NewReader(body))
	var doc, second yaml.Node
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, s.Fault(0, "", "holds no document")
	} else if err != nil {
		return nil, syntaxFault(s, err)
	}
	if err := d.Decode(&second); err == nil {
		return nil, s.Fault(lineStarts(body).offset(body, second.Line, second.Column), "", "must hold one document, here begins a second")
	} else if !errors.Is(err, io.EOF) {
		return nil, syntaxFault(s, err)
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.SequenceNode {
		return nil, s.Fault(0, "", "must be a list of rows")
	}
	top := doc.Content[0]
	if top.Anchor != "" || top.Style&yaml.TaggedStyle != 0 {
		return nil, s.Fault(0, "", "must have no anchor and no tag")
	}
	return top.Content, nil
}

// syntaxFault gives an error of the YAML library, which begins with its line, a
// place.
func syntaxFault(s *sources.Snapshot, err error) error {
	reason := strings.TrimPrefix(err.Error(), "yaml: ")
	offset := 0
	if rest, ok := strings.CutPrefix(reason, "line "); ok {
		line, what, _ := strings.Cut(rest, ": ")
		if n, err := strconv.Atoi(line); err == nil {
			reason, offset = what, lineStarts(s.Body()).offset(s.Body(), n, 1)
		}
	}
	return s.Fault(offset, "", "is not YAML: %s", reason)
}

// decoder makes rows of nodes.
type decoder struct {
	s     *sources.Snapshot
	lines lines
}

func (d *decoder) at(n *yaml.Node) int { return d.lines.offset(d.s.Body(), n.Line, n.Column) }

// row reads one item of the list: a map of scalars with a dirname.
func (d *decoder) row(i int, n *yaml.Node) (sources.Row[row], error) {
	out := sources.Row[row]{Where: sources.Where{Path: "[" + strconv.Itoa(i) + "]", Offset: d.at(n)}}
	path := out.Where.Path
	if n.Kind != yaml.MappingNode {
		return out, d.s.Fault(d.at(n), path, "must be a map")
	}
	if reason := plainness(n); reason != "" {
		return out, d.s.Fault(d.at(n), path, "%s", reason)
	}
	names := make(map[string]bool, len(n.Content)/2)
	for k := 0; k+1 < len(n.Content); k += 2 {
		name, value := n.Content[k], n.Content[k+1]
		if name.Kind != yaml.ScalarNode || plainness(name) != "" || name.Tag == "!!merge" {
			return out, d.s.Fault(d.at(name), path, "must have plain names of fields")
		}
		at := path + "." + name.Value
		if names[name.Value] {
			return out, d.s.Fault(d.at(name), at, "duplicate field")
		}
		names[name.Value] = true
		if reason := plainness(value); reason != "" {
			return out, d.s.Fault(d.at(value), at, "%s", reason)
		}
		if value.Kind != yaml.ScalarNode {
			return out, d.s.Fault(d.at(value), at, "must be a scalar: rows are flat")
		}
		quoted := value.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
		out.Data.fields = append(out.Data.fields, field{name.Value, value.Value, quoted, d.at(value)})
	}
	if out.ID = out.Data.value("dirname"); out.ID == "" {
		return out, d.s.Fault(d.at(n), path+".dirname", "missing field: it names the row")
	}
	d.date(&out)
	return out, nil
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
		r.Skip, r.Why = sources.RowUndated, "has no date like 2025-02-25: "+quote(date)
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
