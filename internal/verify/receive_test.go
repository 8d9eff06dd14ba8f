package verify_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/verify"
)

// scene is a claim that is held as verified, and a policy for it.
func scene(mutate func(*small)) string {
	s := small{
		claim:    `"verificationPolicyId":"p","status":"proposed"`,
		policy:   `"requiredEvidence":["test_output"],"validityRule":{"kind":"manual"}`,
		evidence: aPiece("e", `"observedAt":"2026-01-01T00:00:00Z","passing":true`),
		events:   anEvent("v", "verified", "2026-02-01T00:00:00Z", ""),
		traces:   aTrace(`,"claimIds":["c"]`),
	}
	mutate(&s)
	return s.text()
}

func asHeld(*small) {}

// answerOf asks a producer that has the bundle.
func answerOf(t testing.TB, text string, signer verify.Signer, nonce string, refs ...string) string {
	t.Helper()
	response, err := mustResponder(t, mustStore(t, text), signer).Respond(t.Context(), refs, respondedAt, nonce)
	if err != nil {
		t.Fatal(err)
	}
	return string(response.JSON)
}

// outcomeOf returns the codes of a receipt and the statuses of the first claim.
func outcomeOf(r *verify.Receipt) string {
	var codes []string
	for _, o := range r.Outcomes {
		codes = append(codes, string(o.Code))
	}
	if len(r.Claims) == 0 {
		return strings.Join(codes, " ")
	}
	return strings.TrimSpace(fmt.Sprintf("%s->%s %s", r.Claims[0].Before, r.Claims[0].After, strings.Join(codes, " ")))
}

func receive(t testing.TB, held, answer string, options verify.ReceiveOptions) *verify.Receipt {
	t.Helper()
	if options.Now.IsZero() {
		options.Now = mustTime(t, "2026-03-01T00:00:00Z")
	}
	return verify.Receive(mustBundle(t, held), []verify.Answer{{Text: answer}}, options)
}

func TestReceive(t *testing.T) {
	revocation := "," + anEvent("w", "revoked", "2026-02-02T00:00:00Z", "")
	for name, tt := range map[string]struct {
		producer func(*small)
		require  verify.Status
		want     string
	}{
		"nothing new":               {asHeld, verify.Verified, "verified->verified"},
		"revoked":                   {func(s *small) { s.events += revocation }, "", "verified->stale"},
		"revoked, but not required": {func(s *small) { s.events += revocation }, verify.Verified, "verified->stale STATUS_NOT_MET"},
		"other evidence came":       {func(s *small) { s.evidence += "," + aPiece("f", `"observedAt":"2026-02-03T00:00:00Z","passing":false`) }, "", "verified->disputed"},
		"the claim's status alone":  {func(s *small) { s.claim = `"verificationPolicyId":"p","status":"assumed"` }, "", "verified->verified CHANGED"},
		"the claim has run out":     {func(s *small) { s.claim += `,"expiresAt":"2026-02-15T00:00:00Z"` }, "", "verified->stale CHANGED"},
		"the trace was revoked":     {func(s *small) { s.traces = aTrace(`,"claimIds":["c"],"revokedAt":"2026-01-15T00:00:00Z"`) }, "", "verified->verified CHANGED"},
		"another policy":            {func(s *small) { s.policy = strings.Replace(s.policy, "test_output", "attestation", 1) }, "", "verified->verified"},
		"other evidence, same id":   {func(s *small) { s.evidence = strings.Replace(s.evidence, `"s"`, `"z"`, 1) }, "", "verified-> MERGE_COLLISION"},
		"another event, same id":    {func(s *small) { s.events = strings.Replace(s.events, "ann", "bob", 1) }, verify.Verified, "verified-> MERGE_COLLISION"},
		"both":                      {func(s *small) { s.claim += `,"facet":"x"`; s.events = strings.Replace(s.events, "ann", "bob", 1) }, "", "verified-> CHANGED MERGE_COLLISION"},
		"another spelling":          {func(s *small) { s.events = strings.Replace(s.events, `"ann"`, `"\u0061nn"`, 1) }, "", "verified->verified"},
		"the latest schema": {func(s *small) {
			s.evidence += "," + strings.Replace(aPiece("f", `"observedAt":"2026-02-03T00:00:00Z","passing":true`), "test_output", "runtime_observation", 1)
		}, "", "verified->verified"},
	} {
		answer := answerOf(t, scene(tt.producer), nil, "", "c")
		r := receive(t, scene(asHeld), answer, verify.ReceiveOptions{Require: tt.require})
		if got := outcomeOf(r); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
		if !r.Claims[0].Answered || r.Claims[0].Changed != strings.Contains(tt.want, "CHANGED") && name != "the trace was revoked" {
			t.Errorf("%s: %+v", name, r.Claims[0])
		}
	}
}

