package merge_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/merge"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
	"github.com/model-catalog-service/svc/service/record"
)

func TestMergeBundles(t *testing.T) {
	tests := []struct {
		name       string
		inputs     []string
		want       string
		collisions []record.RecordID
	}{
		{"one bundle, lists that are not there", []string{`{"source":"a","schemaVersion":5,"producerId":"p","proof":{},"metadata":1,"x":2}`},
			`{"claims":[],"events":[],"evidence":[],"policies":[],"schemaVersion":5,"source":"a"}`, nil},
		{"a version that nobody knows", []string{`{"source":"a","schemaVersion":"x"}`, `{"source":"a","schemaVersion":"\u0078"}`},
			`{"claims":[],"events":[],"evidence":[],"policies":[],"schemaVersion":"x","source":"a"}`, nil},
		{"sources", []string{`{"source":"b","schemaVersion":5}`, `{"source":"a","schemaVersion":5.0}`, `{"source":"b","schemaVersion":5}`, `{"source":"😀","schemaVersion":5}`, `{"source":"\uffff","schemaVersion":5}`},
			`{"claims":[],"events":[],"evidence":[],"policies":[],"schemaVersion":5,"source":"merged:a+b+😀+` + "\uffff" + `"}`, nil},
		{"records of any shape, equal as canonical JSON", []string{
			`{"source":"a","schemaVersion":5,"claims":[{"id":"b","v":1.0},{"v":[1e1],"id":"a"}]}`,
			`{"source":"a","schemaVersion":5,"claims":[{"v":1,"\u0069d":"b"},{"id":"a","v":[10]}]}`},
			`{"claims":[{"id":"a","v":[10]},{"id":"b","v":1}],"events":[],"evidence":[],"policies":[],"schemaVersion":5,"source":"a"}`, nil},
		{"collisions, one within a bundle", []string{
			`{"source":"a","schemaVersion":5,"events":[{"id":"e","v":2},{"id":"e","v":10}],"claims":[{"id":"y","v":2}],"authorityTrace":[]}`,
			`{"source":"a","schemaVersion":5,"claims":[{"id":"y","v":1},{"id":"x","v":"b"}],"authorityTrace":[{"id":"t","v":true}]}`,
			`{"source":"a","schemaVersion":5,"claims":[{"id":"x","v":"a"}],"authorityTrace":[{"id":"t","v":false}],"claimGroups":[]}`},
			`{"authorityTrace":[{"id":"t","v":false}],"claimGroups":[],"claims":[{"id":"x","v":"a"},{"id":"y","v":1}],"events":[{"id":"e","v":10}],"evidence":[],"policies":[],"schemaVersion":5,"source":"a"}`,
			[]record.RecordID{{Collection: "authorityTrace", ID: "t"}, {Collection: "claims", ID: "x"}, {Collection: "claims", ID: "y"}, {Collection: "events", ID: "e"}}},
		{"all identity links", []string{
			`{"source":"a","schemaVersion":5,"identityLinks":[{"id":"l","z":1},{"b":1}]}`,
			`{"source":"a","schemaVersion":5,"identityLinks":[{"z":1,"id":"l"},{"a":1},{"id":"l","z":0}]}`},
			`{"claims":[],"events":[],"evidence":[],"identityLinks":[{"a":1},{"b":1},{"id":"l","z":0},{"id":"l","z":1},{"id":"l","z":1}],"policies":[],"schemaVersion":5,"source":"a"}`, nil},
		{"no identity links", []string{`{"source":"a","schemaVersion":5,"identityLinks":[]}`},
			`{"claims":[],"events":[],"evidence":[],"policies":[],"schemaVersion":5,"source":"a"}`, nil},
	}
	for _, tt := range tests {
		var inputs []json.RawMessage
		for _, text := range tt.inputs {
			inputs = append(inputs, json.RawMessage(text))
		}
		everyOrder(t, inputs, func(merged *bundle.Raw, collisions []record.RecordID) {
			if text, err := merged.Canonical(); err != nil || string(text) != tt.want {
				t.Errorf("%s: %v\n got %s\nwant %s", tt.name, err, text, tt.want)
			}
			if !slices.Equal(collisions, tt.collisions) {
				t.Errorf("%s: collisions %v, want %v", tt.name, collisions, tt.collisions)
			}
			// Merging once more changes nothing.
			again, _, err := merge.Bundles(merged)
			if err != nil {
				t.Fatal(err)
			}
			if text, err := again.Canonical(); err != nil || string(text) != tt.want {
				t.Errorf("%s, once more: %v, %s", tt.name, err, text)
			}
		})
	}
}

// The first spelling of a record stays.
func TestMergeKeepsSpelling(t *testing.T) {
	a := verifytest.Raw(t, `{"source":"a","schemaVersion":5,"claims":[{"v":1.0,"id":"c"}]}`)
	b := verifytest.Raw(t, `{"source":"a","schemaVersion":5,"claims":[{"id":"c","v":1}]}`)
	merged, collisions, err := merge.Bundles(a, b)
	if err != nil || len(collisions) > 0 || merged.Claims[0].JSON != `{"v":1.0,"id":"c"}` {
		t.Errorf("%v %v %v", merged, collisions, err)
	}
}

func TestMergeRefuses(t *testing.T) {
	for _, bundles := range [][]*bundle.Raw{
		nil,
		{verifytest.Raw(t, `{"source":"a","schemaVersion":5}`), verifytest.Raw(t, `{"source":"a","schemaVersion":6}`)},
	} {
		merged, collisions, err := merge.Bundles(bundles...)
		faults := problem.All(err)
		if len(faults) != 1 || faults[0].Code != problem.InvalidTrustBundle || merged != nil || collisions != nil {
			t.Errorf("%d bundles: %v, %v, %v", len(bundles), merged, collisions, err)
		}
	}
}
