package lock_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	insidecatalog "github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	insidelock "github.com/model-catalog-service/svc/internal/lock"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/internal/servicetest"
	"github.com/model-catalog-service/svc/service/lock"
	"github.com/model-catalog-service/svc/service/rank"
	"github.com/model-catalog-service/svc/service/record"
)

// A lock and a check have all members of their JSON.
func TestModelsLock(t *testing.T) {
	lockText := `{"schemaVersion":"service.models.lock/v1","catalog":{"digest":"` + servicetest.FirstDay().Digest() + `","asOf":"2026-10-01T01:00:00.000Z"},
	"policy":{"priceUpPercent":12.5,"noticeDays":3,"catalogMaxAgeDays":AGE,"levels":{"MODEL_GONE":"warn","PRICE_DOWN":"fail"}},
	"uses":[{"id":"writer","model":{"id":"x-ai/grok-4","revision":null,"quantization":null},"execution":{"runtime":{"id":"openrouter","version":null},
	"adapter":null,"effectiveContextTokens":null,"toolSurface":[],"hardware":null,"workflow":null},
	"facts":{"price.output":{"value":0.000015,"unit":"USD/token"},"limits.context":{"value":256000,"unit":"tokens"},"capability.tools":{"value":true,"unit":null}}}]}`
	for age, want := range map[string]record.MaxAge{"null": {AnyAge: true}, "0": {Days: new(uint64(0))}, "9": {Days: new(uint64(9))}} {
		text := strings.Replace(lockText, "AGE", age, 1)
		l, err := lock.Parse(text)
		if err != nil || l.Text() != text {
			t.Fatalf("%v", err)
		}
		whole := l.Record()
		if got := whole.Policy.CatalogMaxAgeDays; got.AnyAge != want.AnyAge || (got.Days == nil) != (want.Days == nil) || got.Days != nil && *got.Days != *want.Days {
			t.Errorf("the age %s is %+v", age, got)
		}
		for _, written := range []any{l, whole} {
			if again, err := service.CanonicalJSON(servicetest.Marshal(t, written)); err != nil || string(again) != string(canonicalText(t, text)) {
				t.Errorf("the record of a lock is another one, %v\n%s\n%s", err, again, text)
			}
		}
	}
	text := strings.Replace(lockText, `"catalogMaxAgeDays":AGE,`, "", 1)
	l, err := lock.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := service.CanonicalJSON(servicetest.Marshal(t, l.Record())); err != nil || string(again) != string(canonicalText(t, text)) {
		t.Errorf("the record of a lock is another one, %v\n%s\n%s", err, again, text)
	}
	inner, err := insidelock.Read(problem.Source{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	old, err := insidecatalog.Parse(t.Context(), problem.Source{Text: catalog.Serialize(servicetest.SecondDay())})
	if err != nil {
		t.Fatal(err)
	}
	want, err := insidelock.Check(t.Context(), old, inner, text, "2026-10-20T00:00:00.000Z")
	if err != nil {
		t.Fatal(err)
	}
	check, err := lock.Check(t.Context(), servicetest.SecondDay(), l, time.Date(2026, 10, 20, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := service.CanonicalJSON(servicetest.Marshal(t, check)); err != nil || !bytes.Equal(got, ijson.MustWriteTagged(want)) || len(check.Findings) < 2 {
		t.Errorf("the record of a check is another one, %v\n%s\n%s", err, got, ijson.MustWriteTagged(want))
	}
	if _, err := lock.Check(t.Context(), servicetest.SecondDay(), l, time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)); !errors.Is(err, lock.ErrTooEarly) {
		t.Errorf("before the catalog: %v", err)
	}
	if _, err := lock.Check(t.Context(), servicetest.SecondDay(), l, time.Time{}); err == nil {
		t.Error("a check without a time is made")
	}
	updated, err := lock.Update(t.Context(), servicetest.SecondDay(), l, time.Date(2026, 10, 6, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	if r := updated.Record(); r.Uses[0].Facts["price.output"].Value.Float() != 18e-6 || r.Catalog.Digest != servicetest.SecondDay().Digest() || *r.Policy.NoticeDays != 3 {
		t.Errorf("%+v", r)
	}
	_, err = lock.Parse("{}")
	if faults := service.Faults(err); len(faults) == 0 || faults[0].Path != "$.catalog" {
		t.Errorf("no lock: %v", err)
	}
}

func canonicalText(t *testing.T, text string) []byte {
	t.Helper()
	canonical, err := service.CanonicalJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	return canonical
}

func TestLockOptions(t *testing.T) {
	first, unlocked, err := lock.Make(t.Context(), servicetest.FirstDay(), lock.Options{
		Uses: []lock.Use{{Runtime: "openrouter", Model: "openai/o1"}}, Watch: []string{"throughput"},
	})
	if err != nil || len(unlocked) == 0 || unlocked[len(unlocked)-1] != (lock.UnlockedFact{Use: "openrouter:openai/o1", MeasurementKey: "throughput", Status: "missing"}) {
		t.Fatalf("%v, %v", unlocked, err)
	}
	both, _, err := lock.Make(t.Context(), servicetest.FirstDay(), lock.Options{Requests: []*rank.Request{servicetest.Cheapest()}, Existing: first})
	if err != nil || len(both.Record().Uses) != 4 {
		t.Errorf("a lock that is continued: %v", err)
	}
	if _, _, err := lock.Make(t.Context(), servicetest.FirstDay(), lock.Options{}); err == nil {
		t.Error("nothing is locked")
	}
	_, _, err = lock.Make(t.Context(), servicetest.FirstDay(), lock.Options{Uses: []lock.Use{{Runtime: "openrouter", Model: "nobody/nothing"}}})
	if !errors.Is(err, lock.ErrNothing) {
		t.Errorf("an unknown model: %v", err)
	}
}