// A status that an answer tells changes nothing, wherever it stands.
func TestReceiveBelievesNoStatus(t *testing.T) {
	noEvents := func(s *small) { s.events = ""; s.claim = `"verificationPolicyId":"p"` }
	for _, status := range verify.Statuses() {
		answer := answerOf(t, scene(func(s *small) { noEvents(s); s.claim += `,"status":"` + status + `","producerStatus":"` + status + `"` }), nil, "", "c")
		if got := outcomeOf(receive(t, scene(noEvents), answer, verify.ReceiveOptions{})); got != "proposed->proposed CHANGED" {
			t.Errorf("%s: %s", status, got)
		}
	}
}

func TestReceiveUnsigned(t *testing.T) {
	held := scene(asHeld)
	answer := answerOf(t, held, nil, "n", "c")
	for name, tt := range map[string]struct{ answer, want string }{
		"no JSON":            {`x`, "verified-> UNREADABLE"},
		"nothing":            {``, "verified-> UNREADABLE"},
		"no bundle":          {`{}`, "verified-> UNREADABLE"},
		"an error document":  {`{"error":{"code":"NOT_FOUND","message":"x"},"schemaVersion":"service.verify.error/v1"}`, "verified-> UNREADABLE"},
		"null":               {`{"bundle":null}`, "verified-> UNREADABLE"},
		"no metadata":        {strings.Replace(answer, `"metadata":`, `"proof":{},"x":`, 1), "verified-> UNREADABLE"},
		"metadata is a list": {strings.Replace(answer, `"metadata":{`, `"metadata":[],"proof":{`, 1), "verified-> UNREADABLE"},
		"no unknownRefs":     {strings.Replace(answer, `"unknownRefs":[],`, ``, 1), "verified-> UNREADABLE"},
		"nonce is a number":  {strings.Replace(answer, `"nonce":"n"`, `"nonce":1`, 1), "verified-> UNREADABLE"},
		"unknown member":     {strings.Replace(answer, `"fieldOrBehavior"`, `"surface":"x","fieldOrBehavior"`, 1), "verified-> UNREADABLE"},
		"a later profile":    {strings.Replace(answer, `"nonce":"n"`, `"later":{},"nonce":"n"`, 1), "verified->verified"},
		"a later answer":     {`{"later":1,` + answer[1:], "verified->verified"},
		"envelope is null":   {strings.TrimSuffix(answer, "}") + `,"envelope":null}`, "verified->verified"},
		"envelope unread":    {strings.TrimSuffix(answer, "}") + `,"envelope":7}`, "verified->verified"},
		"the bundle alone":   {strings.TrimSuffix(strings.TrimPrefix(answer, `{"bundle":`), "}"), "verified->verified"},
		"dangling ids":       {strings.Replace(answer, `"evidenceIds":["e"]`, `"evidenceIds":["gone"]`, 1), "verified-> MERGE_COLLISION"},
		"odd times":          {strings.Replace(answer, `"events":[`, `"events":[`+anEvent("w", "rejected", "yesterday", "")+`,`, 1), "verified->verified"},
		"a claim twice":      {strings.Replace(answer, `"claims":[`, `"claims":[`+otherClaim+`,`, 1), "verified-> MERGE_COLLISION"},
		"other claims":       {answerOf(t, linked, nil, "n", "c1"), "verified-> UNKNOWN_REF"},
		"no claims":          {answerOf(t, held, nil, "n", "x"), "verified-> UNKNOWN_REF"},
	} {
		r := verify.Receive(mustBundle(t, held), []verify.Answer{{Text: tt.answer}}, verify.ReceiveOptions{Now: mustTime(t, "2026-03-01T00:00:00Z")})
		if got := outcomeOf(r); got != tt.want {
			t.Errorf("%s: %s, want %s (%+v)", name, got, tt.want, r.Outcomes)
		}
	}
	for nonce, want := range map[string]string{"n": "verified->verified", "m": "verified-> NONCE_MISMATCH", "": "verified->verified"} {
		r := verify.Receive(mustBundle(t, held), []verify.Answer{{Text: answer, Nonce: nonce}}, verify.ReceiveOptions{Now: mustTime(t, "2026-03-01T00:00:00Z")})
		if got := outcomeOf(r); got != want {
			t.Errorf("nonce %q: %s, want %s", nonce, got, want)
		}
	}
	none := `{"schemaVersion":5,"source":"s","claims":[],"evidence":[],"policies":[],"events":[]}`
	if got := outcomeOf(receive(t, none, answer, verify.ReceiveOptions{})); got != "NOTHING_HELD" {
		t.Errorf("nothing held: %s", got)
	}
	if got := outcomeOf(verify.Receive(mustBundle(t, held), nil, verify.ReceiveOptions{Now: respondedAt})); got != "verified-> UNKNOWN_REF" {
		t.Errorf("no answer at all: %s", got)
	}
}

