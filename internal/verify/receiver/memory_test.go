package receiver_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/verify/receiver"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
	"github.com/model-catalog-service/svc/service/record"
)

// notes is a memory for as long as a test takes.
type notes map[string][]string

func (n notes) Recall(source string) ([]string, error) { return n[source], nil }

func (n notes) Keep(source string, answers []string) error {
	n[source] = answers
	return nil
}

// at returns an answer as if it had been given on that day of July 2026.
func at(day, answer string) string {
	return strings.Replace(answer, "2026-07-18T06:00:00.123Z", "2026-07-"+day+"T06:00:00.123Z", 1)
}

// A receiver that has seen what a source said is not led to forget it: by an older answer, by a
// later one that leaves it out, by another state of a trace or claim, or by who does not sign.
func TestMemory(t *testing.T) {
	pair := verifytest.NewEd25519(t)
	events := func(more string) func(*Scene) { return func(s *Scene) { s.Events += more } }
	trace := func(members string) func(*Scene) {
		return func(s *Scene) { s.Traces = verifytest.SceneTrace(`,"claimIds":["c"]` + members) }
	}
	revoked := events("," + verifytest.SceneEvent("w", "revoked", "2026-02-02T00:00:00Z", ""))
	retired := trace(`,"revokedAt":"2026-01-15T00:00:00Z"`)
	plain := func(change func(*Scene)) string { return answerOf(t, scene(change), nil, "", "c") }
	signed := func(change func(*Scene)) string { return answerOf(t, scene(change), pair.Signer, "", "c") }
	for name, tt := range map[string]struct {
		first, then string
		want        string
		isKept      bool // what came then
	}{
		"the same again":                {at("17", plain(revoked)), plain(revoked), "verified->stale", true},
		"at the same time":              {plain(revoked), plain(revoked), "verified->stale", true},
		"an older answer":               {plain(revoked), at("17", plain(asHeld)), "verified->stale OLDER_ANSWER", false},
		"silence about a revocation":    {at("17", plain(revoked)), plain(asHeld), "verified->stale REVOCATION_LOST", false},
		"silence about good news":       {at("17", plain(events(","+verifytest.SceneEvent("w", "verified", "2026-02-02T00:00:00Z", "")))), plain(asHeld), "verified->verified", true},
		"a trace without revocation":    {at("17", plain(retired)), plain(asHeld), "verified->verified REVOCATION_LOST", false},
		"a trace revoked later":         {at("17", plain(retired)), plain(trace(`,"revokedAt":"2026-01-16T00:00:00Z"`)), "verified->verified REVOCATION_LOST", false},
		"a trace revoked sooner":        {at("17", plain(retired)), plain(trace(`,"revokedAt":"2026-01-14T00:00:00Z"`)), "verified->verified CHANGED", true},
		"no trace":                      {at("17", plain(retired)), plain(func(s *Scene) { s.Traces = "" }), "verified->verified", true},
		"an earlier state of the claim": {at("17", strings.Replace(plain(asHeld), `"updatedAt":"2026-01-01`, `"updatedAt":"2026-01-02`, 1)), plain(asHeld), "verified->verified REVOCATION_LOST", false},
		"unsigned":                      {at("17", signed(asHeld)), plain(asHeld), "verified-> SIGNATURE_LOST", false},
		"signed from now on":            {at("17", plain(asHeld)), signed(asHeld), "verified->verified", true},
	} {
		memory := notes{}
		options := receiver.Options{Memory: memory, AllowFall: true, MaxAge: -1}
		if r := receive(t, scene(asHeld), tt.first, options); !r.OK {
			t.Errorf("%s: at first %s", name, r.JSON())
		}
		if !slices.Equal(memory["s"], []string{tt.first}) {
			t.Errorf("%s: %q is kept", name, memory["s"])
		}
		if got := outcomeOf(receive(t, scene(asHeld), tt.then, options)); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
		if want := map[bool]string{true: tt.then, false: tt.first}[tt.isKept]; !slices.Equal(memory["s"], []string{want}) {
			t.Errorf("%s: then %q is kept", name, memory["s"])
		}
	}
}

// What is held stays as well, without a memory.
func TestHeldRevocationStays(t *testing.T) {
	held := scene(func(s *Scene) {
		s.Traces = verifytest.SceneTrace(`,"claimIds":["c"],"revokedAt":"2026-01-15T00:00:00Z"`)
	})
	r := receive(t, held, answerOf(t, scene(asHeld), nil, "", "c"), receiver.Options{})
	if got := outcomeOf(r); got != "verified->verified REVOCATION_LOST" || !slices.Equal(r.Outcomes[0].Records, []record.RecordID{{Collection: "authorityTrace", ID: "t"}}) {
		t.Errorf("%s", r.JSON())
	}
}

// Answers of a later time than the receiver's are not kept: they would outdate all that come.
func TestMemoryOfTheFuture(t *testing.T) {
	memory := notes{}
	if got := outcomeOf(receive(t, scene(asHeld), at("19", answerOf(t, scene(asHeld), nil, "", "c")), receiver.Options{Memory: memory})); got != "verified->verified CLOCK_SKEW" || len(memory) > 0 {
		t.Errorf("%s, %q is kept", got, memory)
	}
}

// An answer replaces those about its refs alone.
func TestMemoryOfRefs(t *testing.T) {
	memory := notes{}
	of := func(day string, refs ...string) string { return at(day, answerOf(t, scene(asHeld), nil, "", refs...)) }
	one, both, other := of("15", "c", "x"), of("16", "c"), of("17", "c", "y")
	for _, answer := range []string{one, both, other} {
		receive(t, scene(asHeld), answer, receiver.Options{Memory: memory, MaxAge: -1})
	}
	if want := []string{other, one}; !slices.Equal(memory["s"], want) {
		t.Errorf("%d answers are kept", len(memory["s"]))
	}
}

// forgetful is a memory that cannot be read, or not be written.
type forgetful struct{ read, write error }

func (f forgetful) Recall(string) ([]string, error) { return nil, f.read }
func (f forgetful) Keep(string, []string) error     { return f.write }

func TestMemoryThatFails(t *testing.T) {
	for want, memory := range map[string]receiver.Memory{
		`what is kept of "s" cannot be used: lost`: forgetful{read: errors.New("lost")},
		`the answer of "s" cannot be kept: full`:   forgetful{write: errors.New("full")},
	} {
		r := receive(t, scene(asHeld), answerOf(t, scene(asHeld), nil, "", "c"), receiver.Options{Memory: memory})
		if len(r.Outcomes) != 1 || r.Outcomes[0].Code != record.OutcomeUnreadable || r.Outcomes[0].Message != want {
			t.Errorf("%s", r.JSON())
		}
	}
	for _, text := range []string{"", "{}", strings.Replace(answerOf(t, scene(asHeld), nil, "", "c"), `"source":"s"`, `"source":"x"`, 1)} {
		r := receive(t, scene(asHeld), answerOf(t, scene(asHeld), nil, "", "c"), receiver.Options{Memory: notes{"s": {text}}})
		if r.Severity() != receiver.Failure {
			t.Errorf("%q is used: %s", text, r.JSON())
		}
	}
}
