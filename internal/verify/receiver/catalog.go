package receiver

import (
	"github.com/model-catalog-service/svc/internal/verify/channel"
	"github.com/model-catalog-service/svc/service/record"
)

// ReceiveCatalog holds answers against a catalog: whether it still is the current build of its
// source. The claim of a catalog follows from the catalog, and whose channel it is, the answer
// says; so the keys alone decide whom to believe. The note of the claim says what became of the
// catalog:
//
//	the current build of acme-models
//	superseded at 2026-11-27T06:00:00.000Z by the catalog sha256:fdceaf55...
//	withdrawn at 2026-11-28T09:30:00.000Z: prices of one list were wrong
func ReceiveCatalog(about channel.Catalog, answers []Answer, options Options) *Receipt {
	var said channel.Answer
	for _, a := range answers {
		said, _ = channel.ReadAnswer(a.Text, about.Digest, options.Function.Now()) // Receive says what is wrong with it
	}
	held, err := channel.Held(said.Source, about)
	if err != nil {
		r := NewReceipt(options.Function)
		r.Add(record.OutcomeUnreadable, err.Error())
		return r
	}
	r := Receive(held, answers, options)
	for i := range r.Claims {
		c := &r.Claims[i]
		switch {
		case c.After == "": // the answers were refused
		case c.After == record.StatusVerified:
			c.Note = record.Text("the current build of " + clip(said.Source))
		case said.Successor != "":
			c.Note = record.Text("superseded at " + said.Since + " by the catalog sha256:" + said.Successor)
		case said.Note != "":
			c.Note = record.Text("withdrawn at " + said.Since + ": " + said.Note)
		}
	}
	return r
}