const otherClaim = `{"id":"c","subjectType":"s","subjectId":"i","claimType":"t","fieldOrBehavior":"f","value":2,"createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z"}`

func TestReceiveSigned(t *testing.T) {
	ed, curve, other := newEd25519(t), newP256(t), newEd25519(t)
	held := scene(asHeld)
	answer := answerOf(t, held, ed.signer, "", "c")
	old := answerOf(t, scene(func(s *small) { s.claim += `,"facet":"x"` }), ed.signer, "", "c")
	envelope := func(answer string) string { return answer[strings.Index(answer, `,"envelope":`):] }
	bundle := func(answer string) string { return answer[:strings.Index(answer, `,"envelope":`)] }
	sign := func(payloadType, payload string) string {
		sig, err := ed.signer.Sign(t.Context(), verify.AppendPAE(nil, payloadType, []byte(payload)))
		if err != nil {
			t.Fatal(err)
		}
		e := verify.Envelope{PayloadType: payloadType, Payload: []byte(payload), Signatures: []verify.Signature{{KeyID: ed.public.ID(), Sig: sig}}}
		return bundle(answer) + `,"envelope":` + string(e.AppendJSON(nil)) + `}`
	}
	statement := payloadOf(t, answer)
	keyless := strings.Replace(answer, `"keyid":"`+ed.public.ID()+`",`, ``, 1)
	both := answerOf(t, held, curve.signer, "", "c")
	for name, tt := range map[string]struct {
		answer string
		keys   []keyPair
		want   string
	}{
		"the key":              {answer, []keyPair{ed}, "verified->verified"},
		"among others":         {answer, []keyPair{other, curve, ed}, "verified->verified"},
		"P-256":                {both, []keyPair{curve}, "verified->verified"},
		"no key asked for":     {answer, nil, "verified->verified"},
		"another key":          {answer, []keyPair{other}, "verified-> NO_KEY"},
		"another kind of key":  {answer, []keyPair{curve}, "verified-> NO_KEY"},
		"no key id":            {keyless, []keyPair{ed}, "verified->verified"},
		"a foreign key id":     {strings.Replace(answer, ed.public.ID(), "our-key-3", 1), []keyPair{ed}, "verified->verified"},
		"somebody else's id":   {strings.Replace(answer, ed.public.ID(), other.public.ID(), 1), []keyPair{other}, "verified-> BAD_SIGNATURE"},
		"no signature":         {answer[:strings.Index(answer, `"signatures":`)] + `"signatures":[]}}`, []keyPair{ed}, "verified-> NO_KEY"},
		"no envelope":          {bundle(answer) + "}", []keyPair{ed}, "verified-> UNSIGNED"},
		"null for an envelope": {bundle(answer) + `,"envelope":null}`, []keyPair{ed}, "verified-> UNSIGNED"},
		"a malformed envelope": {bundle(answer) + `,"envelope":{}}`, []keyPair{ed}, "verified-> BAD_SIGNATURE"},
		"another one's bundle": {bundle(old) + envelope(answer), []keyPair{ed}, "verified-> PAYLOAD_MISMATCH"},
		"respelled bundle":     {strings.Replace(answer, `"value":1,`, `"value":1.0,`, 1), []keyPair{ed}, "verified->verified"},
		"another payload type": {sign("text/plain", statement), []keyPair{ed}, "verified-> PAYLOAD_MISMATCH"},
		"no statement":         {sign(verify.PayloadType, "{}"), []keyPair{ed}, "verified-> PAYLOAD_MISMATCH"},
		"another statement":    {sign(verify.PayloadType, strings.Replace(statement, "Statement/v1", "Statement/v0.1", 1)), []keyPair{ed}, "verified-> PAYLOAD_MISMATCH"},
		"another predicate":    {sign(verify.PayloadType, strings.Replace(statement, "hachure.org/v1/bundle", "slsa.dev/provenance/v1", 1)), []keyPair{ed}, "verified-> PAYLOAD_MISMATCH"},
		"a statement, respelt": {sign(verify.PayloadType, " "+statement+"\n"), []keyPair{ed}, "verified->verified"},
		"two bundles":          {sign(verify.PayloadType, strings.Replace(statement, `"predicate":`, `"predicate":{},"predicate":`, 1)), []keyPair{ed}, "verified-> PAYLOAD_MISMATCH"},
		"not JSON at all":      {sign(verify.PayloadType, "hello"), []keyPair{ed}, "verified-> PAYLOAD_MISMATCH"},
		"a second signature":   {strings.Replace(answer, `"signatures":[`, `"signatures":[{"sig":"AAAA"},`, 1), []keyPair{ed}, "verified->verified"},
	} {
		var options verify.ReceiveOptions
		for _, pair := range tt.keys {
			options.Keys = append(options.Keys, pair.public)
		}
		r := receive(t, held, tt.answer, options)
		if got := outcomeOf(r); got != tt.want {
			t.Errorf("%s: %s, want %s (%+v)", name, got, tt.want, r.Outcomes)
		}
		if signed := len(r.KeyIDs) == 1; signed != (len(tt.keys) > 0 && tt.want == "verified->verified") {
			t.Errorf("%s: key ids %v", name, r.KeyIDs)
		}
	}
}

