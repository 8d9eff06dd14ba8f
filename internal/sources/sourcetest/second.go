package sourcetest

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

// Second compares every value of an import with what another reader reads of the same files: a
// script of Python that knows the format of the source and nothing of this program. It prints
// lines of the id of the evidence, the condition, the key, the unit and the value, with tabs
// between them.
func Second(t *testing.T, r *sources.Result, script string, args ...string) {
	t.Helper()
	out := vectortest.Python(t, script, args...)
	var got []string
	for _, o := range r.Observations {
		rec := o.Record()
		for _, m := range rec.Measurements {
			if m.Key == record.OfferService || m.Key == record.OfferKind { // which the rules of names say
				continue
			}
			got = append(got, strings.Join([]string{rec.Evidence[0].ID, string(rec.Execution.Workflow.Condition), m.Key,
				string(m.Unit), Value(rec, m.Key)}, "\t"))
		}
	}
	want := strings.Split(strings.TrimSpace(out), "\n")
	for i, line := range want {
		fields := strings.Split(line, "\t")
		last := &fields[len(fields)-1]
		if number, err := strconv.ParseFloat(*last, 64); err == nil {
			*last = strconv.FormatFloat(number, 'g', -1, 64)
		}
		want[i] = strings.Join(fields, "\t")
	}
	for i, line := range got {
		at := strings.LastIndexByte(line, '\t') + 1
		if number, err := strconv.ParseFloat(line[at:], 64); err == nil {
			got[i] = line[:at] + strconv.FormatFloat(number, 'g', -1, 64)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if len(want) < 2 {
		t.Fatalf("the other reader reads nothing: %s", out)
	}
	wrong := 0
	for i, j := 0, 0; i < len(got) || j < len(want); {
		switch {
		case j == len(want) || i < len(got) && got[i] < want[j]:
			t.Errorf("only here:  %s", got[i])
			i, wrong = i+1, wrong+1
		case i == len(got) || want[j] < got[i]:
			t.Errorf("only there: %s", want[j])
			j, wrong = j+1, wrong+1
		default:
			i, j = i+1, j+1
		}
		if wrong > 20 {
			t.Fatal("and more")
		}
	}
	t.Logf("%d values, as another reader reads them", len(got))
}
