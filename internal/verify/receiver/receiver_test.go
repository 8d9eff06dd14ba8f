package receiver_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/producer"
	"github.com/model-catalog-service/svc/internal/verify/receiver"
	"github.com/model-catalog-service/svc/internal/verify/status"
	"github.com/model-catalog-service/svc/internal/verify/store/storetest"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
	"github.com/model-catalog-service/svc/service/record"
)

// Scene is a bundle of one claim.
type Scene = verifytest.Scene

// scene is a claim that is held as verified, and a policy for it.
func scene(mutate func(*Scene)) string {
	s := Scene{
		Claim:    `"verificationPolicyId":"p","status":"proposed"`,
		Policy:   `"requiredEvidence":["test_output"],"validityRule":{"kind":"manual"}`,
		Evidence: verifytest.ScenePiece("e", `"observedAt":"2026-01-01T00:00:00Z","passing":true`),
		Events:   verifytest.SceneEvent("v", "verified", "2026-02-01T00:00:00Z", ""),
		Traces:   verifytest.SceneTrace(`,"claimIds":["c"]`),
	}
	mutate(&s)
	return s.Text()
}

func asHeld(*Scene) {}

// answerOf asks a producer that has the bundle.
func answerOf(t testing.TB, text string, signer dsse.Signer, nonce string, refs ...string) string {
	t.Helper()
	return respond(t, verifytest.Bundle(t, text), signer, nonce, refs...)
}

var respondedAt = time.Date(2026, time.July, 18, 8, 0, 0, 123_999_999, time.FixedZone("", 7200))

func respond(t testing.TB, b *bundle.Bundle, signer dsse.Signer, nonce string, refs ...string) string {
	t.Helper()
	store, err := producer.NewMemoryStore(b)
	if err != nil {
		t.Fatal(err)
	}
	r, err := producer.NewResponder(store, producer.ResponderOptions{Source: b.Source(), StatusFunctionVersion: string(status.DefaultVersion), Signer: signer})
	if err != nil {
		t.Fatal(err)
	}
	response, err := r.Respond(t.Context(), refs, respondedAt, nonce)
	if err != nil {
		t.Fatal(err)
	}
	return string(response.JSON)
}

// outcomeOf returns the codes of a receipt and the statuses of the first claim.
func outcomeOf(r *receiver.Receipt) string {
	var codes []string
	for _, o := range r.Outcomes {
		codes = append(codes, string(o.Code))
	}
	if len(r.Claims) == 0 {
		return strings.Join(codes, " ")
	}
	return strings.TrimSpace(fmt.Sprintf("%s->%s %s", r.Claims[0].Before, r.Claims[0].After, strings.Join(codes, " ")))
}

func receive(t testing.TB, held, answer string, options receiver.Options) *receiver.Receipt {
	t.Helper()
	if options.Function == nil {
		options.Function = verifytest.Function(t, "2026-07-18T06:10:00Z") // ten minutes after the answers
	}
	return receiver.Receive(verifytest.Bundle(t, held), []receiver.Answer{{Text: answer}}, options)
}

