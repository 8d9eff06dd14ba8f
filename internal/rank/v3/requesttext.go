package v3

import (
	"strings"
	"unicode/utf8"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/service/record"
)

// This file writes a request for people, in lines of at most 100 columns. [Draft] shows how it
// reads.

// Text is the request as a person writes it: a line for each candidate and criterion, and no
// member that says what holds anyway. It has the same normal form. A line is longer than 100
// columns only where there is no comma to break it at.
func (q *Request) Text() string {
	members := []string{`"schemaVersion": "` + RequestSchema + `"`}
	if q.task != (Task{}) {
		members = append(members, fold(`"task": `+taskText(&q.task), 2, len(",")))
	}
	candidates := make([]string, len(q.candidates))
	for i := range q.candidates {
		candidates[i] = candidateText(&q.candidates[i])
	}
	members = append(members, `"inventory": `+listText(candidates, 4))
	for role, criteria := range q.criteria {
		lines := make([]string, len(criteria))
		for i := range criteria {
			lines[i] = criteria[i].text(&q.task)
		}
		if len(lines) > 0 {
			members = append(members, `"`+roleMembers[role]+`": `+listText(lines, 4))
		}
	}
	if q.hasCoverage && q.minimumCoverage != defaultCoverage {
		members = append(members, `"minimumCoverage": `+numberText(q.minimumCoverage))
	}
	if q.confidence != 0 && q.confidence != defaultConfidence {
		members = append(members, `"confidence": `+numberText(q.confidence))
	}
	if q.target != 0 {
		members = append(members, `"target": "`+q.target.String()+`"`)
	}
	if q.choice != nil {
		t := objectText{`"within": ` + numberText(q.choice.within)}
		t.addText("by", q.choice.by)
		members = append(members, `"choice": `+t.String())
	}
	if q.cost != nil {
		members = append(members, `"cost": `+q.cost.text())
	}
	if len(q.keys) > 0 {
		entries := make([]string, len(q.keys))
		for i := range q.keys {
			entries[i] = keyText(&q.keys[i])
		}
		members = append(members, `"keys": `+listText(entries, 4))
	}
	return "{ " + strings.Join(members, ",\n  ") + " }\n"
}

func candidateText(c *record.CandidateV2) string {
	var t objectText
	t.addText("id", c.ID)
	var model objectText
	model.addText("id", c.Model.ID)
	model.addText("revision", string(c.Model.Revision))
	model.addText("quantization", string(c.Model.Quantization))
	t.add("model", model.String())
	if execution := executionText(&c.Execution); execution != nil {
		t.add("execution", execution.String())
	}
	return t.String()
}

func executionText(p *record.Profile) (t objectText) {
	addComponent := func(name string, c *record.Component) {
		if c.ID != "" {
			var component objectText
			component.addText("id", c.ID)
			component.addText("version", string(c.Version))
			t.add(name, component.String())
		}
	}
	addComponent("runtime", &p.Runtime)
	addComponent("adapter", &p.Adapter)
	if p.EffectiveContextTokens.Known {
		t.add("effectiveContextTokens", numberText(float64(p.EffectiveContextTokens.N)))
	}
	t.addTexts("toolSurface", p.ToolSurface)
	if p.Hardware.Class != "" {
		var hardware objectText
		hardware.addText("class", p.Hardware.Class)
		hardware.addText("accelerator", string(p.Hardware.Accelerator))
		if p.Hardware.MemoryBytes.Known {
			hardware.add("memoryBytes", numberText(float64(p.Hardware.MemoryBytes.N)))
		}
		t.add("hardware", hardware.String())
	}
	if p.Workflow.ID != "" {
		var workflow objectText
		workflow.addText("id", p.Workflow.ID)
		workflow.addText("version", string(p.Workflow.Version))
		workflow.addText("condition", string(p.Workflow.Condition))
		t.add("workflow", workflow.String())
	}
	return t
}

// text writes a criterion of a request that is about a task. What its role asks begins a line
// of its own after options that are long.
func (c *criterion) text(task *Task) string {
	var read, asked objectText
	if c.id != roleNames[c.role]+":"+c.key || c.sum != nil {
		read.addText("id", c.id)
	}
	if c.sum == nil {
		c.measure.addTo(&read, task)
	}
	switch c.role {
	case requirement:
		asked.add("operator", `"`+c.operator.String()+`"`)
		asked.add("value", scalarText(c.value))
	case preference, tieBreaker:
		asked.add("direction", `"`+c.direction.String()+`"`)
	}
	if c.role == preference {
		asked.add("weight", numberText(c.weight))
	}
	if c.scale != nil {
		asked.add("scale", `{ "low": `+numberText(c.scale.low)+`, "high": `+numberText(
			c.scale.high)+logText[c.scale.log]+" }")
	}
	if c.sum != nil {
		terms := make([]string, len(c.sum))
		for i := range c.sum {
			var term objectText
			c.sum[i].measure.addTo(&term, task)
			term.add("factor", numberText(c.sum[i].factor))
			terms[i] = term.String()
		}
		asked.add("sum", listText(terms, 6))
	}
	if len(asked) > 0 && (c.transfer != 0 || c.resolve != nil) {
		asked[0] = "\n      " + asked[0]
	}
	return append(read, asked...).String()
}

