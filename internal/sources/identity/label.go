package identity

import (
	"regexp"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/sources"
)

// normalForm is a name in lower case, with one hyphen for every run of other
// characters than letters of ASCII and digits, and none at the ends.
func normalForm(s string) string {
	var b []byte
	for _, c := range []byte(strings.ToLower(s)) {
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			b = append(b, c)
		case len(b) > 0 && b[len(b)-1] != '-':
			b = append(b, '-')
		}
	}
	return strings.TrimSuffix(string(b), "-")
}

// reading is a name that a label may be, with the settings that it then tells.
type reading struct {
	name     string
	settings sources.Condition
}

// isReasoning reports whether the settings are those of a model that reasons.
func (r *reading) isReasoning() bool {
	thinking := r.settings["thinking"]
	return r.settings["effort"] != "" || thinking != "" && thinking != "off" && thinking != "default"
}

const effort = `(minimal|low|medium|high|xhigh)`

// setting is a part of a label that is a setting of the model, not of its name.
type setting struct {
	pattern     *regexp.Regexp
	name, value string // $1 in a value is the first group
}

// The settings between parentheses at the end of a label, and those at the end of its
// normal form. Nothing else is ever taken off.
var (
	bracketed = settings(`(?i)^`, `$`,
		effort, "effort", "$1",
		`no think(?:ing)?`, "thinking", "off",
		`(\d+k) think(?:ing)?(?: tokens)?`, "thinking", "$1",
		`default(?: think(?:ing)?)?`, "thinking", "default",
		`reasoner`, "thinking", "on",
		`chat`, "thinking", "off",
		`(\d{4}-\d{2}-\d{2})`, "date", "$1",
	)
	ending = settings(`-`, `$`,
		`(minimal|low|medium|high|xhigh|max)-effort`, "effort", "$1",
		effort, "effort", "$1",
		`(?:nothinking|no-thinking|nothink|no-think|non-thinking)`, "thinking", "off",
		`non-reasoning`, "thinking", "off",
		`thinking-auto`, "thinking", "auto",
		`thinking-(\d+k)`, "thinking", "$1",
		effort+`thinking`, "thinking", "$1",
		`thinking`, "thinking", "on",
		`reasoning`, "thinking", "on",
	)
	parentheses = regexp.MustCompile(`^(.*\S)\s*\(([^()]*)\)\s*$`)
)

func settings(before, after string, list ...string) (all []setting) {
	for i := 0; i < len(list); i += 3 {
		all = append(all, setting{regexp.MustCompile(before + list[i] + after), list[i+1], list[i+2]})
	}
	return all
}

// cut takes a setting off the end of a text; ok is false if none is there.
func cut(text string, list []setting, c sources.Condition) (rest string, ok bool) {
	for _, s := range list {
		m := s.pattern.FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		if _, is := c[s.name]; is {
			return text, false
		}
		c[s.name] = strings.ToLower(string(s.pattern.ExpandString(nil, s.value, text, m)))
		return text[:m[0]], true
	}
	return text, false
}

// readings are what a label may be, from the label as it is to the most stripped.
func readings(label string) (all []reading) {
	c := sources.Condition{}
	for {
		m := parentheses.FindStringSubmatch(label)
		if m == nil {
			break
		}
		if _, ok := cut(strings.TrimSpace(m[2]), bracketed, c); !ok {
			break
		}
		label = m[1]
	}
	name := normalForm(label)
	for {
		settings := sources.Condition{}
		for n, v := range c {
			settings[n] = v
		}
		if !slices.ContainsFunc(all, func(r reading) bool { return r.name == name }) {
			all = append(all, reading{name, settings})
		}
		rest, ok := cut(name, ending, c)
		if !ok || rest == "" {
			return all
		}
		name = rest
	}
}

// mixed is the words of a name in their order, and its numbers in theirs: what names
// share that mix the two otherwise.
func mixed(name string) string {
	var texts, numbers string
	for word := range strings.SplitSeq(name, "-") {
		if strings.Trim(word, "0123456789") == "" {
			numbers += word + " "
		} else {
			texts += word + " "
		}
	}
	return texts + "\n" + numbers
}

// date is what the end of a name tells of a day: parts that are not told are "".
type date struct{ year, month, day string }

// cutDate takes a date off the end of a normal form.
func cutDate(name string) (rest string, d date, ok bool) {
	for _, form := range dateForms {
		m := form.pattern.FindStringSubmatch(name)
		if m == nil {
			continue
		}
		d = date{}
		for i, part := range form.parts {
			value := m[i+2]
			switch part {
			case 'y':
				if len(value) == 2 {
					value = "20" + value
				}
				d.year = value
			case 'm':
				d.month = value
			case 'd':
				d.day = value
			}
		}
		if d.month != "" && (d.month < "01" || d.month > "12") || d.day != "" && (d.day < "01" || d.day > "31") {
			continue
		}
		return m[1], d, true
	}
	return name, date{}, false
}

// dateForms are how names end in dates, the longest first.
var dateForms = []struct {
	pattern *regexp.Regexp
	parts   string
}{
	{regexp.MustCompile(`^(.+)-(20\d\d)-?(\d\d)-?(\d\d)$`), "ymd"},
	{regexp.MustCompile(`^(.+)-(\d\d)-(\d\d)-(20\d\d)$`), "mdy"},
	{regexp.MustCompile(`^(.+)-(\d\d)-(20\d\d)$`), "my"},
	{regexp.MustCompile(`^(.+)-(20\d\d)-(\d\d)$`), "ym"},
	{regexp.MustCompile(`^(.+)-(\d\d)-(\d\d)$`), "md"},
	{regexp.MustCompile(`^(.+)-(2\d)(\d\d)$`), "ym"},
	{regexp.MustCompile(`^(.+)-(\d\d)(\d\d)$`), "md"},
}

// agrees reports whether two dates agree in all that both tell, and in two parts or
// more.
func (d date) agrees(other date) bool {
	same := 0
	for _, pair := range [][2]string{{d.year, other.year}, {d.month, other.month}, {d.day, other.day}} {
		switch {
		case pair[0] == "" || pair[1] == "":
		case pair[0] != pair[1]:
			return false
		default:
			same++
		}
	}
	return same >= 2
}
