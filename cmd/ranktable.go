package cmd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/rank"
)

// printTable prints a result for people: the ranked candidates with their
// scores and why, and below them the excluded ones and why not.
func (p *program) printTable(request string, r *rank.Result) {
	paint := p.screen.onStdout
	const shortDigest = 12
	fmt.Fprintf(p.stdout, "%s  catalog %s as of %s\n\n",
		paint.heading.Sprint(printable(request)), r.Digest()[:shortDigest], r.AsOf())
	var t table
	t.add(cell(paint.heading, "RANK"), cell(paint.heading, "CANDIDATE"), cell(paint.heading, "MODEL"),
		cell(paint.heading, "SCORE"), cell(nil), cell(paint.heading, "WHY"), cell(paint.heading, "MISSING"))
	for _, c := range r.Ranked() {
		t.add(cell(nil, strconv.Itoa(c.Rank)), cell(nil, clip(c.CandidateID)), cell(nil, clip(modelName(c.Model))),
			cell(nil, shortNumber(c.Score)), cell(paint.bar, bar(c.Score, r.Maximum())),
			cell(nil, contributions(c.Reasons)...), cell(paint.faint, gaps(c.Reasons)...))
	}
	if len(r.Ranked()) == 0 {
		t = table{}
		t.add(cell(nil, "No candidate meets the requirements."))
		if len(r.Excluded()) == 0 {
			t = table{}
			t.add(cell(nil, "The request has no candidates."))
		}
	}
	p.stdout.WriteString(t.String())
	if len(r.Excluded()) > 0 {
		t = table{}
		t.add(cell(paint.heading, "EXCLUDED"), cell(paint.heading, "MODEL"), cell(paint.heading, "BECAUSE"))
		for _, c := range r.Excluded() {
			t.add(cell(nil, clip(c.CandidateID)), cell(nil, clip(modelName(c.Model))), cell(nil, gaps(c.Reasons)...))
		}
		p.stdout.WriteString("\n" + t.String())
	}
}

// contributions says what each preference added to the score.
func contributions(reasons []rank.Reason) (lines []string) {
	for _, r := range reasons {
		if r.Code == rank.PreferenceScore {
			lines = append(lines, fmt.Sprintf("+%s %s = %s", shortNumber(r.Contribution), clip(r.MeasurementKey), scalarText(r.Actual)))
		}
	}
	return lines
}

// gaps says in words what is wrong or missing.
func gaps(reasons []rank.Reason) (lines []string) {
	for _, r := range reasons {
		key := clip(r.MeasurementKey)
		switch r.Code {
		case rank.RequirementMet, rank.PreferenceScore:
		case rank.MissingEvidence, rank.PreferenceEvidenceMissing:
			lines = append(lines, key+": no evidence")
		case rank.StaleEvidence:
			lines = append(lines, key+": the evidence is out of date")
		case rank.ConflictingEvidence:
			lines = append(lines, key+": the evidence contradicts itself")
		case rank.IncomparableEvidence:
			lines = append(lines, key+": the evidence cannot be compared")
		case rank.RequirementNotMet:
			lines = append(lines, fmt.Sprintf("%s %s: it is %s", key+printable(strings.TrimPrefix(r.Summary, r.MeasurementKey)), scalarText(r.Expected), scalarText(r.Actual)))
		}
	}
	return lines
}

func modelName(m catalog.Model) string {
	name := m.ID
	if m.Revision != "" {
		name += "@" + m.Revision
	}
	if m.Quantization != "" {
		name += " " + m.Quantization
	}
	return name
}

func scalarText(v catalog.Scalar) string {
	var e canonical.Encoder
	catalog.EncodeScalar(&e, v)
	return clip(string(e.Buf))
}

func shortNumber(f float64) string {
	const digits = 4
	return strconv.FormatFloat(f, 'g', digits, 64)
}

// bar shows a score as a part of the highest that there could be.
func bar(score, maximum float64) string {
	const width = 12
	full := 0
	if maximum > 0 {
		full = min(width, int(score/maximum*width+0.5))
	}
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}
