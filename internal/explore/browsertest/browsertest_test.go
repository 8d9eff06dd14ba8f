package browsertest_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/explore/browsertest"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// A tab tells a page that asks elsewhere, and one that is offline reaches nothing.
func TestOfflineAndElsewhere(t *testing.T) {
	if _, err := browsertest.Find(); err != nil {
		vectortest.Missing(t, err.Error())
	}
	b, end, err := browsertest.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer s.Close()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "text/html") }))
	defer page.Close()
	tab, err := b.Open(browsertest.View{Width: 300, Height: 300}, page.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer tab.Close()
	for _, tt := range []struct {
		offline bool
		want    string
	}{{false, "answered"}, {true, "nothing"}} {
		asked, _ = 0, tab.Faults()
		if err := tab.Look(browsertest.View{Width: 300, Height: 300, Offline: tt.offline}); err != nil {
			t.Fatal(err)
		}
		got, err := browsertest.Eval[string](tab, `fetch("`+s.URL+`", { mode: "no-cors" }).then(() => "answered", () => "nothing")`)
		if err != nil || got != tt.want || (asked == 0) != tt.offline {
			t.Errorf("offline %t: %s, %v, %d requests", tt.offline, got, err, asked)
		}
		if faults := strings.Join(tab.Faults(), "\n"); !strings.Contains(faults, "asked "+s.URL) {
			t.Errorf("offline %t: %q", tt.offline, faults)
		}
	}
}
