package catalog_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// checkFaults checks what holds for every refusal of an observation.
func checkFaults(t *testing.T, doc string, err error) {
	t.Helper()
	faults := problem.All(err)
	if len(faults) == 0 {
		t.Fatalf("another error: %v of %q", err, doc)
	}
	for _, e := range faults {
		if e.Code != problem.InvalidObservation && e.Code != problem.UnsupportedSchema ||
			!strings.HasPrefix(e.Path, "$") || e.Reason == "" || e.Offset < 0 || e.Offset > len(doc) {
			t.Fatalf("malformed fault %+v of %q", e, doc)
		}
	}
}

// checkAccepted checks that what is accepted is normalized as the oracle does
// it, and is its own normal form.
func checkAccepted(t *testing.T, doc string, o catalog.Observation) {
	t.Helper()
	doc = strings.TrimPrefix(doc, "\uFEFF")
	if !json.Valid([]byte(doc)) {
		t.Fatalf("accepted what encoding/json does not: %q", doc)
	}
	if want := oracleNormalize(doc); o.JSON() != want {
		t.Fatalf("%q\nis normalized to %s\nwant %s", doc, o.JSON(), want)
	}
	withoutID := strings.Replace(o.JSON(), `"id":"`+o.ID()+`",`, "", 1)
	again, err := catalog.Normalize(withoutID)
	if err != nil || again.ID() != o.ID() || again.JSON() != o.JSON() {
		t.Fatalf("%s is normalized to %s (%v)", withoutID, again.JSON(), err)
	}
}

// An observation cut off anywhere is refused with one fault, at $ and the end of
// the text. Within a word or a character the fault stands before that.
func TestTruncatedObservation(t *testing.T) {
	for n := range len(evaluation) {
		doc := evaluation[:n]
		_, err := catalog.Normalize(doc)
		if err == nil {
			t.Fatalf("accepted: %q", doc)
		}
		checkFaults(t, doc, err)
		if faults := problem.All(err); len(faults) != 1 || faults[0].Path != "$" || faults[0].Offset < n-len("null") {
			t.Errorf("%d bytes: %v at offset %d", n, err, faults[0].Offset)
		}
	}
}

// Any byte changed, left out or put in is refused, or makes an observation that
// is normalized as the oracle does it.
func TestChangedByteOfObservation(t *testing.T) {
	doc := onOneLine(evaluation)
	check := func(changed string) {
		t.Helper()
		if o, err := catalog.Normalize(changed); err != nil {
			checkFaults(t, changed, err)
		} else {
			checkAccepted(t, changed, o)
		}
	}
	for i := range doc {
		if !vectortest.Sample(i) {
			continue
		}
		check(doc[:i] + doc[i+1:])
		for _, c := range []byte("09aZ \"\\,:}]{[-+.e\x00\n\x7f\x80\xff") {
			check(doc[:i] + string([]byte{c}) + doc[i+1:])
			check(doc[:i] + string([]byte{c}) + doc[i:])
		}
	}
}

// What is said of an observation does not depend on those before it.
func TestNothingIsLeftOfOtherObservations(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // one worker reads them all
	bare := set(set(declaration, "$.task", "null"), "$.execution", "null")
	docs := []string{bare, drop(evaluation, "$.task"), declaration, drop(evaluation, "$.outcome"), bare, drop(evaluation, "$.execution"),
		evaluation, drop(declaration, "$.usage"), evaluation, drop(set(evaluation, "$.task", "null"), "$.kind")}
	for _, v := range vectors[observationVector](t, "observations.jsonl") {
		docs = append(docs, string(v.Observation))
	}
	rnd := rand.New(rand.NewPCG(4, 4))
	rnd.Shuffle(len(docs)-10, func(i, j int) { docs[10+i], docs[10+j] = docs[10+j], docs[10+i] })
	const run = 500 // which have less faults than are kept
	for some := range slices.Chunk(docs, run) {
		var want, got []string
		for i, doc := range some {
			_, err := catalog.Normalize(doc)
			for _, e := range problem.All(err) {
				want = append(want, fmt.Sprintf("$.observations[%d]%s: %s", i, e.Path[1:], e.Reason))
			}
		}
		_, _, err := catalog.Compile(t.Context(), some, catalog.Options{AsOf: endOfTime})
		for _, e := range problem.All(err) {
			got = append(got, e.Error())
		}
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				t.Fatalf("%d faults, want %d; the first that differs is\n%v\nwant\n%v", len(got), len(want), got[i:min(i+1, len(got))], want[i:min(i+1, len(want))])
			}
		}
	}
}
