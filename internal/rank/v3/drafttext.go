package v3

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
)

// This file writes the text of a draft, whose lines have at most 100 columns. [Draft] shows
// how it reads.

func draftList(lines []string) string {
	if len(lines) == 0 {
		return "]"
	}
	return "\n    " + foldLines(lines, 4) + " ]"
}

// foldLines joins the items of a list, each from so many columns on.
func foldLines(items []string, column int) string {
	margin := strings.Repeat(" ", column)
	folded := make([]string, len(items))
	for i, item := range items {
		after := "," // what comes after the item on its last line
		if i == len(items)-1 {
			after = " ] } ] }"
		}
		folded[i] = fold(item, column, len(after))
	}
	return strings.Join(folded, ",\n"+margin)
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
		for start+utf8.RuneCountInString(line)+after > widest {
			cut, deeper := foldPoint(line, widest-start)
			if cut == 0 {
				break
			}
			lines = append(lines, margin+line[:cut])
			line = line[cut+1:] // without the space
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

// suffixed is a name with something after it, for which the name is cut where a request has no
// room for both.
func suffixed(name, suffix string) string {
	room := MaxTextBytes - len(suffix)
	if len(name) > room {
		for !utf8.RuneStart(name[room]) {
			room--
		}
		name = name[:room]
	}
	return name + suffix
}

// shortName is the last part of the id of a model.
func shortName(id string) string {
	if name := ijson.Trim(id[strings.LastIndexByte(id, '/')+1:]); name != "" {
		return name
	}
	return id
}

// candidateLines writes the candidates, called by the short names of their models, by the
// whole ids where these are the same, and by the condition, if there are several.
func (d *drafter) candidateLines() (lines []string) {
	taken, owners := map[string]bool{}, map[string]string{}
	isShared := map[string]bool{}
	for i := range d.candidates {
		id := d.candidates[i].entry.Identity.ID
		name := shortName(id)
		isShared[name] = isShared[name] || owners[name] != "" && owners[name] != id
		owners[name] = id
	}
	for i := range d.candidates {
		c := &d.candidates[i]
		m := &c.entry.Identity
		base := shortName(m.ID)
		if isShared[base] {
			base = m.ID
		}
		if long := ijson.Trim(base + "@" + c.condition); c.isOneOfMany && c.condition != "" && fits(long) {
			base = long
		}
		id := base
		for n := 2; taken[id]; n++ {
			id = suffixed(base, fmt.Sprintf("-%d", n))
		}
		taken[id] = true
		line := `{ "id": ` + canonical.Quote(id) + `, "model": { "id": ` + canonical.Quote(m.ID)
		if m.Revision != "" {
			line += `, "revision": ` + canonical.Quote(m.Revision)
		}
		if m.Quantization != "" {
			line += `, "quantization": ` + canonical.Quote(m.Quantization)
		}
		lines = append(lines, line+" }"+c.execution()+" }")
	}
	return lines
}

func (c *draftCandidate) execution() string {
	var members []string
	if c.runtime != "" {
		members = append(members, `"runtime": { "id": `+canonical.Quote(c.runtime)+` }`)
	}
	if c.hasWorkflow {
		workflow := `"workflow": { "id": "` + catalog.OwnWorkflow + `"`
		if c.condition != "" {
			workflow += `, "condition": ` + canonical.Quote(c.condition)
		}
		members = append(members, workflow+" }")
	}
	if len(members) == 0 {
		return ""
	}
	return `, "execution": { ` + strings.Join(members, ", ") + " }"
}

// lines writes the criteria of a role.
func (d *drafter) lines(role role) (lines []string) {
	required := map[*surveyedKey]int{}
	for i := range d.criteria {
		c, id := &d.criteria[i], ""
		if c.role != role {
			continue
		}
		switch role {
		case requirement:
			if required[c.key]++; required[c.key] > 1 {
				id = d.criterionID("requirement:"+c.key.Key, fmt.Sprintf(":%d", required[c.key]))
			}
			if id == "" {
				id = d.longID(c.key, role)
			}
			operator, value := d.expected(c)
			lines = append(lines, c.key.criterion(id)+`"operator": "`+operator+`", "value": `+value+` }`)
		case preference:
			lines = append(lines, c.key.criterion(d.longID(c.key, role))+`"direction": "`+c.direction.String()+`", "weight": `+string(canonical.AppendNumber(nil, cmp.Or(c.weight, 1)))+d.ends(c.key)+` }`)
		case tieBreaker:
			lines = append(lines, fmt.Sprintf(`{ "measurementKey": %s, "aggregation": "fact", %s"factor": %d }`,
				canonical.Quote(c.key.Key), c.key.options(), c.factor))
		}
	}
	return lines
}

// rangeOf returns the least and the greatest number of the candidates or, if they have
// none, of all models.
func (d *drafter) rangeOf(k *surveyedKey) scale {
	if r, ok := d.ranges[k]; ok {
		return r
	}
	return k.numbers
}

// expected returns the operator and the value of a requirement. One by a key alone is met by
// every candidate that has a number, or by the word that is most common.
func (d *drafter) expected(c *draftCriterion) (operator, value string) {
	number := func(f float64) string { return string(canonical.AppendNumber(nil, f)) }
	switch {
	case c.operator == equal:
		return equal.String(), scalarText(c.value)
	case c.operator != 0:
		return c.operator.String(), number(c.limit)
	case c.key.kinds == "0":
		return atLeast.String(), number(d.rangeOf(c.key).low)
	}
	return equal.String(), scalarText(c.key.common)
}

// scalarText writes a value as JSON.
func scalarText(v catalog.Scalar) string {
	var e canonical.Encoder
	catalog.EncodeScalar(&e, v)
	return string(e.Buf)
}

// ends writes the scale of a preference.
func (d *drafter) ends(k *surveyedKey) string {
	ends := d.rangeOf(k)
	switch {
	case k.kinds == "t":
		ends = scale{0, 1}
	case k.kinds != "0":
		return ""
	case k.trials != "":
		ends = k.shares
	case slices.Equal(k.units, []string{"percent"}):
		ends = scale{0, 100}
	}
	if ends.low >= ends.high {
		return ""
	}
	return `, "scale": { "low": ` + string(canonical.AppendNumber(nil, ends.low)) + `, "high": ` + string(canonical.AppendNumber(nil, ends.high)) + ` }`
}

// aggregation is what makes one value of those that a candidate has.
func (k *surveyedKey) aggregation() string {
	switch {
	case k.Fact:
		return "fact"
	case k.kinds == "0":
		return "mean"
	case k.kinds == "t":
		return "success-rate"
	}
	return "count"
}

// fits reports whether a request can hold what a criterion says of the key, whose id has
// the role before it.
func (k *surveyedKey) fits() bool {
	return fits("requirement:"+k.Key, strings.Join(k.units, ""), k.common.Text)
}

// longID returns the id that a criterion needs because the one that it would have is too long,
// or else nothing.
func (d *drafter) longID(k *surveyedKey, role role) string {
	if fits(roleNames[requirement] + ":" + k.Key) {
		return ""
	}
	return d.criterionID(k.Key, ":"+roleNames[role])
}

// criterionID is [suffixed] for an id, which no other criterion has. Names that differ only
// where they are cut are counted.
func (d *drafter) criterionID(name, suffix string) string {
	id := suffixed(name, suffix)
	for n := 2; d.ids[id]; n++ {
		id = suffixed(name, fmt.Sprintf("%s-%d", suffix, n))
	}
	if d.ids == nil {
		d.ids = map[string]bool{}
	}
	d.ids[id] = true
	return id
}

// criterion writes the beginning of a criterion, with an id if it has one.
func (k *surveyedKey) criterion(id string) string {
	line := `{ `
	if id != "" {
		line += `"id": ` + canonical.Quote(id) + `, `
	}
	line += `"measurementKey": ` + canonical.Quote(k.Key) + `, "aggregation": "` + k.aggregation() + `", `
	if line += k.options(); k.isPerRuntime() {
		return line
	}
	return strings.TrimSuffix(line, " ") + "\n      "
}

// options writes the evidence options, with a comma after each.
func (k *surveyedKey) options() (text string) {
	if len(k.units) == 1 && k.units[0] != "" {
		text = `"unit": ` + canonical.Quote(k.units[0]) + `, `
	}
	if k.trials != "" {
		text += `"trials": { "measurementKey": ` + canonical.Quote(k.trials) + `, "scale": ` + string(canonical.AppendNumber(nil, k.shares.high)) + ` }, `
	}
	switch {
	case k.isPerRuntime():
		return text
	case k.hasConditions:
		text += `"transfer": ` + draftTexts(DraftTransfer()) + `, `
	default:
		text += `"transfer": ["execution"], `
	}
	return text + `"resolve": ` + draftTexts(DraftResolve()) + `, `
}

// DraftTransfer returns over what drafts transfer a sample that was measured elsewhere: all
// but the condition, such as how long a model may think. The page has the same list.
func DraftTransfer() []string {
	return []string{"runtime", "adapter", "effectiveContextTokens", "toolSurface", "hardware", "workflow.id", "workflow.version"}
}

// DraftResolve returns how drafts choose among what differs.
func DraftResolve() []string { return []string{"most-specific", "newest"} }

func draftTexts(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = canonical.Quote(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