// addTo writes what is read and how, in a request that is about a task.
func (m *measure) addTo(t *objectText, task *Task) {
	t.addText("measurementKey", m.key)
	t.add("aggregation", `"`+m.aggregation.String()+`"`)
	t.addText("unit", m.unit)
	if m.task != *task {
		t.add("task", taskText(&m.task))
	}
	if m.sources != 0 && m.sources != anySource {
		t.addTexts("sourceClasses", namesOf(sourceNames, uint32(m.sources)))
	}
	t.addTexts("transfer", namesOfTransfer(m.transfer))
	t.addTexts("resolve", namesOfSteps(m.resolve))
}

func taskText(s *Task) string {
	var t objectText
	t.addText("family", string(s.Family))
	t.addText("suite", string(s.Suite))
	t.addText("taskId", string(s.TaskID))
	return t.String()
}

// objectText is the members of an object, as they are written.
type objectText []string

func (t *objectText) add(name, json string) { *t = append(*t, `"`+name+`": `+json) }

// addText adds a text, if there is one.
func (t *objectText) addText(name, text string) {
	if text != "" {
		t.add(name, canonical.Quote(text))
	}
}

// addTexts adds a list of texts, if there are any.
func (t *objectText) addTexts(name string, list []string) {
	if len(list) == 0 {
		return
	}
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = canonical.Quote(s)
	}
	t.add(name, "["+strings.Join(quoted, ", ")+"]")
}

func (t objectText) String() string {
	if len(t) == 0 {
		return "{}"
	}
	return "{ " + strings.ReplaceAll(strings.Join(t, ", "), ", \n", ",\n") + " }" // texts have no line breaks
}

func numberText(f float64) string { return string(canonical.AppendNumber(nil, f)) }

// scalarText writes a value as JSON.
func scalarText(v record.Scalar) string {
	var e canonical.Encoder
	catalog.EncodeScalar(&e, v)
	return string(e.Buf)
}

// listText writes a list, each item in a line of its own from so many columns on.
func listText(items []string, column int) string {
	if len(items) == 0 {
		return "[]"
	}
	margin := "\n" + strings.Repeat(" ", column)
	folded := make([]string, len(items))
	for i, item := range items {
		after := "," // what comes after the item on its last line
		if i == len(items)-1 {
			after = " ] } ] }"
		}
		folded[i] = fold(item, column, len(after))
	}
	return "[" + margin + strings.Join(folded, ","+margin) + " ]"
}

// fold breaks an item of a list, JSON that begins at a column, where a line is wider than a
// page. So many columns follow the item.
func fold(item string, column, spare int) string {
	const widest = 100
	var lines []string
	margin := ""
	start, depth := column, 0
	broken := strings.Split(item, "\n")
	for i, line := range broken {
		after := 0
		if i == len(broken)-1 {
			after = spare
		}
		columns := utf8.RuneCountInString(line)
		for start+columns+after > widest {
			cut, deeper := foldPoint(line, widest-start)
			if cut == 0 {
				break
			}
			lines = append(lines, margin+line[:cut])
			columns -= utf8.RuneCountInString(line[:cut]) + len(" ")
			line = line[cut+len(" "):]
			depth += deeper
			start = column + 2*depth
			margin = strings.Repeat(" ", start)
		}
		lines = append(lines, margin+line)
		start, depth, margin = 0, 1, "" // a line that was broken on purpose has its own margin
	}
	return strings.Join(lines, "\n")
}

// foldPoint returns where to break a line so that the first part fits the room, after a comma,
// and how many lists and objects deeper that is than its beginning; 0 if there is no comma.
// It is as far out of lists and objects as there is a comma, so that these stay
// whole, and there as late as there is room.
func foldPoint(line string, room int) (point, deeper int) {
	isText, isEscaped := false, false
	columns, depth := 0, 0
	for i, r := range line {
		if columns++; columns > room && point > 0 {
			break
		}
		switch {
		case isEscaped:
			isEscaped = false
		case isText:
			isText, isEscaped = r != '"', r == '\\'
		case r == '"':
			isText = true
		case r == '{' || r == '[':
			depth++
		case r == '}' || r == ']':
			depth--
		case r == ',' && i+1 < len(line) && (point == 0 || depth <= deeper):
			point, deeper = i+1, depth
		}
	}
	return point, deeper
}

var logText = map[bool]string{true: `, "log": true`}