func payloadOf(t testing.TB, answer string) string {
	t.Helper()
	var a answered
	decodeJSON(t, answer, &a)
	payload, err := base64.StdEncoding.DecodeString(a.Envelope.Payload)
	if err != nil {
		t.Fatal(err)
	}
	return string(payload)
}

// One changed byte anywhere fails, be it in the bundle, the payload or the
// envelope around it. Names that the envelope may do without, and the key id,
// which is a hint, are the exceptions.
func TestEveryChangedByteFails(t *testing.T) {
	pair := newEd25519(t)
	held := scene(asHeld)
	answer := answerOf(t, held, pair.signer, "", "c")
	b := mustBundle(t, held)
	options := verify.ReceiveOptions{Keys: []*verify.PublicKey{pair.public}, Now: mustTime(t, "2026-03-01T00:00:00Z")}
	hint := strings.Index(answer, `"keyid":"`)
	hintEnd := hint + len(`"keyid":"`) + len(pair.public.ID()) + len(`"`)
	if hint < 0 || outcomeOf(verify.Receive(b, []verify.Answer{{Text: answer}}, options)) != "verified->verified" {
		t.Fatal("the answer as it came fails")
	}
	for i := range len(answer) {
		if i >= hint && i < hintEnd {
			continue
		}
		for _, changed := range []byte{answer[i] ^ 1, answer[i] ^ 0x20, ' ', '"', 'A', '='} {
			if changed == answer[i] {
				continue
			}
			text := answer[:i] + string([]byte{changed}) + answer[i+1:]
			if r := verify.Receive(b, []verify.Answer{{Text: text}}, options); r.Gravity() == verify.Notice {
				t.Fatalf("byte %d, %q for %q, passes: %.100s", i, changed, answer[i], answer[max(0, i-50):])
			}
		}
		if r := verify.Receive(b, []verify.Answer{{Text: answer[:i] + answer[i+1:]}}, options); r.Gravity() == verify.Notice {
			t.Fatalf("without byte %d, %q, it passes", i, answer[i])
		}
	}
}

