package status_test

import (
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
)

// Date-times in a claim are RFC 3339. As none is written back, their value shows
// in what they decide: whether a claim has expired.
func TestInstants(t *testing.T) {
	tests := []struct {
		text string
		want string // in UTC; empty if the text is no RFC 3339
	}{
		{"2026-07-18T06:00:00Z", "2026-07-18T06:00:00Z"},
		{"2026-07-18t06:00:00z", "2026-07-18T06:00:00Z"},
		{"2026-07-18T06:00:00+02:00", "2026-07-18T04:00:00Z"},
		{"2026-07-18T06:00:00-23:59", "2026-07-19T05:59:00Z"},
		{"2026-07-18T06:00:00-00:00", "2026-07-18T06:00:00Z"},
		{"2026-07-18T06:00:00.5Z", "2026-07-18T06:00:00.5Z"},
		{"2026-07-18T06:00:00.123456789123Z", "2026-07-18T06:00:00.123456789Z"},
		{"2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"},
		{"2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"},
		{"2017-01-01T00:59:60+01:00", "2017-01-01T00:00:00Z"},
		{"2025-02-29T00:00:00Z", ""},
		{"2026-06-31T00:00:00Z", ""},
		{"2026-13-01T00:00:00Z", ""},
		{"2026-00-01T00:00:00Z", ""},
		{"2026-01-00T00:00:00Z", ""},
		{"2026-07-18T24:00:00Z", ""},
		{"2026-07-18T06:60:00Z", ""},
		{"2026-07-18T06:00:60Z", ""},
		{"2026-07-18T06:00:61Z", ""},
		{"2026-07-18T06:00:00", ""},
		{"2026-07-18T06:00Z", ""},
		{"2026-07-18 06:00:00Z", ""},
		{"2026-07-18", ""},
		{"2026-07-18T06:00:00.Z", ""},
		{"2026-07-18T06:00:00,5Z", ""},
		{"2026-07-18T06:00:00+0200", ""},
		{"2026-07-18T06:00:00+24:00", ""},
		{"2026-07-18T06:00:00+02:60", ""},
		{"2026-07-18T06:00:00ZZ", ""},
		{" 2026-07-18T06:00:00Z", ""},
		{"+2026-07-18T06:00:00Z", ""},
		{"２026-07-18T06:00:00Z", ""},
		{"not a time", ""},
		{"", ""},
	}
	for _, tt := range tests {
		text := strings.Replace(verifytest.File(t, "../bundle/testdata/full.json"), `"expiresAt": "2027-06-01T00:00:00Z"`, `"expiresAt": "`+tt.text+`"`, 1)
		text = strings.Replace(text, `"resolvesDispute": true, `, "", 1)
		if tt.want == "" {
			_, err := bundle.Read(problem.Source{Text: text})
			if faults := problem.All(err); len(faults) != 1 || faults[0].Path != "$.claims[0].expiresAt" {
				t.Errorf("%q: %v", tt.text, err)
			}
			continue
		}
		b, at := verifytest.Bundle(t, text), verifytest.Time(t, tt.want)
		for now, want := range map[time.Time]string{at: "verified", at.Add(time.Nanosecond): "stale"} {
			if got := statusesOf(b.StatusInput(), now)["c1"]; got != want {
				t.Errorf("%q at %s: %s, want %s", tt.text, now, got, want)
			}
		}
	}
}
