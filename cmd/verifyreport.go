package cmd

import (
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/verify"
)

// complainOf prints a line for each outcome that is a failure.
func (p *program) complainOf(r *verify.Receipt) {
	for _, o := range r.Outcomes {
		if o.Code.Gravity() != verify.Notice {
			p.complain(describeOutcome(&o))
		}
	}
}

// printReceipt prints what came out of verifying.
func (p *program) printReceipt(r *verify.Receipt, output string) {
	if output == outputJSON {
		p.stdout.Write(append(appendReceipt(nil, r), '\n'))
		return
	}
	if r.Gravity() != verify.Failure {
		p.stdout.WriteString(p.receiptTable(r))
	}
}

// describeOutcome says what an outcome is, and about which records.
func describeOutcome(o *verify.Outcome) string {
	text := string(o.Code) + ": " + o.Message
	for i, record := range o.Records {
		switch {
		case i == 0:
			text += ": "
		case i == maxNamed:
			return text + ", and more"
		default:
			text += ", "
		}
		text += record.Collection + " " + clip(record.ID)
	}
	return text
}

// receiptTable lays the statuses out for people.
func (p *program) receiptTable(r *verify.Receipt) string {
	paint := p.screen.onStdout
	var t table
	t.add(cell(paint.heading, "CLAIM"), cell(paint.heading, "BEFORE"), cell(paint.heading, "AFTER"), cell(paint.heading, "NOTE"))
	for _, c := range r.Claims {
		after, colour := "-", paint.faint
		if c.After != "" {
			after, colour = string(c.After), paint.bad
			if c.After == verify.Verified {
				colour = paint.good
			}
		}
		t.add(cell(nil, clip(c.ID)), cell(nil, string(c.Before)), cell(colour, after), cell(paint.faint, note(&c)))
	}
	var b strings.Builder
	b.WriteString(t.String())
	b.WriteString("\nStatuses as of " + r.Now + ", " + signedness(r) + ".\n")
	for _, o := range r.Outcomes {
		if o.Code.Gravity() == verify.Notice {
			b.WriteString(printable(describeOutcome(&o)) + "\n")
		}
	}
	return b.String()
}

func note(c *verify.ClaimReceipt) string {
	switch {
	case !c.Answered:
		return "not in the answer"
	case c.Changed:
		return "the claim has changed"
	}
	return ""
}

func signedness(r *verify.Receipt) string {
	if len(r.KeyIDs) == 0 {
		return "no signature checked"
	}
	return "signed by " + r.KeyIDs[0]
}

// appendReceipt appends a receipt as canonical JSON.
func appendReceipt(dst []byte, r *verify.Receipt) []byte {
	e := &canonical.Encoder{Buf: dst}
	e.Raw(`{"claims":[`)
	for i, c := range r.Claims {
		if i > 0 {
			e.Raw(`,`)
		}
		e.Raw(`{"after":`)
		e.TextOrNull(string(c.After))
		e.Raw(`,"answered":`)
		e.Bool(c.Answered)
		e.Raw(`,"before":`)
		e.Text(string(c.Before))
		e.Raw(`,"changed":`)
		e.Bool(c.Changed)
		e.Raw(`,"id":`)
		e.Text(c.ID)
		e.Raw(`}`)
	}
	e.Raw(`],"keyIds":`)
	e.Texts(r.KeyIDs)
	e.Raw(`,"now":`)
	e.Text(r.Now)
	e.Raw(`,"ok":`)
	e.Bool(r.Gravity() == verify.Notice)
	e.Raw(`,"outcomes":[`)
	for i := range r.Outcomes {
		if i > 0 {
			e.Raw(`,`)
		}
		appendOutcome(e, &r.Outcomes[i])
	}
	e.Raw(`]}`)
	return e.Buf
}

func appendOutcome(e *canonical.Encoder, o *verify.Outcome) {
	e.Raw(`{"code":`)
	e.Text(string(o.Code))
	e.Raw(`,"message":`)
	e.Text(valid(o.Message))
	e.Raw(`,"records":[`)
	for i, record := range o.Records {
		if i > 0 {
			e.Raw(`,`)
		}
		e.Raw(`{"collection":`)
		e.Text(record.Collection)
		e.Raw(`,"id":`)
		e.Text(record.ID)
		e.Raw(`}`)
	}
	e.Raw(`]}`)
}