// Many claims are asked for in parts, and the answers make one whole.
func TestReceiveInParts(t *testing.T) {
	var claims []string
	for i := range 600 {
		claims = append(claims, strings.Replace(otherClaim, `"id":"c"`, fmt.Sprintf(`"id":"c%d"`, i), 1))
	}
	claims = append(claims, strings.Replace(otherClaim, `"id":"c"`, `"id":"`+strings.Repeat("x", verify.MaxRefBytes+1)+`"`, 1))
	held := `{"schemaVersion":5,"source":"s","claims":[` + strings.Join(claims, ",") + `],"evidence":[],"policies":[],"events":[]}`
	questions := verify.Questions(mustBundle(t, held))
	var sizes []int
	var answers []verify.Answer
	for _, refs := range questions {
		sizes = append(sizes, len(refs))
		answers = append(answers, verify.Answer{Text: answerOf(t, held, nil, "n", refs...), Nonce: "n"})
	}
	if !slices.Equal(sizes, []int{256, 256, 88}) {
		t.Fatalf("questions of %v", sizes)
	}
	options := verify.ReceiveOptions{Now: time.Now()}
	r := verify.Receive(mustBundle(t, held), answers, options)
	answeredClaims := 0
	for _, c := range r.Claims {
		if c.Answered {
			answeredClaims++
		}
	}
	if len(r.Outcomes) > 0 || answeredClaims != 600 || len(r.Claims) != 601 {
		t.Errorf("%d of %d claims answered, %+v", answeredClaims, len(r.Claims), r.Outcomes)
	}
	// An answer that contradicts another.
	answers[2].Text = strings.Replace(answers[2].Text, `"claims":[`, `"claims":[`+strings.Replace(claims[0], `"value":2`, `"value":3`, 1)+`,`, 1)
	if got := outcomeOf(verify.Receive(mustBundle(t, held), answers, options)); got != "unknown-> MERGE_COLLISION" {
		t.Errorf("contradicting answers: %s", got)
	}
	answers[1].Nonce = "another"
	if got := outcomeOf(verify.Receive(mustBundle(t, held), answers, options)); got != "unknown-> NONCE_MISMATCH" {
		t.Errorf("one wrong nonce: %s", got)
	}
}

// Every outcome has its weight.
func TestGravity(t *testing.T) {
	for code, want := range map[verify.OutcomeCode]verify.Gravity{
		"UNREACHABLE": verify.Failure, "UNREADABLE": verify.Failure, "NOTHING_HELD": verify.Failure, "UNKNOWN_REF": verify.Failure, "NO_KEY": verify.Failure,
		"UNSIGNED": verify.Refusal, "BAD_SIGNATURE": verify.Refusal, "PAYLOAD_MISMATCH": verify.Refusal, "NONCE_MISMATCH": verify.Refusal,
		"MERGE_COLLISION": verify.Refusal, "STATUS_NOT_MET": verify.Refusal, "CHANGED": verify.Notice,
	} {
		r := verify.NewReceipt(respondedAt)
		r.Add("CHANGED", "x")
		r.Add(code, "x")
		if r.Gravity() != want || r.Now != "2026-07-18T06:00:00.123Z" {
			t.Errorf("%s: %d, %s", code, r.Gravity(), r.Now)
		}
	}
}
