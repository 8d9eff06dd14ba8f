package storetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
)

// Draft is a trust bundle in the making: the JSON texts of its records.
type Draft struct {
	Claims, Evidence, Events, AuthorityTrace []string
}

// Text returns the bundle as JSON.
func (d Draft) Text() string {
	return fmt.Sprintf(`{"schemaVersion":5,"source":"storetest","claims":[%s],"evidence":[%s],"policies":[],`+
		`"events":[%s],"authorityTrace":[%s]}`,
		strings.Join(d.Claims, ","), strings.Join(d.Evidence, ","), strings.Join(d.Events, ","),
		strings.Join(d.AuthorityTrace, ","))
}

// Bundle reads the bundle.
func (d Draft) Bundle(tb testing.TB) *bundle.Bundle {
	tb.Helper()
	b, err := bundle.Read(problem.Source{Name: "draft.json", Text: d.Text()})
	if err != nil {
		for _, fault := range problem.All(err) {
			tb.Logf("%+v: %v", fault.Place, fault)
		}
		tb.Fatal(err)
	}
	return b
}

// member is a member of a record that goes behind those that all have. Value is
// JSON.
func member(name, value string) string { return "," + canonical.Quote(name) + ":" + value }

func integrityRef(ref string) string { return member("integrityRef", canonical.Quote(ref)) }

func anchor(name, value string) string {
	return member(name, `{"id":"a","kind":"hash","algorithm":"sha256","value":`+canonical.Quote(value)+`,"sourceRef":"s"}`)
}

// Claim is a claim.
func Claim(id string, members ...string) string {
	return `{"id":` + canonical.Quote(id) +
		`,"subjectType":"model","subjectId":"m","claimType":"speed","fieldOrBehavior":"tokens",` +
		`"value":1,"createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z"` + strings.Join(members, "") + `}`
}

// Evidence is evidence for a claim.
func Evidence(id, claim string, members ...string) string {
	return `{"id":` + canonical.Quote(id) + `,"claimId":` + canonical.Quote(claim) +
		`,"evidenceType":"test_output","method":"validation",` +
		`"sourceRef":"s","excerptOrSummary":"x","observedAt":"2026-01-01T00:00:00Z","collectedBy":"c"` +
		strings.Join(members, "") + `}`
}

// Event is an event of a claim.
func Event(id, claim, actor string, members ...string) string {
	return `{"id":` + canonical.Quote(id) + `,"claimId":` + canonical.Quote(claim) + `,"status":"verified","actor":` +
		canonical.Quote(actor) +
		`,"method":"m","evidenceIds":[],"createdAt":"2026-01-01T00:00:00Z"` + strings.Join(members, "") + `}`
}

// Trace is an authority trace that names claims.
func Trace(id, actor string, claims []string, members ...string) string {
	quoted := make([]string, len(claims))
	for i, c := range claims {
		quoted[i] = canonical.Quote(c)
	}
	return `{"id":` + canonical.Quote(id) + `,"subject":{"subjectType":"model","subjectId":"m"},"actorRef":` +
		canonical.Quote(actor) +
		`,"authorityType":"role","authorityRef":"r","sourceRef":"s","observedAt":"2026-01-01T00:00:00Z","claimIds":[` +
		strings.Join(quoted, ",") + `]` + strings.Join(members, "") + `}`
}

// Many returns a bundle of n claims with three pieces of evidence and three
// events each, such as producers have.
func Many(n int) Draft {
	d := Draft{Claims: make([]string, 0, n), Evidence: make([]string, 0, 3*n), Events: make([]string, 0, 3*n)}
	for i := range n {
		claim := ManyID(i)
		d.Claims = append(d.Claims, Claim(claim, member("currentIntegrityRef", canonical.Quote(ManyRef(i)))))
		for k := range 3 {
			id := fmt.Sprintf("%s.%d", claim, k)
			d.Evidence = append(d.Evidence, Evidence("evidence."+id, claim,
				integrityRef(fmt.Sprintf("sha256:%056x%07x%d", 0xe, i, k)),
				member("metadata", `{"log":"`+strings.Repeat("all right, ", 20)+`"}`)))
			d.Events = append(d.Events, Event("event."+id, claim, fmt.Sprintf("reviewer:%d", k)))
		}
	}
	return d
}

// ManyID is the id of claim i of [Many].
func ManyID(i int) string { return fmt.Sprintf("claim.%06d", i) }

// ManyRef is the integrity ref of claim i of [Many].
func ManyRef(i int) string { return fmt.Sprintf("sha256:%064x", i) }