func TestReceive(t *testing.T) {
	revocation := "," + verifytest.SceneEvent("w", "revoked", "2026-02-02T00:00:00Z", "")
	for name, tt := range map[string]struct {
		producer func(*Scene)
		require  record.VerificationStatus
		want     string
	}{
		"nothing new":               {asHeld, record.StatusVerified, "verified->verified"},
		"revoked":                   {func(s *Scene) { s.Events += revocation }, "", "verified->stale STATUS_FELL"},
		"revoked, but not required": {func(s *Scene) { s.Events += revocation }, record.StatusVerified, "verified->stale STATUS_FELL STATUS_NOT_MET"},
		"other evidence came": {func(s *Scene) {
			s.Evidence += "," + verifytest.ScenePiece("f", `"observedAt":"2026-02-03T00:00:00Z","passing":false`)
		}, "", "verified->disputed STATUS_FELL"},
		"the claim's status alone": {func(s *Scene) { s.Claim = `"verificationPolicyId":"p","status":"assumed"` }, "", "verified->verified CHANGED"},
		"the claim has expired":    {func(s *Scene) { s.Claim += `,"expiresAt":"2026-02-15T00:00:00Z"` }, "", "verified->stale CHANGED STATUS_FELL"},
		"the trace was revoked": {func(s *Scene) {
			s.Traces = verifytest.SceneTrace(`,"claimIds":["c"],"revokedAt":"2026-01-15T00:00:00Z"`)
		}, "", "verified->verified CHANGED"},
		"another policy":          {func(s *Scene) { s.Policy = strings.Replace(s.Policy, "test_output", "attestation", 1) }, "", "verified->verified"},
		"other evidence, same id": {func(s *Scene) { s.Evidence = strings.Replace(s.Evidence, `"s"`, `"z"`, 1) }, "", "verified-> MERGE_COLLISION"},
		"another event, same id":  {func(s *Scene) { s.Events = strings.Replace(s.Events, "ann", "bob", 1) }, record.StatusVerified, "verified-> MERGE_COLLISION"},
		"both": {func(s *Scene) {
			s.Claim += `,"facet":"x"`
			s.Events = strings.Replace(s.Events, "ann", "bob", 1)
		}, "", "verified-> CHANGED CLAIM_REPLACED MERGE_COLLISION"},
		"another spelling": {func(s *Scene) { s.Events = strings.Replace(s.Events, `"ann"`, `"\u0061nn"`, 1) }, "", "verified->verified"},
		"the latest schema": {func(s *Scene) {
			s.Evidence += "," + strings.Replace(verifytest.ScenePiece("f", `"observedAt":"2026-02-03T00:00:00Z","passing":true`), "test_output", "runtime_observation", 1)
		}, "", "verified->verified"},
	} {
		answer := answerOf(t, scene(tt.producer), nil, "", "c")
		r := receive(t, scene(asHeld), answer, receiver.Options{Require: tt.require})
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
	noEvents := func(s *Scene) { s.Events = ""; s.Claim = `"verificationPolicyId":"p"` }
	for _, status := range bundle.Statuses() {
		answer := answerOf(t, scene(func(s *Scene) {
			noEvents(s)
			s.Claim += `,"status":"` + status + `","producerStatus":"` + status + `"`
		}), nil, "", "c")
		if got := outcomeOf(receive(t, scene(noEvents), answer, receiver.Options{})); got != "proposed->proposed CHANGED" {
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
		"unknown field":      {strings.Replace(answer, `"fieldOrBehavior"`, `"surface":"x","fieldOrBehavior"`, 1), "verified-> UNREADABLE"},
		"a later profile":    {strings.Replace(answer, `"nonce":"n"`, `"later":{},"nonce":"n"`, 1), "verified->verified"},
		"a later answer":     {`{"later":1,` + answer[1:], "verified->verified"},
		"envelope is null":   {strings.TrimSuffix(answer, "}") + `,"envelope":null}`, "verified->verified"},
		"envelope unread":    {strings.TrimSuffix(answer, "}") + `,"envelope":7}`, "verified->verified"},
		"the bundle alone":   {strings.TrimSuffix(strings.TrimPrefix(answer, `{"bundle":`), "}"), "verified->verified"},
		"dangling ids":       {strings.Replace(answer, `"evidenceIds":["e"]`, `"evidenceIds":["gone"]`, 1), "verified-> MERGE_COLLISION"},
		"odd times":          {strings.Replace(answer, `"events":[`, `"events":[`+verifytest.SceneEvent("w", "rejected", "yesterday", "")+`,`, 1), "verified->verified"},
		"a claim twice":      {strings.Replace(answer, `"claims":[`, `"claims":[`+otherClaim+`,`, 1), "verified-> MERGE_COLLISION"},
		"other claims":       {answerOf(t, verifytest.Linked, nil, "n", "c1"), "verified-> UNKNOWN_REF"},
		"no claims":          {answerOf(t, held, nil, "n", "x"), "verified-> UNKNOWN_REF"},
	} {
		r := receiver.Receive(verifytest.Bundle(t, held), []receiver.Answer{{Text: tt.answer}}, receiver.Options{Function: verifytest.Function(t, "2026-07-18T06:10:00Z")})
		if got := outcomeOf(r); got != tt.want {
			t.Errorf("%s: %s, want %s (%+v)", name, got, tt.want, r.Outcomes)
		}
	}
	for nonce, want := range map[string]string{"n": "verified->verified", "m": "verified-> NONCE_MISMATCH", "": "verified->verified"} {
		r := receiver.Receive(verifytest.Bundle(t, held), []receiver.Answer{{Text: answer, Nonce: nonce}}, receiver.Options{Function: verifytest.Function(t, "2026-07-18T06:10:00Z")})
		if got := outcomeOf(r); got != want {
			t.Errorf("nonce %q: %s, want %s", nonce, got, want)
		}
	}
	none := `{"schemaVersion":5,"source":"s","claims":[],"evidence":[],"policies":[],"events":[]}`
	if got := outcomeOf(receive(t, none, answer, receiver.Options{})); got != "NOTHING_HELD" {
		t.Errorf("nothing held: %s", got)
	}
	if got := outcomeOf(receiver.Receive(verifytest.Bundle(t, held), nil, receiver.Options{Function: functionNow(t)})); got != "verified-> UNKNOWN_REF" {
		t.Errorf("no answer at all: %s", got)
	}
}

const otherClaim = `{"id":"c","subjectType":"s","subjectId":"i","claimType":"t","fieldOrBehavior":"f","value":2,"createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z"}`

func TestReceiveSigned(t *testing.T) {
	ed, curve, other := verifytest.NewEd25519(t), verifytest.NewP256(t), verifytest.NewEd25519(t)
	held := scene(asHeld)
	answer := answerOf(t, held, ed.Signer, "", "c")
	old := answerOf(t, scene(func(s *Scene) { s.Claim += `,"facet":"x"` }), ed.Signer, "", "c")
	envelope := func(answer string) string { return answer[strings.Index(answer, `,"envelope":`):] }
	bundle := func(answer string) string { return answer[:strings.Index(answer, `,"envelope":`)] }
	sign := func(payloadType, payload string) string {
		sig, err := ed.Signer.Sign(t.Context(), dsse.AppendPAE(nil, payloadType, []byte(payload)))
		if err != nil {
			t.Fatal(err)
		}
		e := dsse.Envelope{PayloadType: payloadType, Payload: []byte(payload), Signatures: []record.DSSESignature{{KeyID: ed.Public.ID(), Sig: sig}}}
		return bundle(answer) + `,"envelope":` + string(e.AppendJSON(nil)) + `}`
	}
	statement := payloadOf(t, answer)
	keyless := strings.Replace(answer, `"keyid":"`+ed.Public.ID()+`",`, ``, 1)
	both := answerOf(t, held, curve.Signer, "", "c")
	for name, tt := range map[string]struct {
		answer string
		keys   []verifytest.KeyPair
		want   string
	}{
		"the key":              {answer, []verifytest.KeyPair{ed}, "verified->verified"},
		"among others":         {answer, []verifytest.KeyPair{other, curve, ed}, "verified->verified"},
		"P-256":                {both, []verifytest.KeyPair{curve}, "verified->verified"},
		"no key asked for":     {answer, nil, "verified->verified"},
		"another key":          {answer, []verifytest.KeyPair{other}, "verified-> NO_KEY"},
		"another kind of key":  {answer, []verifytest.KeyPair{curve}, "verified-> NO_KEY"},
		"no key id":            {keyless, []verifytest.KeyPair{ed}, "verified->verified"},
		"a foreign key id":     {strings.Replace(answer, ed.Public.ID(), "our-key-3", 1), []verifytest.KeyPair{ed}, "verified->verified"},
		"somebody else's id":   {strings.Replace(answer, ed.Public.ID(), other.Public.ID(), 1), []verifytest.KeyPair{other}, "verified-> BAD_SIGNATURE"},
		"no signature":         {answer[:strings.Index(answer, `"signatures":`)] + `"signatures":[]}}`, []verifytest.KeyPair{ed}, "verified-> NO_KEY"},
		"no envelope":          {bundle(answer) + "}", []verifytest.KeyPair{ed}, "verified-> UNSIGNED"},
		"null for an envelope": {bundle(answer) + `,"envelope":null}`, []verifytest.KeyPair{ed}, "verified-> UNSIGNED"},
		"a malformed envelope": {bundle(answer) + `,"envelope":{}}`, []verifytest.KeyPair{ed}, "verified-> BAD_SIGNATURE"},
		"another one's bundle": {bundle(old) + envelope(answer), []verifytest.KeyPair{ed}, "verified-> PAYLOAD_MISMATCH"},
		"respelled bundle":     {strings.Replace(answer, `"value":1,`, `"value":1.0,`, 1), []verifytest.KeyPair{ed}, "verified->verified"},
		"another payload type": {sign("text/plain", statement), []verifytest.KeyPair{ed}, "verified-> PAYLOAD_MISMATCH"},
		"no statement":         {sign(dsse.PayloadType, "{}"), []verifytest.KeyPair{ed}, "verified-> PAYLOAD_MISMATCH"},
		"another statement":    {sign(dsse.PayloadType, strings.Replace(statement, "Statement/v1", "Statement/v0.1", 1)), []verifytest.KeyPair{ed}, "verified-> PAYLOAD_MISMATCH"},
		"another predicate":    {sign(dsse.PayloadType, strings.Replace(statement, "hachure.org/v1/bundle", "slsa.dev/provenance/v1", 1)), []verifytest.KeyPair{ed}, "verified-> PAYLOAD_MISMATCH"},
		"a statement, respelt": {sign(dsse.PayloadType, " "+statement+"\n"), []verifytest.KeyPair{ed}, "verified->verified"},
		"two bundles":          {sign(dsse.PayloadType, strings.Replace(statement, `"predicate":`, `"predicate":{},"predicate":`, 1)), []verifytest.KeyPair{ed}, "verified-> PAYLOAD_MISMATCH"},
		"not JSON at all":      {sign(dsse.PayloadType, "hello"), []verifytest.KeyPair{ed}, "verified-> PAYLOAD_MISMATCH"},
		"a second signature":   {strings.Replace(answer, `"signatures":[`, `"signatures":[{"sig":"AAAA"},`, 1), []verifytest.KeyPair{ed}, "verified->verified"},
	} {
		var options receiver.Options
		for _, pair := range tt.keys {
			options.Keys = append(options.Keys, pair.Public)
		}
		r := receive(t, held, tt.answer, options)
		if got := outcomeOf(r); got != tt.want {
			t.Errorf("%s: %s, want %s (%+v)", name, got, tt.want, r.Outcomes)
		}
		if signed := len(r.Answers) == 1 && r.Answers[0].KeyID != ""; signed != (len(tt.keys) > 0 && tt.want == "verified->verified") {
			t.Errorf("%s: answers %v", name, r.Answers)
		}
	}
}

func payloadOf(t testing.TB, answer string) string {
	t.Helper()
	var a struct{ Envelope struct{ Payload string } }
	verifytest.Decode(t, answer, &a)
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
	pair := verifytest.NewEd25519(t)
	held := scene(asHeld)
	answer := answerOf(t, held, pair.Signer, "", "c")
	b := verifytest.Bundle(t, held)
	options := receiver.Options{Keys: []*dsse.PublicKey{pair.Public}, Function: verifytest.Function(t, "2026-07-18T06:10:00Z")}
	hint := strings.Index(answer, `"keyid":"`)
	hintEnd := hint + len(`"keyid":"`) + len(pair.Public.ID()) + len(`"`)
	if hint < 0 || outcomeOf(receiver.Receive(b, []receiver.Answer{{Text: answer}}, options)) != "verified->verified" {
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
			if r := receiver.Receive(b, []receiver.Answer{{Text: text}}, options); r.Severity() == receiver.Notice {
				t.Fatalf("byte %d, %q for %q, passes: %.100s", i, changed, answer[i], answer[max(0, i-50):])
			}
		}
		if r := receiver.Receive(b, []receiver.Answer{{Text: answer[:i] + answer[i+1:]}}, options); r.Severity() == receiver.Notice {
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
	claims = append(claims, strings.Replace(otherClaim, `"id":"c"`, `"id":"`+strings.Repeat("x", bundle.MaxRefBytes+1)+`"`, 1))
	held := `{"schemaVersion":5,"source":"s","claims":[` + strings.Join(claims, ",") + `],"evidence":[],"policies":[],"events":[]}`
	questions := receiver.Questions(verifytest.Bundle(t, held))
	var sizes []int
	var answers []receiver.Answer
	for _, refs := range questions {
		sizes = append(sizes, len(refs))
		answers = append(answers, receiver.Answer{Text: answerOf(t, held, nil, "n", refs...), Nonce: "n"})
	}
	if !slices.Equal(sizes, []int{256, 256, 88}) {
		t.Fatalf("questions of %v", sizes)
	}
	options := receiver.Options{Function: functionNow(t)}
	r := receiver.Receive(verifytest.Bundle(t, held), answers, options)
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
	if got := outcomeOf(receiver.Receive(verifytest.Bundle(t, held), answers, options)); got != "unknown-> MERGE_COLLISION" {
		t.Errorf("contradicting answers: %s", got)
	}
	answers[1].Nonce = "another"
	if got := outcomeOf(receiver.Receive(verifytest.Bundle(t, held), answers, options)); got != "unknown-> NONCE_MISMATCH" {
		t.Errorf("one wrong nonce: %s", got)
	}
}

// Every outcome has its weight.
func TestGravity(t *testing.T) {
	for code, want := range map[record.OutcomeCode]receiver.Severity{
		"UNREACHABLE": receiver.Failure, "UNREADABLE": receiver.Failure, "NOTHING_HELD": receiver.Failure, "UNKNOWN_REF": receiver.Failure, "NO_KEY": receiver.Failure,
		"UNSIGNED": receiver.Refusal, "BAD_SIGNATURE": receiver.Refusal, "PAYLOAD_MISMATCH": receiver.Refusal, "NONCE_MISMATCH": receiver.Refusal,
		"REFS_MISMATCH": receiver.Refusal, "MERGE_COLLISION": receiver.Refusal, "STATUS_FELL": receiver.Refusal, "STATUS_NOT_MET": receiver.Refusal,
		"CHANGED": receiver.Notice, "OTHER_VERSION": receiver.Notice, "LEFT_ASIDE": receiver.Notice, "FUTURE_EVENT": receiver.Notice,
	} {
		r := receiver.NewReceipt(functionNow(t))
		r.Add("CHANGED", "x")
		r.Add(code, "x")
		if r.Severity() != want || r.Now != "2026-07-18T06:00:00.123999999Z" {
			t.Errorf("%s: %d, %s", code, r.Severity(), r.Now)
		}
	}
}

// The worst outcome decides, wherever it is.
func TestWorstOutcome(t *testing.T) {
	r := receiver.NewReceipt(functionNow(t))
	for _, code := range []record.OutcomeCode{record.OutcomeUnreachable, record.OutcomeStatusFell, record.OutcomeChanged} {
		r.Add(code, "x")
	}
	if r.Severity() != receiver.Failure {
		t.Errorf("severity %d", r.Severity())
	}
}

// A receipt as JSON has every member, lists for nil, and text that is UTF-8. A notice is
// no failure.
func TestReceiptJSON(t *testing.T) {
	r := receiver.NewReceipt(functionNow(t))
	const now = `"now":"2026-07-18T06:00:00.123999999Z"`
	if got, want := string(r.JSON()), `{"answers":[],"claims":[],`+now+`,"ok":true,"outcomes":[],"statusFunctionVersion":"4"}`; got != want {
		t.Errorf("nothing so far: %s, want %s", got, want)
	}
	r.Claims = []record.ClaimReceipt{
		{ID: "c", Before: record.StatusVerified, After: record.StatusStale, Answered: true, Note: "why"},
		{ID: "d", Before: record.StatusUnknown, Changed: true},
	}
	r.Answers = []record.AnswerReceipt{{AgeSeconds: record.NewFloat(-60), Digest: "sha256:00", KeyID: "k", RespondedAt: "2026", Source: "s", StatusFunctionVersion: "4"}, {}}
	r.Add(record.OutcomeChanged, "no \xff text", bundle.KindClaim.RecordID("d"))
	claims := `{"answers":[{"ageSeconds":-60,"digest":"sha256:00","keyId":"k","respondedAt":"2026","source":"s","statusFunctionVersion":"4"},` +
		`{"ageSeconds":null,"digest":"","keyId":null,"respondedAt":"","source":"","statusFunctionVersion":""}],` +
		`"claims":[{"after":"stale","answered":true,"before":"verified","changed":false,"id":"c","note":"why","replaced":false},` +
		`{"after":null,"answered":false,"before":"unknown","changed":true,"id":"d","note":null,"replaced":false}],` + now
	changed := `{"code":"CHANGED","message":"no ` + "\uFFFD" + ` text","records":[{"collection":"claims","id":"d"}]}`
	if got, want := string(r.JSON()), claims+`,"ok":true,"outcomes":[`+changed+`],"statusFunctionVersion":"4"}`; got != want {
		t.Errorf("a notice: %s, want %s", got, want)
	}
	r.Add(record.OutcomeStatusFell, "x")
	if got, want := string(r.JSON()), claims+`,"ok":false,"outcomes":[`+changed+`,{"code":"STATUS_FELL","message":"x","records":[]}],"statusFunctionVersion":"4"}`; got != want {
		t.Errorf("a refusal: %s, want %s", got, want)
	}
}

// two is a bundle of claims c and d. Of c somebody said that it is verified, of d that
// it is revoked. In dispute is what ann says of d, for whom there is no trace.
func two(t testing.TB, mutate func(*storetest.Draft)) string {
	t.Helper()
	at := func(created string) string { return member("createdAt", `"`+created+`"`) }
	event := func(id, claim, status, actor, created string, members ...string) string {
		text := storetest.Event(id, claim, actor, members...)
		text = strings.Replace(text, `"status":"verified"`, `"status":"`+status+`"`, 1)
		return strings.Replace(text, `,"createdAt":"2026-01-01T00:00:00Z"`, at(created), 1)
	}
	d := storetest.Draft{
		Claims:   []string{storetest.Claim("c"), storetest.Claim("d")},
		Evidence: []string{attested("e", "c"), attested("f", "d")},
		Events: []string{
			event("v1", "c", "verified", "bob", "2026-01-01T00:00:00Z"),
			event("v2", "d", "verified", "ann", "2026-01-01T00:00:00Z", member("resolvesDispute", "true")),
			event("v3", "d", "revoked", "bob", "2026-01-02T00:00:00Z"),
		},
	}
	mutate(&d)
	return strings.Replace(d.Text(), `"policies":[]`, `"policies":[{"id":"p","claimType":"speed","requiredEvidence":["attestation"],"validityRule":{"kind":"manual"},
		"acceptanceCriteria":[],"reviewAuthority":"r","stalenessTriggers":[],"conflictRules":[],"impactLevel":"low"}]`, 1)
}

// An answer speaks only for claims that it has and that were asked for. What else it
// has changes nothing, and is named.
func TestAnswersSpeakForTheirClaims(t *testing.T) {
	held := two(t, func(d *storetest.Draft) { d.AuthorityTrace = []string{storetest.Trace("held", "bob", nil)} })
	verifies := strings.Replace(storetest.Event("v4", "d", "bob"), `"2026-01-01T00:00:00Z"`, `"2026-01-03T00:00:00Z"`, 1)
	failing := storetest.Evidence("g", "d", member("passing", "false"))
	trace := storetest.Trace("t", "ann", nil)
	// with returns an answer about the claim c that has other records too.
	with := func(list, record string) string {
		answer := answerOf(t, held, nil, "", "c")
		return strings.Replace(strings.Replace(answer, `"`+list+`":[`, `"`+list+`":[`+record+`,`, 1), ",]", "]", 1)
	}
	for name, tt := range map[string]struct {
		answer string
		refs   []string // that were asked for, nil for all
		want   string   // the statuses of c and d, and the outcomes
		aside  string
	}{
		"the claim alone":              {answerOf(t, held, nil, "", "c"), []string{"c"}, "verified->verified stale->stale", ""},
		"an event of the other":        {with("events", verifies), []string{"c"}, "verified->verified stale->stale LEFT_ASIDE", "events v4"},
		"and nobody knows the refs":    {with("events", verifies), nil, "verified->verified stale->stale LEFT_ASIDE", "events v4"},
		"evidence of the other":        {with("evidence", failing), []string{"c"}, "verified->verified stale->stale LEFT_ASIDE", "evidence g"},
		"a trace for the other":        {with("authorityTrace", trace), []string{"c"}, "verified->verified stale->stale LEFT_ASIDE", "authorityTrace t"},
		"a trace that names both":      {with("authorityTrace", storetest.Trace("t", "ann", []string{"c", "d"})), []string{"c"}, "verified->verified stale->stale", ""},
		"a trace that names the claim": {with("authorityTrace", storetest.Trace("t", "zoe", []string{"c"})), []string{"c"}, "verified->verified stale->stale", ""},
		"a trace of the claim's actor": {with("authorityTrace", storetest.Trace("t", "bob", nil)), []string{"c"}, "verified->verified stale->stale", ""},
		"a trace of an actor whose event is held": {
			strings.Replace(answerOf(t, two(t, func(d *storetest.Draft) { d.Events = d.Events[1:] }), nil, "", "c"), `"metadata":`, `"authorityTrace":[`+storetest.Trace("t", "bob", nil)+`],"metadata":`, 1),
			[]string{"c"}, "verified->verified stale->stale", ""},
		"a trace of an actor whose event is answered": {
			answerOf(t, two(t, func(d *storetest.Draft) {
				d.Events = append(d.Events, storetest.Event("v5", "c", "eve"))
				d.AuthorityTrace = []string{storetest.Trace("t", "eve", nil)}
			}), nil, "", "c"),
			[]string{"c"}, "verified->verified stale->stale", ""},
		"records of others in order": {
			strings.Replace(with("authorityTrace", trace), `"claims":[`, `"claims":[`+storetest.Claim("x")+`,`, 1),
			nil, "verified->verified stale->stale LEFT_ASIDE", "authorityTrace t claims x"},
		"a claim and a trace that moved on": {
			answerOf(t, two(t, func(d *storetest.Draft) {
				d.Claims[0] = storetest.Claim("c", member("ttlSeconds", "1e9"))
				d.AuthorityTrace = []string{storetest.Trace("held", "bob", nil, member("revokedAt", `"2026-02-01T00:00:00Z"`))}
			}), nil, "", "c"),
			[]string{"c"}, "verified->verified stale->stale CHANGED", "authorityTrace held claims c"},
		"a claim that nobody holds":    {with("claims", storetest.Claim("x")), nil, "verified->verified stale->stale LEFT_ASIDE", "claims x"},
		"both, one of which was asked": {answerOf(t, two(t, func(d *storetest.Draft) { d.Events = append(d.Events, verifies) }), nil, "", "c", "d"), []string{"c"}, "REFS_MISMATCH", ""},
		"the other too, not asked for": {
			strings.Replace(answerOf(t, two(t, func(d *storetest.Draft) { d.Events = append(d.Events, verifies) }), nil, "", "c", "d"), `"requestedRefs":["c","d"]`, `"requestedRefs":["c"]`, 1),
			[]string{"c"}, "verified->verified stale->stale LEFT_ASIDE", "events v4"},
		"other evidence under a held id": {with("evidence", strings.Replace(attested("f", "d"), `"excerptOrSummary":"`, `"excerptOrSummary":"z`, 1)), []string{"c"}, "verified->verified stale->stale LEFT_ASIDE", "evidence f"},
		"the held one and another": {
			with("evidence", attested("f", "d")+","+strings.Replace(attested("f", "d"), `"excerptOrSummary":"`, `"excerptOrSummary":"z`, 1)),
			[]string{"c"}, "verified->verified stale->stale LEFT_ASIDE", "evidence f"},
		"what is held already": {with("events", storetest.Event("v1", "c", "bob")), []string{"c"}, "verified->verified stale->stale", ""},
		"both were asked for":  {answerOf(t, two(t, func(d *storetest.Draft) { d.Events = append(d.Events, verifies) }), nil, "", "c", "d"), []string{"c", "d"}, "verified->verified stale->verified", ""},
		"and the trace":        {answerOf(t, two(t, func(d *storetest.Draft) { d.AuthorityTrace = []string{trace} }), nil, "", "c", "d"), []string{"c", "d"}, "verified->verified stale->verified", ""},
	} {
		r := receiver.Receive(verifytest.Bundle(t, held), []receiver.Answer{{Text: tt.answer, Refs: tt.refs}}, receiver.Options{Function: verifytest.Function(t, "2026-07-18T06:10:00Z")})
		var got []string
		aside := ""
		for _, c := range r.Claims {
			if c.After != "" {
				got = append(got, string(c.Before+"->"+c.After))
			}
		}
		for _, o := range r.Outcomes {
			got = append(got, string(o.Code))
			for _, id := range o.Records {
				aside = strings.TrimSpace(aside + " " + id.Collection + " " + id.ID)
			}
		}
		if strings.Join(got, " ") != tt.want || aside != tt.aside {
			t.Errorf("%s: %q, %q, want %q, %q", name, strings.Join(got, " "), aside, tt.want, tt.aside)
		}
	}
}

// An outcome names at most 1,000 records, the first ones.
func TestManyRecordsLeftAside(t *testing.T) {
	held := two(t, func(*storetest.Draft) {})
	var others []string
	for i := range 1001 {
		others = append(others, storetest.Claim(fmt.Sprintf("x%04d", i)))
	}
	answer := strings.Replace(answerOf(t, held, nil, "", "c"), `"claims":[`, `"claims":[`+strings.Join(others, ",")+`,`, 1)
	r := receive(t, held, answer, receiver.Options{})
	if len(r.Outcomes) != 1 || len(r.Outcomes[0].Records) != 1000 || r.Outcomes[0].Records[999].ID != "x0999" || !strings.Contains(r.Outcomes[0].Message, "1001 records") {
		t.Errorf("%d outcomes, the first about %d records", len(r.Outcomes), len(r.Outcomes[0].Records))
	}
}

// Of records left aside the first ones by collection and id are named, those of a
// collection that is read last too.
func TestManyRecordsOfTwoCollections(t *testing.T) {
	held := two(t, func(*storetest.Draft) {})
	others := make([]string, 1000)
	for i := range others {
		others[i] = storetest.Claim(fmt.Sprintf("x%04d", i))
	}
	answer := strings.Replace(answerOf(t, held, nil, "", "c"), `"claims":[`, `"claims":[`+strings.Join(others, ",")+`,`, 1)
	answer = strings.Replace(answer, `"metadata":`, `"authorityTrace":[`+storetest.Trace("t", "zoe", nil)+`],"metadata":`, 1)
	r := receive(t, held, answer, receiver.Options{})
	if len(r.Outcomes) != 1 || len(r.Outcomes[0].Records) != 1000 ||
		r.Outcomes[0].Records[0] != bundle.KindTrace.RecordID("t") || r.Outcomes[0].Records[999] != bundle.KindClaim.RecordID("x0998") {
		t.Errorf("%d outcomes, the first about %d records: %.300s", len(r.Outcomes), len(r.Outcomes[0].Records), r.JSON())
	}
}

// Contradictions among answers, and collisions with what is held, are named in the order
// of collections and ids, at most 1,000 contradictions.
func TestOrderOfCollisions(t *testing.T) {
	held := two(t, func(d *storetest.Draft) {
		d.Evidence = append(d.Evidence, attested("b", "c"), attested("a", "c"))
	})
	answer := answerOf(t, held, nil, "", "c")
	other := strings.NewReplacer(`"actor":"bob"`, `"actor":"eve"`, `"excerptOrSummary":"`, `"excerptOrSummary":"z`).Replace(answer)
	if other == answer {
		t.Fatalf("nothing differs in %s", answer)
	}
	want := []record.RecordID{
		{Collection: "events", ID: "v1"}, {Collection: "evidence", ID: "a"}, {Collection: "evidence", ID: "b"}, {Collection: "evidence", ID: "e"},
	}
	for name, answers := range map[string][]receiver.Answer{
		"the answer and what is held": {{Text: other}},
		"two answers":                 {{Text: other}, {Text: answer}},
	} {
		r := receiver.Receive(verifytest.Bundle(t, held), answers, receiver.Options{Function: functionNow(t)})
		if outcomeOf(r) != "verified-> MERGE_COLLISION" || !slices.Equal(r.Outcomes[0].Records, want) {
			t.Errorf("%s: %+v", name, r.Outcomes)
		}
	}
	var pieces [2][]string
	for i := range 1001 {
		piece := attested(fmt.Sprintf("p%04d", i), "c")
		pieces[0] = append(pieces[0], piece)
		pieces[1] = append(pieces[1], strings.Replace(piece, `"excerptOrSummary":"`, `"excerptOrSummary":"z`, 1))
	}
	many := strings.Replace(answer, `"evidence":[`, `"evidence":[`+strings.Join(slices.Concat(pieces[0], pieces[1]), ",")+`,`, 1)
	r := receive(t, held, many, receiver.Options{})
	if o := r.Outcomes; len(o) != 1 || o[0].Code != record.OutcomeMergeCollision || len(o[0].Records) != 1000 || o[0].Records[999].ID != "p0999" || !strings.Contains(o[0].Message, " 1001 ids") {
		t.Errorf("many contradictions: %d outcomes, the first about %d records", len(o), len(o[0].Records))
	}
}

// A status that is required is required of every held claim, and an answer must have
// said so.
func TestRequireOfEveryClaim(t *testing.T) {
	held := two(t, func(d *storetest.Draft) {
		d.Events = []string{storetest.Event("v1", "c", "bob"), storetest.Event("v2", "d", "bob")}
	})
	r := receive(t, held, answerOf(t, held, nil, "", "c"), receiver.Options{Require: record.StatusVerified})
	if len(r.Outcomes) != 1 || r.Outcomes[0].Code != record.OutcomeStatusNotMet || !slices.Equal(r.Outcomes[0].Records, []record.RecordID{{Collection: "claims", ID: "d"}}) ||
		r.Outcomes[0].Message != "1 of 2 held claims are not confirmed as verified" || r.Claims[1].After != record.StatusVerified {
		t.Errorf("%s", r.JSON())
	}
	if r := receive(t, held, answerOf(t, held, nil, "", "c", "d"), receiver.Options{Require: record.StatusVerified}); len(r.Outcomes) != 0 {
		t.Errorf("both are answered: %s", r.JSON())
	}
}

// Values of an answer are repeated by their first characters alone, whatever is wrong.
func TestMessagesAreShort(t *testing.T) {
	long := strings.Repeat("q", 300_000)
	held := verifytest.Bundle(t, scene(asHeld))
	answer := answerOf(t, scene(asHeld), nil, "", "c")
	for name, text := range map[string]string{
		"answered and unknown": strings.NewReplacer(`"claims":[`, `"claims":[`+storetest.Claim(long)+`,`, `"unknownRefs":[]`, `"unknownRefs":["`+long+`"]`).Replace(answer),
		"another version":      strings.Replace(answer, `"statusFunctionVersion":"4"`, `"statusFunctionVersion":"`+long+`"`, 1),
		"an unknown field":     strings.Replace(answer, `"claims":[`, `"`+long+`":1,"claims":[`, 1),
		"an event":             strings.Replace(answer, `"events":[`, `"events":[`+verifytest.SceneEvent(long, "rejected", "2026-02-02T00:00:00Z", "")+`,`, 1),
	} {
		r := receiver.Receive(held, []receiver.Answer{{Text: text}}, receiver.Options{Function: verifytest.Function(t, "2026-07-18T06:10:00Z")})
		if len(r.Outcomes) == 0 {
			t.Errorf("%s: nothing is said", name)
		}
		for _, o := range r.Outcomes {
			if len(o.Message) > 1000 {
				t.Errorf("%s: %s is a message of %d bytes", name, o.Code, len(o.Message))
			}
		}
		for _, c := range r.Claims {
			if len(c.Note) > 200 {
				t.Errorf("%s: a claim fell for a reason of %d bytes", name, len(c.Note))
			}
		}
	}
}

// What an answer says of its question must be true.
func TestRefsMismatch(t *testing.T) {
	held := scene(asHeld)
	pair := verifytest.NewEd25519(t)
	b := verifytest.Bundle(t, held)
	answer := answerOf(t, held, pair.Signer, "", "c")
	statement := payloadOf(t, answer)
	// signed returns the answer with another statement, signed rightly.
	signed := func(old, new string) string {
		changed := strings.Replace(statement, old, new, 1)
		if changed == statement {
			t.Fatalf("%s has no %s", statement, old)
		}
		e, err := dsse.Sign(t.Context(), []byte(changed), pair.Signer)
		if err != nil {
			t.Fatal(err)
		}
		return answer[:strings.Index(answer, `,"envelope":`)] + `,"envelope":` + string(e.AppendJSON(nil)) + `}`
	}
	for name, tt := range map[string]struct {
		answer string
		refs   []string
		keys   []*dsse.PublicKey
		want   string
	}{
		"to this question":            {answer, []string{"c"}, []*dsse.PublicKey{pair.Public}, "verified->verified"},
		"nobody knows the question":   {answer, nil, []*dsse.PublicKey{pair.Public}, "verified->verified"},
		"beside a member of a bundle": {strings.Replace(answer, `{"bundle"`, `{"schemaVersion":9,"bundle"`, 1), []string{"c"}, []*dsse.PublicKey{pair.Public}, "verified->verified"},
		"to another one":              {answer, []string{"d"}, nil, "verified-> REFS_MISMATCH"},
		"to half of it":               {answer, []string{"c", "d"}, nil, "verified-> REFS_MISMATCH"},
		"to more":                     {answerOf(t, held, nil, "", "c", "d"), []string{"c"}, nil, "verified-> REFS_MISMATCH"},
		"in another order":            {answerOf(t, held, nil, "", "d", "c"), []string{"c", "d"}, nil, "verified-> REFS_MISMATCH"},
		"answered and unknown":        {strings.Replace(answer, `"unknownRefs":[]`, `"unknownRefs":["x","c"]`, 1), nil, nil, "verified-> REFS_MISMATCH"},
		"another subject":             {signed(`"name":"c"`, `"name":"d"`), []string{"c"}, []*dsse.PublicKey{pair.Public}, "verified-> REFS_MISMATCH"},
		"another digest":              {signed(`"integrity-ref":"c"`, `"integrity-ref":"d"`), nil, []*dsse.PublicKey{pair.Public}, "verified-> REFS_MISMATCH"},
		"one more subject":            {signed(`"subject":[`, `"subject":[{"digest":{"integrity-ref":"d"},"name":"d"},`), nil, []*dsse.PublicKey{pair.Public}, "verified-> REFS_MISMATCH"},
		"no subject":                  {signed(`{"digest":{"integrity-ref":"c"},"name":"c"}`, ``), nil, []*dsse.PublicKey{pair.Public}, "verified-> REFS_MISMATCH"},
		"a subject without a digest":  {signed(`{"digest":{"integrity-ref":"c"},"name":"c"}`, `{"digest":{},"name":"c"}`), nil, []*dsse.PublicKey{pair.Public}, "verified-> PAYLOAD_MISMATCH"},
		"subjects that nobody checks": {signed(`"name":"c"`, `"name":"d"`), []string{"c"}, nil, "verified->verified"},
	} {
		r := receiver.Receive(b, []receiver.Answer{{Text: tt.answer, Refs: tt.refs}}, receiver.Options{Function: verifytest.Function(t, "2026-07-18T06:10:00Z"), Keys: tt.keys})
		if got := outcomeOf(r); got != tt.want {
			t.Errorf("%s: %s, want %s (%+v)", name, got, tt.want, r.Outcomes)
		}
	}
}

// An event that is dated after the instant of the statuses decides nothing yet, and is named.
func TestFutureEvents(t *testing.T) {
	revoked := func(at string) string {
		return scene(func(s *Scene) { s.Events += "," + verifytest.SceneEvent("w", "revoked", at, "") })
	}
	for at, want := range map[string]string{
		"2026-07-18T06:10:00Z":         "verified->stale",
		"2026-07-18T06:10:00.0000001Z": "verified->verified FUTURE_EVENT",
		"2026-07-18T05:10:01-01:00":    "verified->verified FUTURE_EVENT",
		"2026-07-18T07:09:59+01:00":    "verified->stale",
	} {
		r := receive(t, scene(asHeld), answerOf(t, revoked(at), nil, "", "c"), receiver.Options{AllowFall: true})
		if got := outcomeOf(r); got != want {
			t.Errorf("%s: %s, want %s", at, got, want)
		}
		if n := len(r.Outcomes); n > 0 && !slices.Equal(r.Outcomes[0].Records, []record.RecordID{{Collection: "events", ID: "w"}}) {
			t.Errorf("%s: %+v", at, r.Outcomes)
		}
	}
	// One that is held counts, as the status function has it.
	held := revoked("2026-12-01T00:00:00Z")
	if got := outcomeOf(receive(t, held, answerOf(t, scene(asHeld), nil, "", "c"), receiver.Options{})); got != "stale->stale FUTURE_EVENT" {
		t.Errorf("held: %s", got)
	}
	// It overrides no revocation either.
	answer := answerOf(t, scene(func(s *Scene) {
		s.Events += "," + verifytest.SceneEvent("w", "revoked", "2026-02-02T00:00:00Z", "") + "," + verifytest.SceneEvent("x", "verified", "2099-01-01T00:00:00Z", "")
	}), nil, "", "c")
	if got := outcomeOf(receive(t, scene(asHeld), answer, receiver.Options{AllowFall: true})); got != "verified->stale FUTURE_EVENT" {
		t.Errorf("a later verification: %s", got)
	}
}

// member is one more member of a record of package storetest, of a JSON value.
func member(name, value string) string { return `,"` + name + `":` + value }

// functionNow is the status function at the instant of the answers.
func functionNow(tb testing.TB) *status.Function {
	tb.Helper()
	return verifytest.Function(tb, timestamp.FromTime(respondedAt).String())
}

// attested is evidence of a kind that needs no result.
func attested(id, claim string) string {
	return strings.Replace(storetest.Evidence(id, claim), "test_output", "attestation", 1)
}

// A producer that derives by another version is named, once, and believed no less. The
// statuses are by the version that the receiver was given.
func TestOtherVersion(t *testing.T) {
	held := verifytest.Bundle(t, scene(asHeld))
	const now = "2026-07-18T06:10:00Z"
	answer := answerOf(t, scene(asHeld), nil, "", "c")
	for _, tt := range []struct {
		version status.Version
		told    string // as JSON
		want    string // the outcome's message, or what comes out
	}{
		{"4", `"4"`, ""},
		{"2", `"2"`, ""},
		{"4", `"2"`, `the producer derives statuses by version "2" of the status function; those here are by version 4`},
		{"3", `"4"`, `the producer derives statuses by version "4" of the status function; those here are by version 3`},
		{"4", `"5.1-beta"`, `the producer derives statuses by version "5.1-beta" of the status function; those here are by version 4`},
		{"4", `""`, `the producer derives statuses by version "" of the status function; those here are by version 4`},
		{"4", `"` + strings.Repeat("\\u001b", 50) + `"`, `the producer derives statuses by version "` + strings.Repeat(`\x1b`, 40) + `…" of the status function; those here are by version 4`},
		{"4", `4`, "UNREADABLE"},
		{"4", `null`, "UNREADABLE"},
	} {
		function, err := status.New(tt.version, now)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(answer, `"statusFunctionVersion":"4"`, `"statusFunctionVersion":`+tt.told, 1)
		r := receiver.Receive(held, []receiver.Answer{{Text: text}, {Text: text}}, receiver.Options{Function: function})
		got := ""
		for _, o := range r.Outcomes {
			if got = string(o.Code); o.Code == record.OutcomeOtherVersion {
				got = o.Message
			}
		}
		if got != tt.want || r.StatusFunctionVersion != string(tt.version) || len(r.Outcomes) > 1 || !strings.Contains(string(r.JSON()), `"statusFunctionVersion":"`+r.StatusFunctionVersion+`"`) {
			t.Errorf("version %s against %s: %q, want %q, in %s", tt.version, tt.told, got, tt.want, r.JSON())
		}
		if tt.want != "UNREADABLE" && (r.Severity() != receiver.Notice || r.Claims[0].After != record.StatusVerified) {
			t.Errorf("version %s against %s: %d, %+v", tt.version, tt.told, r.Severity(), r.Claims)
		}
	}
}

// A claim that no answer speaks for keeps its status, unless what it is derived from
// became worse; in version 2 it keeps it anyway.
func TestInputsOfClaimsThatAreNotAnswered(t *testing.T) {
	derived := func(d *storetest.Draft) {
		d.Claims[1] = storetest.Claim("d", member("derivedFrom", `["c"]`))
		d.Events = []string{storetest.Event("v1", "c", "bob"), storetest.Event("v2", "d", "bob")}
	}
	held := two(t, derived)
	answer := answerOf(t, two(t, func(d *storetest.Draft) {
		derived(d)
		revoked := strings.Replace(storetest.Event("v9", "c", "bob"), `"verified"`, `"revoked"`, 1)
		d.Events = append(d.Events, strings.Replace(revoked, "2026-01-01", "2026-01-02", 1))
	}), nil, "", "c")
	for _, version := range status.Versions() {
		function, err := status.New(version, "2026-03-01T00:00:00Z")
		if err != nil {
			t.Fatal(err)
		}
		want := record.StatusStale
		if version == status.Version2 {
			want = record.StatusVerified
		}
		r := receiver.Receive(verifytest.Bundle(t, held), []receiver.Answer{{Text: answer, Refs: []string{"c"}}}, receiver.Options{Function: function})
		if c := r.Claims; c[0].After != record.StatusStale || c[1].Before != record.StatusVerified || c[1].After != want || c[1].Answered {
			t.Errorf("version %s: %+v", version, c)
		}
		fell, reason := []string{"c"}, ""
		if want == record.StatusStale {
			fell, reason = []string{"c", "d"}, "what it rests on has changed or expired"
		}
		var named []string
		last := r.Outcomes[len(r.Outcomes)-1] // after that of another version
		for _, id := range last.Records {
			named = append(named, id.ID)
		}
		if last.Code != record.OutcomeStatusFell || !slices.Equal(named, fell) || string(r.Claims[1].Note) != reason {
			t.Errorf("version %s: %+v", version, r)
		}
	}
}

// An answer that declares an older version than it needs is refused, and one that says
// a failed run is inconclusive cannot meet a requirement.
func TestInconclusiveAnswers(t *testing.T) {
	piece := func(members string) string {
		return strings.Replace(scene(func(s *Scene) {
			s.Evidence += "," + verifytest.ScenePiece("f", `"observedAt":"2026-02-03T00:00:00Z",`+members)
		}), `"schemaVersion":5`, `"schemaVersion":9`, 1)
	}
	answer := answerOf(t, piece(`"supportStrength":"cited","inconclusive":{"reason":"timeout"}`), nil, "", "c")
	for name, tt := range map[string]struct{ text, want string }{
		"as it came":        {answer, "verified->verified"},
		"an older version":  {strings.Replace(answer, `"schemaVersion":9`, `"schemaVersion":7`, 1), "verified-> UNREADABLE"},
		"it is not cited":   {strings.Replace(answer, `"supportStrength":"cited",`, "", 1), "verified-> UNREADABLE"},
		"it has a result":   {strings.Replace(answer, `"inconclusive"`, `"passing":true,"inconclusive"`, 1), "verified-> UNREADABLE"},
		"a value, no table": {strings.Replace(answer, `"value":1,`, `"value":1,"conclusionConfidence":{"value":1,"interval":{"low":8,"high":-1}},`, 1), "verified->verified CHANGED"},
	} {
		if got := outcomeOf(receive(t, scene(asHeld), tt.text, receiver.Options{})); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// A receipt says why a claim is no longer verified; who accepts that has no refusal.
func TestFall(t *testing.T) {
	revoked := scene(func(s *Scene) {
		s.Events += "," + verifytest.SceneEvent("w1", "disputed", "2026-02-01T00:00:00Z", "") + "," + verifytest.SceneEvent("w2", "rejected", "2026-02-02T00:00:00+02:00", "") + "," +
			verifytest.SceneEvent("w3", "stale", "2026-02-01T12:00:00Z", "") + "," + verifytest.SceneEvent("w4", "stale", "2026-02-01T22:00:00Z", "")
	})
	for _, accepted := range []bool{false, true} {
		r := receive(t, scene(asHeld), answerOf(t, revoked, nil, "", "c"), receiver.Options{AllowFall: accepted})
		if got := r.Claims[0].Note; got != `event "w2" says rejected` {
			t.Errorf("it fell as %s", got)
		}
		if refused := r.Severity() == receiver.Refusal; refused == accepted {
			t.Errorf("accepted %v: %+v", accepted, r.Outcomes)
		}
	}
	long := strings.Repeat("w", 40)
	for want, mutate := range map[string]func(*Scene){
		`revoked by event "` + long + `"`: func(s *Scene) {
			s.Events += "," + verifytest.SceneEvent(long, "stale", "2026-02-02T00:00:00Z", `,"type":"invalidation"`)
		},
		`revoked by event "` + long + `…"`: func(s *Scene) {
			s.Events += "," + verifytest.SceneEvent(long+"w", "stale", "2026-02-02T00:00:00Z", `,"type":"invalidation"`)
		},
		`event "w" says stale`: func(s *Scene) {
			s.Events += "," + verifytest.SceneEvent("w", "stale", "2026-02-02T00:00:00Z", "")
		},
		"the claim has changed": func(s *Scene) { s.Claim += `,"expiresAt":"2026-01-02T00:00:00Z"` },
		"what it rests on has changed or expired": func(s *Scene) {
			s.Evidence += "," + verifytest.ScenePiece("f", `"observedAt":"2026-01-01T00:00:00Z","passing":false`)
		},
	} {
		if r := receive(t, scene(asHeld), answerOf(t, scene(mutate), nil, "", "c"), receiver.Options{}); string(r.Claims[0].Note) != want {
			t.Errorf("it fell as %s, want %s (%+v)", r.Claims[0].Note, want, r.Claims)
		}
	}
	if r := receive(t, scene(asHeld), answerOf(t, scene(asHeld), nil, "", "c"), receiver.Options{}); r.Claims[0].Note != "" {
		t.Errorf("it did not fall: %+v", r.Claims)
	}
}

// A statement about a receipt is about the answers, and has the whole receipt.
func TestStatement(t *testing.T) {
	r := receive(t, scene(asHeld), answerOf(t, scene(asHeld), nil, "", "c"), receiver.Options{})
	want := `{"_type":"https://in-toto.io/Statement/v1","predicate":` + string(r.JSON()) + `,"predicateType":"` + receiver.ReceiptType +
		`","subject":[{"digest":{"sha256":"` + strings.TrimPrefix(r.Answers[0].Digest, "sha256:") + `"},"name":"s"}]}`
	if got := string(r.Statement()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
