package receiver_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/receiver"
	"github.com/model-catalog-service/svc/internal/verify/status"
	"github.com/model-catalog-service/svc/internal/verify/store/storetest"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
	"github.com/model-catalog-service/svc/service/record"
)

// asking returns what sends questions to a responder for a bundle; change changes an answer, n the number of the question.
func asking(t testing.TB, b *bundle.Bundle, signer dsse.Signer, change func(n int, answer []byte) ([]byte, error)) func(context.Context, []byte) (io.ReadCloser, error) {
	t.Helper()
	store, err := producer.NewMemoryStore(b)
	if err != nil {
		t.Fatal(err)
	}
	r, err := producer.NewResponder(store, producer.ResponderOptions{Source: b.Source(), StatusFunctionVersion: string(status.DefaultVersion), Signer: signer})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	return func(ctx context.Context, question []byte) (io.ReadCloser, error) {
		var q struct {
			Nonce string
			Refs  []string
		}
		verifytest.Decode(t, string(question), &q)
		answer, err := r.Respond(ctx, q.Refs, respondedAt, q.Nonce)
		if err != nil {
			return nil, err
		}
		text := answer.JSON
		if n++; change != nil {
			if text, err = change(n, text); err != nil {
				return nil, err
			}
		}
		return io.NopCloser(bytes.NewReader(text)), nil
	}
}

// linked is a bundle of many claims, some of which hang together across it, and what its producer has now: some claims are revoked, gone,
// or say something else.
func linked(t testing.TB, n int) (held, now *bundle.Bundle) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	id := func(i int) string { return fmt.Sprintf("c%05d", i) }
	var before, after storetest.Draft
	for i := range n {
		claim, from := storetest.Claim(id(i)), ""
		if random.IntN(4) == 0 && i > 0 {
			from = fmt.Sprintf(`,"derivedFrom":[%q]`, id(random.IntN(i)))
		} else if random.IntN(30) == 0 {
			from = fmt.Sprintf(`,"derivationEdges":[{"inputClaimId":%q}]`, id((i+n/2)%n))
		}
		claim = strings.TrimSuffix(claim, "}") + from + "}"
		before.Claims = append(before.Claims, claim)
		evidence := storetest.Evidence("e"+id(i), id(i), `,"passing":true`)
		event := storetest.Event("v"+id(i), id(i), fmt.Sprint("actor", i%50))
		if i%40 == 7 { // whose trace names another claim
			event = strings.TrimSuffix(event, "}") + `,"resolvesDispute":true}`
		}
		before.Evidence, before.Events = append(before.Evidence, evidence), append(before.Events, event)
		if i%97 == 5 {
			continue // the producer no longer knows it
		}
		if i%89 == 3 {
			claim = strings.Replace(claim, `"value":1`, `"value":2`, 1)
		}
		if i%60 == 9 { // what failed is resolved by who may
			after.Evidence = append(after.Evidence, storetest.Evidence("f"+id(i), id(i), `,"passing":false,"blocking":true`))
		}
		after.Claims, after.Evidence, after.Events = append(after.Claims, claim), append(after.Evidence, evidence), append(after.Events, event)
		if i%101 == 1 {
			after.Events = append(after.Events, strings.Replace(storetest.Event("r"+id(i), id(i), "boss"), `"status":"verified"`, `"status":"revoked"`, 1))
		}
	}
	for k := range 50 {
		trace := storetest.Trace(fmt.Sprint("t", k), fmt.Sprint("actor", k), []string{id(k * n / 50)})
		before.AuthorityTrace = append(before.AuthorityTrace, trace)
		if k%10 == 0 {
			trace = strings.TrimSuffix(trace, "}") + `,"revokedAt":"2026-02-01T00:00:00Z"}`
		}
		after.AuthorityTrace = append(after.AuthorityTrace, trace)
	}
	drop := func(list []string) []string { // inputs that are gone
		for i, claim := range list {
			for k := 5; k < n; k += 97 {
				claim = strings.ReplaceAll(claim, fmt.Sprintf(`,"derivedFrom":[%q]`, id(k)), "")
			}
			list[i] = claim
		}
		return list
	}
	before.Claims, after.Claims = drop(before.Claims), drop(after.Claims)
	read := func(d storetest.Draft) *bundle.Bundle {
		return verifytest.Bundle(t, strings.Replace(d.Text(), `"policies":[]`, `"policies":[{"id":"p","claimType":"speed","requiredEvidence":["test_output"],`+
			`"acceptanceCriteria":[],"reviewAuthority":"r","validityRule":{"kind":"manual"},"stalenessTriggers":[],"conflictRules":[],"impactLevel":"low"}]`, 1))
	}
	return read(before), read(after)
}

