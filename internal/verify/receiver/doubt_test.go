package receiver_test

import (
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/verify/receiver"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
	"github.com/model-catalog-service/svc/service/record"
)

// The instant at which an answer of [respondedAt] is so old, or ahead, decides whether it confirms a
// required status. Its revocations count in any case.
func TestAgeOfAnswers(t *testing.T) {
	revocation := "," + verifytest.SceneEvent("w", "revoked", "2026-02-02T00:00:00Z", "")
	for _, tt := range []struct {
		now, want string
		maxAge    time.Duration
	}{
		{"2026-07-18T06:00:01Z", "verified->verified", 0},
		{"2026-07-19T06:00:00.123Z", "verified->verified", 0},
		{"2026-07-19T06:00:00.124Z", "verified->verified STALE_ANSWER STATUS_NOT_MET", 0},
		{"2027-07-19T06:00:00Z", "verified->verified", -1},
		{"2026-07-18T06:10:00Z", "verified->verified STALE_ANSWER STATUS_NOT_MET", time.Minute},
		{"2026-07-18T05:55:00.123Z", "verified->verified", 0},
		{"2026-07-18T05:55:00.122Z", "verified->verified CLOCK_SKEW STATUS_NOT_MET", 0},
		{"2026-07-18T05:55:00.122Z", "verified->verified CLOCK_SKEW STATUS_NOT_MET", -1},
	} {
		options := receiver.Options{Function: verifytest.Function(t, tt.now), MaxAge: tt.maxAge, Require: record.StatusVerified}
		if got := outcomeOf(receive(t, scene(asHeld), answerOf(t, scene(asHeld), nil, "", "c"), options)); got != tt.want {
			t.Errorf("%s, at most %s: %s, want %s", tt.now, tt.maxAge, got, tt.want)
		}
	}
	old := receiver.Options{Function: verifytest.Function(t, "2027-07-18T06:00:00Z")}
	r := receive(t, scene(asHeld), answerOf(t, scene(func(s *Scene) { s.Events += revocation }), nil, "", "c"), old)
	if got := outcomeOf(r); got != "verified->stale STALE_ANSWER STATUS_FELL" {
		t.Errorf("a revocation in an old answer: %s", got)
	}
	if want := `the answer was given at "2026-07-18T06:00:00.123Z", 364 days ago; it may be 24 hours old`; r.Outcomes[0].Message != want {
		t.Errorf("%q, want %q", r.Outcomes[0].Message, want)
	}
	if a := r.Answers[0]; a.AgeSeconds.Value != 365*24*3600-1 || a.RespondedAt != "2026-07-18T06:00:00.123Z" || a.Source != "s" || len(a.Digest) != len("sha256:")+64 {
		t.Errorf("%+v", a)
	}
}

// An answer that does not say when it was given is of no age.
func TestAnswerWithoutTime(t *testing.T) {
	answer := strings.Replace(answerOf(t, scene(asHeld), nil, "", "c"), `"respondedAt":"2026-07-18T06:00:00.123Z"`, `"respondedAt":"yesterday"`, 1)
	for maxAge, want := range map[time.Duration]string{0: "verified->verified STALE_ANSWER STATUS_NOT_MET", -1: "verified->verified"} {
		r := receive(t, scene(asHeld), answer, receiver.Options{MaxAge: maxAge, Require: record.StatusVerified})
		if got := outcomeOf(r); got != want || r.Answers[0].AgeSeconds.Known {
			t.Errorf("%s: %s, want %s", maxAge, got, want)
		}
	}
}

// An answer of another source confirms nothing, unless what is held was merged with that source.
func TestOtherSource(t *testing.T) {
	const own = `"source":"s"`
	for _, tt := range []struct{ held, answered, want string }{
		{"s", "s", "verified->verified"},
		{"s", "evil", "verified->verified OTHER_SOURCE STATUS_NOT_MET"},
		{"merged:r+s", "s", "verified->verified"},
		{"merged:r+s", "merged:r+s", "verified->verified"},
		{"merged:r+s", "q", "verified->verified OTHER_SOURCE STATUS_NOT_MET"},
	} {
		held := strings.Replace(scene(asHeld), own, `"source":"`+tt.held+`"`, 1)
		answer := strings.Replace(answerOf(t, scene(asHeld), nil, "", "c"), own, `"source":"`+tt.answered+`"`, 1)
		if got := outcomeOf(receive(t, held, answer, receiver.Options{Require: record.StatusVerified})); got != tt.want {
			t.Errorf("%s answers for %s: %s, want %s", tt.answered, tt.held, got, tt.want)
		}
	}
}

// A claim with another subject, field, value or integrity reference is not the claim that is held.
func TestReplacedClaim(t *testing.T) {
	claim := func(members string) func(*Scene) {
		return func(s *Scene) { s.Claim = `"verificationPolicyId":"p","status":"proposed",` + members }
	}
	for _, tt := range []struct {
		held, answered string
		isReplaced     bool
	}{
		{`"currentIntegrityRef":"r1"`, `"currentIntegrityRef":"r2"`, true},
		{`"currentIntegrityRef":"r1"`, `"currentIntegrityRef":"\u00721"`, false},
		{`"currentIntegrityRef":"r1"`, `"impactLevel":"high"`, true},
		{`"facet":"a"`, `"facet":"b"`, true},
		{`"qualifiers":{"a":"1"}`, `"qualifiers":{"a":"2"}`, true},
		{`"impactLevel":"low"`, `"impactLevel":"high"`, false},
	} {
		answer := answerOf(t, scene(claim(tt.answered)), nil, "", "c")
		for allow, want := range map[bool]bool{false: !tt.isReplaced, true: true} {
			r := receive(t, scene(claim(tt.held)), answer, receiver.Options{Require: record.StatusVerified, AllowChange: allow})
			if r.Claims[0].Replaced != tt.isReplaced || strings.Contains(outcomeOf(r), "CLAIM_REPLACED") != tt.isReplaced || r.OK != want {
				t.Errorf("%s is answered by %s, allowed %v: %s", tt.held, tt.answered, allow, r.JSON())
			}
		}
	}
	for _, member := range []string{`"value":`, `"subjectId":`, `"fieldOrBehavior":`, `"claimType":`, `"subjectType":`} {
		answer := answerOf(t, scene(asHeld), nil, "", "c")
		at := strings.Index(answer, member) + len(member)
		end := at + strings.IndexAny(answer[at:], ",}")
		r := receive(t, scene(asHeld), answer[:at]+`"other"`+answer[end:], receiver.Options{Require: record.StatusVerified})
		if !r.Claims[0].Replaced || r.OK {
			t.Errorf("another %s: %s", member, r.JSON())
		}
	}
}

// Answers without policies are read: a receiver has its own.
func TestAnswerWithoutPolicies(t *testing.T) {
	answer := answerOf(t, scene(asHeld), nil, "", "c")
	without := strings.Replace(answer, `"policies":[],`, "", 1)
	if got := outcomeOf(receive(t, scene(asHeld), without, receiver.Options{Require: record.StatusVerified})); without == answer || got != "verified->verified" {
		t.Errorf("%s", got)
	}
}
