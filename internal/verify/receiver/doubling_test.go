package receiver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/internal/verify/receiver"
	"github.com/model-catalog-service/svc/internal/verify/store/storetest"
)

// BenchmarkDoubling holds answers against a bundle of the same claims. Some answers have
// records of others, or the same ones again and again.
func BenchmarkDoubling(b *testing.B) {
	for name, shape := range shapes {
		for _, twice := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/twice=%v", name, twice), func(b *testing.B) {
				vectortest.Doubling(b, 1_000, func(n int) func() {
					d := shape(n)
					whole, held := d.Bundle(b), storetest.Draft{Claims: d.Claims}.Bundle(b)
					var answers []receiver.Answer
					for _, refs := range receiver.Questions(held) {
						text := respond(b, whole, nil, "", refs...)
						if answers = append(answers, receiver.Answer{Text: text, Refs: refs}); twice {
							// An answer that says otherwise, and is about other claims than the question.
							answers = append(answers, receiver.Answer{Text: strings.ReplaceAll(text, "2026", "2025"), Refs: refs},
								receiver.Answer{Text: text, Refs: []string{"another"}})
						}
					}
					return func() {
						if r := receiver.Receive(held, answers, receiver.Options{Function: functionNow(b)}); len(r.Claims) == 0 {
							b.Fatalf("%+v", r.Outcomes)
						}
					}
				})
			})
		}
	}
}
