package standing_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/channel"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/standing"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
)

const at = "2026-11-10T06:00:00.000Z"

func described(c string) channel.Catalog {
	return channel.Catalog{Digest: strings.Repeat(c, 64), File: strings.Repeat("f", 64), AsOf: "2026-11-01T00:00:00.000Z"}
}

// source answers for a channel, at its own time, until it is away.
type source struct {
	*channel.Channel
	signer dsse.Signer
	now    string
	away   error
	asked  int
}

func (s *source) ask(t *testing.T) func(context.Context, []byte) (io.ReadCloser, error) {
	return func(ctx context.Context, question []byte) (io.ReadCloser, error) {
		s.asked++
		if s.away != nil {
			return nil, s.away
		}
		b, err := bundle.Read(problem.Source{Text: string(s.JSON())})
		if err != nil {
			t.Fatal(err)
		}
		store, err := producer.NewMemoryStore(b)
		if err != nil {
			t.Fatal(err)
		}
		r, err := producer.NewResponder(store, producer.ResponderOptions{Source: s.Source(), StatusFunctionVersion: "4", Signer: s.signer})
		if err != nil {
			t.Fatal(err)
		}
		var q struct {
			Nonce string
			Refs  []string
		}
		verifytest.Decode(t, string(question), &q)
		answer, err := r.Respond(ctx, q.Refs, verifytest.Time(t, s.now), q.Nonce)
		if err != nil {
			t.Fatal(err)
		}
		return io.NopCloser(strings.NewReader(string(answer.JSON))), nil
	}
}

// memory keeps answers of one source.
type memory struct{ texts []string }

func (m *memory) Recall(string) ([]string, error) { return m.texts, nil }
func (m *memory) Keep(_ string, texts []string) error {
	m.texts = texts
	return nil
}

// What became of a catalog is what its source says, or what it said.
func TestStanding(t *testing.T) {
	key, other := verifytest.NewEd25519(t), verifytest.NewEd25519(t)
	s := &source{Channel: channel.New("acme"), signer: key.Signer, now: at}
	kept := &memory{}
	p := &standing.Policy{Keys: []*dsse.PublicKey{key.Public}, MaxAge: 24 * time.Hour, Ask: s.ask(t), Memory: kept}
	demand := func(about, now string, asked int, want standing.State, sentence string) {
		t.Helper()
		s.asked, p.Known = 0, kept.texts
		got := p.Of(t.Context(), described(about), nil, verifytest.Function(t, now))
		if got.State != want || !strings.Contains(got.Sentence, sentence) || !strings.HasSuffix(got.Sentence, ".") || s.asked != asked {
			t.Errorf("%s at %s: %+v after %d questions, want %s %q after %d", about, now, got, s.asked, want, sentence, asked)
		}
	}
	publish := func(c, now string) {
		t.Helper()
		if err := s.Publish(described(c), nil, now); err != nil {
			t.Fatal(err)
		}
	}
	publish("a", "2026-11-02T00:00:00.000Z")
	demand("a", at, 1, standing.Verified, `is the current build of "acme"`)
	demand("a", "2026-11-11T05:00:00.000Z", 0, standing.Verified, `is the current build of "acme"`) // what was said holds
	demand("b", at, 1, standing.Unknown, "acme does not know it")
	publish("b", "2026-11-11T06:30:00.000Z")
	s.now = "2026-11-11T07:00:00.000Z"
	demand("a", s.now, 1, standing.Superseded, "was superseded at 2026-11-11T06:30:00.000Z by the catalog sha256:"+strings.Repeat("b", 64))
	// Who is away said something before, or nothing.
	s.away = errors.New("acme.example does not answer")
	demand("a", "2026-12-11T07:00:00.000Z", 1, standing.Superseded, "That was said at 2026-11-11T07:00:00.000Z; since then, acme.example does not answer.")
	demand("c", at, 1, standing.Unknown, "unknown: acme.example does not answer.")
	s.away = nil
	// An answer that another key signed is none, and one of another time confirms nothing.
	s.signer, s.now = other.Signer, "2026-12-11T07:00:00.000Z"
	demand("a", s.now, 1, standing.Superseded, "since then, none of the given keys signed the answer")
	demand("c", s.now, 1, standing.Unknown, "none of the given keys signed the answer")
	s.signer = key.Signer
	demand("b", "2026-12-12T08:00:00.000Z", 1, standing.Unknown, "the answer is of 2026-12-11T07:00:00.000Z")
	// A withdrawal is for ever: nobody need be asked again, and none is taken back.
	if err := s.Withdraw(described("b").Digest, "wrong prices", "2026-12-11T06:00:00.000Z"); err != nil {
		t.Fatal(err)
	}
	s.now = "2026-12-13T07:00:00.000Z"
	demand("b", s.now, 1, standing.Withdrawn, "was withdrawn at 2026-12-11T06:00:00.000Z: wrong prices.")
	demand("b", "2027-12-11T06:00:00.000Z", 0, standing.Withdrawn, "wrong prices.")
}

// Where nobody is asked, a signature counts: of this catalog, by a key of the policy.
func TestSigned(t *testing.T) {
	key, other := verifytest.NewEd25519(t), verifytest.NewEd25519(t)
	sign := func(statement []byte, pair verifytest.KeyPair) string {
		t.Helper()
		e, err := dsse.Sign(t.Context(), statement, pair.Signer)
		if err != nil {
			t.Fatal(err)
		}
		return string(e.AppendJSON(nil))
	}
	statement := channel.Statement("catalog.json", described("a"), nil)
	good := sign(statement, key)
	elsewhere := described("a")
	elsewhere.File = strings.Repeat("e", 64)
	p := &standing.Policy{Keys: []*dsse.PublicKey{key.Public}}
	for name, test := range map[string]struct {
		envelopes []string
		want      standing.State
	}{
		"signed":         {[]string{good}, standing.Verified},
		"among others":   {[]string{"{}", sign(statement, other), good}, standing.Verified},
		"nobody":         {nil, standing.Unknown},
		"another key":    {[]string{sign(statement, other)}, standing.Unknown},
		"another digest": {[]string{sign(channel.Statement("catalog.json", described("b"), nil), key)}, standing.Unknown},
		"another file":   {[]string{sign(channel.Statement("catalog.json", elsewhere, nil), key)}, standing.Unknown},
		"another type":   {[]string{sign([]byte(strings.Replace(string(statement), channel.PredicateType, "https://x.example", 1)), key)}, standing.Unknown},
		"no envelope":    {[]string{"x"}, standing.Unknown},
	} {
		if got := p.Of(t.Context(), described("a"), test.envelopes, verifytest.Function(t, at)); got.State != test.want || got.Sentence == "" {
			t.Errorf("%s: %+v, want %s", name, got, test.want)
		}
	}
}
