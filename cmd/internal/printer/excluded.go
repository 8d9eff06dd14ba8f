package printer

import (
	"slices"

	"github.com/model-catalog-service/svc/cmd/internal/console"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// This file is the excluded candidates of a result. Where several lack the same, they are
// named together, and the others follow in a table:
//
//	EXCLUDED: 39 because price.output is more than $5.00 per million tokens
//	  claude-fable-5@effort=high, claude-opus-4-6, claude-opus-4-7@effort=high and 36 more
//
//	EXCLUDED  MODEL                        BECAUSE
//	glm-5     zhipuai/glm-5 on openrouter  price.output: the evidence contradicts itself

// exclusion is an excluded candidate, its model, and why it is excluded: in lines with its values,
// and in words that all who lack the same have.
type exclusion struct {
	candidate, model string
	lines            []string
	because          string
}

func newExclusion(o *v3.Obstacles, model string) exclusion {
	return exclusion{console.Clip(o.CandidateID), model, printable(o.Lines), console.Printable(o.Because())}
}

// printable makes lines fit for a terminal.
func printable(lines []string) (list []string) {
	for _, line := range lines {
		list = append(list, console.Printable(line))
	}
	return list
}

// exclusionGroup is excluded candidates that lack the same.
type exclusionGroup struct {
	because string
	names   []string
}

// groupExclusions returns the groups of at least a few candidates, the largest first, and
// the candidates that are in none.
func groupExclusions(list []exclusion) (groups []exclusionGroup, rest []exclusion) {
	const few = 4
	byReason := map[string]int{}
	for _, e := range list {
		byReason[e.because]++
	}
	for _, e := range list {
		if byReason[e.because] < few {
			rest = append(rest, e)
			continue
		}
		i := slices.IndexFunc(groups, func(g exclusionGroup) bool { return g.because == e.because })
		if i < 0 {
			i = len(groups)
			groups = append(groups, exclusionGroup{because: e.because})
		}
		groups[i].names = append(groups[i].names, e.candidate)
	}
	slices.SortStableFunc(groups, func(a, b exclusionGroup) int { return len(b.names) - len(a.names) })
	return groups, rest
}

// printExcluded prints the excluded candidates, at most top of those that lack the same, and
// never less than a few. Where all are excluded, why is said above, and a few are enough.
func (p *Printer) printExcluded(list []exclusion, top int, all bool) {
	const few = 10
	top = max(top, few)
	if all {
		top = few
	}
	groups, rest := groupExclusions(list)
	for _, g := range groups {
		p.Print("\n" + p.Out.Heading.Sprint("EXCLUDED") + ": ")
		p.PrintAfter(len("EXCLUDED: "), number(len(g.names))+" because "+g.because)
		names := g.names
		if more := len(names) - top; more > 0 {
			names = append(slices.Clone(names[:top]), number(more)+" more")
		}
		p.printIndented("  ", enumeration(names))
	}
	if len(rest) > 0 {
		p.Print("\n")
		p.printExclusions(rest)
	}
}

// printExclusions prints excluded candidates one by one. They may be many more than the ranked
// ones, so that a narrow terminal has as few lines for each as there can be.
func (p *Printer) printExclusions(list []exclusion) {
	width := p.Width()
	if width > 0 && width < widthOfTables {
		p.Print("EXCLUDED\n")
		for _, e := range list {
			gap := "  "
			if console.Columns(e.candidate+gap+e.model) > width {
				gap = "\n  "
			}
			p.Print(p.Out.Heading.Sprint(e.candidate) + gap + e.model + "\n")
			for _, line := range e.lines {
				p.PrintWrapped("  ", line)
			}
		}
		return
	}
	var t console.Table
	t.Head(p.Out, "EXCLUDED", "MODEL", "BECAUSE")
	for _, e := range list {
		t.Add(console.Text(e.candidate), console.Text(e.model), console.Text(e.lines...))
	}
	p.Print(t.Fit(width))
}
