package identity

import (
	"regexp"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/sources"
)

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

// The settings between parentheses at the end of a label, and those at its end, in lower case
// with hyphens between words.
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
	early       = regexp.MustCompile(`-(non-reasoning|reasoning)-(\d{4,8})$`) // before a date
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
	name := strings.Join(strings.FieldsFunc(strings.ToLower(label),
		func(r rune) bool { return r == ' ' || r == '_' || r == '-' }), "-")
	name = early.ReplaceAllString(name, "-$2-$1")
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
