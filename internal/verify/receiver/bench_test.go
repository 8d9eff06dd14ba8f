package receiver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/receiver"
	"github.com/model-catalog-service/svc/internal/verify/store/storetest"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
	"github.com/model-catalog-service/svc/service/record"
)

// shapes are answers that take memory in different ways, each with about so many
// records.
var shapes = map[string]func(n int) storetest.Draft{
	"plain": func(n int) storetest.Draft { return storetest.Many(n / 7) },
	"ids": func(n int) storetest.Draft {
		return oneClaim(storetest.Event("v", "c", "a", member("notes", `"`+strings.Repeat("x", n)+`"`)), 1)
	},
	"events": func(n int) storetest.Draft { return oneClaim(storetest.Event("%x", "c", ""), n) },
	"dispute": func(n int) storetest.Draft {
		return oneClaim(storetest.Event("%x", "c", "ann", member("resolvesDispute", "true")), n)
	},
}

// oneClaim is a bundle of a claim and n events of it.
func oneClaim(event string, n int) storetest.Draft {
	d := storetest.Draft{Claims: []string{storetest.Claim("c")}}
	for i := range n {
		d.Events = append(d.Events, strings.Replace(event, "%x", fmt.Sprintf("%x", i), 1))
	}
	return d
}

// BenchmarkReceive holds answers against a bundle of the same claims, and reports how
// many bytes it allocates for each byte of the answer.
func BenchmarkReceive(b *testing.B) {
	pair := verifytest.NewEd25519(b)
	for name, shape := range shapes {
		for _, signer := range []dsse.Signer{nil, pair.Signer} {
			kind, options := "unsigned", receiver.Options{Function: functionNow(b)}
			if signer != nil {
				kind, options.Keys = "signed", []*dsse.PublicKey{pair.Public}
			}
			b.Run(name+"/"+kind, func(b *testing.B) {
				d := shape(70_000)
				whole := d.Bundle(b)
				held := storetest.Draft{Claims: d.Claims}.Bundle(b)
				var answers []receiver.Answer
				size := 0
				for _, refs := range receiver.Questions(held) {
					text := respond(b, whole, signer, "", refs...)
					answers = append(answers, receiver.Answer{Text: text, Refs: refs})
					size += len(text)
				}
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					r := receiver.Receive(held, answers, options)
					if r.Severity() != receiver.Notice || r.Claims[0].After != record.StatusVerified && r.Claims[0].After != record.StatusUnknown {
						b.Fatalf("%+v", r.Outcomes)
					}
				}
			})
		}
	}
}
