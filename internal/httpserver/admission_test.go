package httpserver_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/model-catalog-service/svc/internal/httpserver"
)

func TestAdmission(t *testing.T) {
	loopback, network := "127.0.0.1:8080", "192.0.2.7:8080"
	named := httpserver.Admission{Names: []string{"svc.internal", ""}}
	for _, test := range []struct {
		name      string
		admission httpserver.Admission
		local     string // the address that the request came in on
		host      string
		origins   []string
		admits    bool
	}{
		{"a program on loopback", httpserver.Admission{}, loopback, "127.0.0.1:8080", nil, true},
		{"localhost in any case", httpserver.Admission{}, loopback, "LocalHost:8080", nil, true},
		{"IPv6", httpserver.Admission{}, "[::1]:8080", "[::1]:8080", nil, true},
		{"HTTP/1.0", httpserver.Admission{}, loopback, "", nil, true},
		{"DNS rebinding", httpserver.Admission{}, loopback, "evil.example:8080", nil, false},
		{"a name that begins with an address", httpserver.Admission{}, loopback, "127.0.0.1.evil.example", nil, false},
		{"another address", httpserver.Admission{}, loopback, "192.0.2.7:8080", nil, false},
		{"the page itself", httpserver.Admission{}, loopback, "localhost:8080", []string{"http://localhost:8080"}, true},
		{"a page of another origin", httpserver.Admission{}, loopback, "localhost:8080", []string{"https://evil.example"}, false},
		{"a page of another port", httpserver.Admission{}, loopback, "localhost:8080", []string{"http://localhost:9999"}, false},
		{"a page in a sandbox", httpserver.Admission{}, loopback, "localhost:8080", []string{"null"}, false},
		{"two origins", httpserver.Admission{}, loopback, "localhost:8080", []string{"http://localhost:8080", "https://evil.example"}, false},
		{"any name off loopback", httpserver.Admission{}, network, "models.example", nil, true},
		{"another origin off loopback", httpserver.Admission{}, network, "models.example", []string{"https://evil.example"}, false},
		{"a name that is given", named, loopback, "svc.internal:8080", nil, true},
		{"another name", named, loopback, "evil.example", nil, false},
		{"another name off loopback", named, network, "evil.example", nil, false},
		{"any address where names are given", named, loopback, "192.0.2.7:8080", nil, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			local, err := net.ResolveTCPAddr("tcp", test.local)
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(local)))
			r.Host = test.host
			if test.origins != nil {
				r.Header["Origin"] = test.origins
			}
			if got := test.admission.Admits(r); got != test.admits {
				t.Errorf("host %q, origins %q: admitted %v, want %v", test.host, test.origins, got, test.admits)
			}
		})
	}
}
