package genaiprices

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/model-catalog-service/svc/internal/sources/offer"
)

// The bounds of matching. A pattern of a thousand characters can stand for a
// million states, and an id can be as long as the body: what is held against what
// is bounded, so that no list takes longer than it is worth.
const (
	maxPattern = 1000    // characters of a regular expression
	maxID      = 1000    // bytes of an id that has a match
	maxStates  = 1 << 18 // of all regular expressions of a list together; a real list has some hundreds
)

// accepts reports whether a match lets an id through, and if not why. A match is
//
//	{ equals | starts_with | ends_with | contains: text }, whatever the case
//	{ regex: pattern }, found anywhere
//	{ or | and: [match, ...] }
//
// What cannot be read lets nothing through, even where another branch would: it is
// not known what was meant. States are those that are left to regular expressions;
// below 0 there were too many.
func accepts(match *offer.Value, id string, states *int) (accepted bool, why string) {
	if len(id) > maxID {
		return false, fmt.Sprintf("its id has more than %d bytes", maxID)
	}
	m := matcher{id: id, lower: strings.ToLower(id), states: states}
	accepted = m.match(match)
	switch {
	case m.fault != "":
		return false, m.fault
	case !accepted:
		return false, "its match does not accept its own id, so no request can use it"
	}
	return true, ""
}

// matcher holds an id against a match.
type matcher struct {
	id, lower string
	states    *int
	fault     string
}

func (m *matcher) match(v *offer.Value) bool {
	if v == nil || v.Kind != offer.Table || len(v.Members) != 1 {
		return m.fail("its match is of an unknown kind")
	}
	operator, operand := v.Members[0].Name, v.Members[0].Value
	if operator == "or" || operator == "and" {
		return m.branches(operator == "and", operand)
	}
	if operand.Kind != offer.String {
		return m.fail("its match is of an unknown kind")
	}
	text := strings.ToLower(operand.Text)
	switch operator {
	case "equals":
		return m.lower == text
	case "starts_with":
		return strings.HasPrefix(m.lower, text)
	case "ends_with":
		return strings.HasSuffix(m.lower, text)
	case "contains":
		return strings.Contains(m.lower, text)
	case "regex":
		return m.regex(operand.Text)
	}
	return m.fail("its match is of an unknown kind")
}

// branches reads all branches, since a fault of any counts.
func (m *matcher) branches(all bool, list *offer.Value) bool {
	if list.Kind != offer.List {
		return m.fail("its match is of an unknown kind")
	}
	accepted := all && len(list.Items) > 0
	for _, item := range list.Items {
		is := m.match(item)
		if all {
			accepted = accepted && is
		} else {
			accepted = accepted || is
		}
	}
	return accepted
}

func (m *matcher) regex(pattern string) bool {
	if len(pattern) > maxPattern {
		return m.fail(fmt.Sprintf("its match has a regular expression of more than %d characters", maxPattern))
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return m.fail("its match has an invalid regular expression: " + err.Error())
	}
	if *m.states -= countStates(tree); *m.states < 0 {
		return m.fail("its match has a regular expression that is too large")
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return m.fail("its match has an invalid regular expression: " + err.Error())
	}
	return re.MatchString(m.id)
}

// countStates returns how many states a pattern stands for, about, and more than
// there may be for what is beyond that.
func countStates(tree *syntax.Regexp) int {
	n := 0
	for _, sub := range tree.Sub {
		n += countStates(sub)
	}
	switch tree.Op {
	case syntax.OpLiteral:
		n = len(tree.Rune)
	case syntax.OpRepeat:
		n *= max(tree.Min, tree.Max)
	default:
		n++
	}
	return min(n, maxStates+1)
}

func (m *matcher) fail(why string) bool {
	if m.fault == "" {
		m.fault = why
	}
	return false
}