// A bundle in parts gets the receipt that it gets as a whole, but for the answers, which have other nonces.
func TestVerifyInParts(t *testing.T) {
	t.Parallel()
	held, now := linked(t, 1_000)
	parts := 0
	for range held.Parts(300) {
		parts++
	}
	if parts < 3 {
		t.Fatalf("%d parts: the links make it one", parts)
	}
	pair := verifytest.NewEd25519(t)
	wholeNotes, partNotes := notes{}, notes{}
	statuses := map[record.VerificationStatus]int{}
	run := func(what string, outcomes int, b *bundle.Bundle) {
		t.Helper()
		options := receiver.Options{Function: functionNow(t), Keys: []*dsse.PublicKey{pair.Public}, Require: record.StatusVerified, Memory: wholeNotes}
		answers, err := receiver.Ask(t.Context(), held, receiver.AskOptions{}, asking(t, b, pair.Signer, nil))
		if err != nil {
			t.Fatal(err)
		}
		whole := receiver.Receive(held, answers, options)
		options.Memory = partNotes
		got, err := receiver.Verify(t.Context(), held, receiver.AskOptions{}, options.InParts(300), asking(t, b, pair.Signer, nil))
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Answers) < len(whole.Answers) || got.OK != whole.OK || !slices.Equal(got.Claims, whole.Claims) {
			for i := range got.Claims {
				if got.Claims[i] != whole.Claims[i] {
					t.Fatalf("%s: %+v, whole %+v", what, got.Claims[i], whole.Claims[i])
				}
			}
			t.Fatalf("%s: %d answers, ok %v; whole %d, %v", what, len(got.Answers), got.OK, len(whole.Answers), whole.OK)
		}
		for _, c := range got.Claims {
			statuses[c.After]++
		}
		describe := func(r *receiver.Receipt) (list []string) {
			for _, o := range r.Outcomes {
				list = append(list, fmt.Sprint(o.Code, " ", o.Message, " ", o.Records))
			}
			slices.Sort(list)
			return list
		}
		if a, b := describe(got), describe(whole); !slices.Equal(a, b) || len(a) < outcomes {
			t.Fatalf("%s: outcomes\n%.2000s\nwhole\n%.2000s", what, strings.Join(a, "\n"), strings.Join(b, "\n"))
		}
	}
	run("what its producer has now", 4, now)
	run("what it had", 3, held) // which takes revocations back
	if statuses[record.StatusVerified] < 500 || statuses[record.StatusStale] < 10 || statuses[record.StatusDisputed] < 2 {
		t.Errorf("statuses are %v", statuses)
	}
	before := len(partNotes[held.Source()])
	run("the same again", 2, now)
	if after := len(partNotes[held.Source()]); before == 0 || after != before {
		t.Errorf("%d answers are kept, then %d", before, after)
	}
}

// What is wrong with one part leaves no claim a status.
func TestVerifyStops(t *testing.T) {
	t.Parallel()
	draft := storetest.Draft{}
	for i := range 1_000 {
		draft.Claims = append(draft.Claims, storetest.Claim(fmt.Sprintf("c%05d", i)))
	}
	held := draft.Bundle(t)
	away := errors.New("away")
	for name, tt := range map[string]struct {
		now    *bundle.Bundle
		change func(n int, answer []byte) ([]byte, error)
		want   record.OutcomeCode
		err    error
	}{
		"all well": {held, nil, "", nil},
		"another nonce": {held, func(n int, answer []byte) ([]byte, error) {
			if n == 4 {
				answer = bytes.Replace(answer, []byte(`"nonce":"`), []byte(`"nonce":"x`), 1)
			}
			return answer, nil
		}, record.OutcomeNonceMismatch, nil},
		"away in the end": {held, func(n int, answer []byte) ([]byte, error) {
			if n == 7 {
				return nil, away
			}
			return answer, nil
		}, "", away},
		"nothing known": {storetest.Draft{Claims: []string{storetest.Claim("x")}}.Bundle(t), nil, record.OutcomeUnknownRef, nil},
	} {
		r, err := receiver.Verify(t.Context(), held, receiver.AskOptions{}, receiver.Options{Function: functionNow(t)}.InParts(300), asking(t, tt.now, nil, tt.change))
		isDone := tt.want == "" && tt.err == nil
		if !errors.Is(err, tt.err) || isDone != (r.Severity() == receiver.Notice && err == nil) {
			t.Errorf("%s: %v, %+v", name, err, r.Outcomes)
		}
		if tt.want != "" && (len(r.Outcomes) != 1 || r.Outcomes[0].Code != tt.want) {
			t.Errorf("%s: %+v", name, r.Outcomes)
		}
		for i, c := range r.Claims {
			if c.ID != fmt.Sprintf("c%05d", i) || c.Before == "" || isDone != (c.After != "") {
				t.Fatalf("%s: claim %d is %+v", name, i, c)
			}
		}
		if len(r.Claims) != 1_000 {
			t.Errorf("%s: %d claims", name, len(r.Claims))
		}
	}
}

// 100,000 claims with three pieces of evidence and three events each are verified in memory that does not grow with their answers.
func TestVerifyManyClaims(t *testing.T) {
	vectortest.SkipLong(t)
	const claims, bound = 100_000, 256 << 20 // the answers alone have as much, and take four times that once they are read
	defer debug.SetGCPercent(debug.SetGCPercent(25))
	text := storetest.Many(claims).Text()
	held := verifytest.Bundle(t, text)
	size := len(text)
	ask := asking(t, held, nil, nil)
	answered := 0
	counted := func(ctx context.Context, question []byte) (io.ReadCloser, error) {
		body, err := ask(ctx, question)
		if err != nil {
			return nil, err
		}
		read, err := io.ReadAll(body)
		answered += len(read)
		return io.NopCloser(bytes.NewReader(read)), err
	}
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	peak, done, stopped := uint64(0), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapInuse)
			}
		}
	}()
	start := time.Now()
	r, err := receiver.Verify(t.Context(), held, receiver.AskOptions{}, receiver.Options{Function: functionNow(t), Require: record.StatusUnknown}, counted)
	close(done)
	<-stopped
	if err != nil || len(r.Claims) != claims {
		t.Fatalf("%v, %d claims, %+v", err, len(r.Claims), r.Outcomes)
	}
	for _, c := range r.Claims {
		if !c.Answered || c.After != c.Before {
			t.Fatalf("%+v", c)
		}
	}
	used := int64(peak) - int64(before.HeapInuse)
	t.Logf("bundle %d MB, answers %d MB, %d questions in %s, %d MB more at the peak", size>>20, answered>>20, len(r.Answers), time.Since(start), used>>20)
	if size < 64<<20 || answered < 64<<20 || used > bound {
		t.Errorf("bundle %d, answers %d, memory %d bytes", size, answered, used)
	}
}
