package httpapi

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/httpserver"
)

func TestRouteOf(t *testing.T) {
	tests := []struct {
		path  string
		route route
		key   string
	}{
		{"/v1/models", routeModels, ""},
		{"/v1/models/", routeModels, ""},
		{"//v1///models//", routeModels, ""},
		{"v1/models", routeModels, ""}, // as a prefix with a slash leaves it
		{"/v1/models/abc", routeModel, "abc"},
		{"/v1/models//abc/", routeModel, "abc"},
		{"/v1/models/..", routeModel, ".."},
		{"/v1/models/%2F", routeModel, "%2F"},
		{"/v1/catalog/snapshot", routeSnapshot, ""},
		{"/v1/rank", routeRank, ""},
		{"/v1/rank/", routeRank, ""},

		{"", routeUnknown, ""},
		{"/", routeUnknown, ""},
		{"*", routeUnknown, ""},
		{"/v1", routeUnknown, ""},
		{"/v1/", routeUnknown, ""},
		{"/V1", routeUnknown, ""},
		{"/V1/models", routeUnknown, ""},
		{"/v1/Models", routeUnknown, ""},
		{"/healthz", routeUnknown, ""},
		{"/%76%31/models", routeUnknown, ""},
		{"/v1/model", routeUnknown, ""},
		{"/v1/models/a/b", routeUnknown, ""},
		{"/v1/catalog", routeUnknown, ""},
		{"/v1/catalog/snapshot/x", routeUnknown, ""},
		{"/v1/rank/x", routeUnknown, ""},
		{"/./v1/models", routeUnknown, ""},
		{"/v1/./models", routeUnknown, ""},
		{"/v1/x/../models", routeUnknown, ""},
		{"/v1/m%6fdels", routeUnknown, ""},

		{"/v", routeOtherVersion, ""},
		{"/v2", routeOtherVersion, ""},
		{"/v2/models", routeOtherVersion, ""},
		{"/v1%2Fmodels", routeOtherVersion, ""},
		{"/v%31/models", routeOtherVersion, ""},
		{"/v1.0/models", routeOtherVersion, ""},
		{"/validate", routeOtherVersion, ""},
		{"/version/x", routeOtherVersion, ""},
	}
	for _, tt := range tests {
		r, key := routeOf(tt.path)
		if r != tt.route || key != tt.key {
			t.Errorf("%q is %q with key %q, want %q with %q", tt.path, r, key, tt.route, tt.key)
		}
	}
}

// What the client wrote is judged, however package net/url takes it apart and
// whatever is stripped from its front.
func TestWirePath(t *testing.T) {
	for _, path := range []string{
		"/v1/models", "/v1/m%6fdels", "/v1%2Fmodels", "/%76^", "/v1/models/x%2F^", "/v1/models/a b", "//v1//models/",
		"/v1/models/%20", "/v1/models/%e2%82%ac", "/v1/models/€", "/v1/models#x", "/v1/models;a=b", "/./..", "/v1/models/\"",
	} {
		u, err := url.ParseRequestURI(path)
		if err != nil {
			t.Fatalf("%q: %v", path, err)
		}
		if got := httpserver.WirePath(u); got != path {
			t.Errorf("%q is taken for %q", path, got)
		}
		u, err = url.ParseRequestURI("/some/prefix" + path)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		http.StripPrefix("/some/prefix", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			got = httpserver.WirePath(r.URL)
		})).ServeHTTP(httptest.NewRecorder(), &http.Request{URL: u})
		if got != path {
			t.Errorf("behind a prefix, %q is taken for %q", path, got)
		}
	}
}

// A path that somebody set without its raw form is taken as it would be written.
func TestWirePathOfRewrittenURL(t *testing.T) {
	u := &url.URL{Path: "/v1/models", RawPath: "/something/el%73e"}
	if got := httpserver.WirePath(u); got != "/v1/models" {
		t.Errorf("taken for %q", got)
	}
}

// Whatever the path, the segments that are not empty decide, and the key is one
// of them.
func FuzzRouteOf(f *testing.F) {
	for _, path := range []string{"/v1/models/a", "//v1//rank", "/v1/catalog/snapshot", "/v2", "/V1/..", "/v1/models/%2f?x"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		segments := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
		r, key := routeOf(path)
		want, wantKey := routeUnknown, ""
		switch joined := strings.Join(segments, "/"); {
		case joined == "v1/models":
			want = routeModels
		case joined == "v1/catalog/snapshot":
			want = routeSnapshot
		case joined == "v1/rank":
			want = routeRank
		case len(segments) == 3 && strings.HasPrefix(joined, "v1/models/"):
			want, wantKey = routeModel, segments[2]
		case len(segments) > 0 && segments[0] != "v1" && segments[0][0] == 'v':
			want = routeOtherVersion
		}
		if r != want || key != wantKey {
			t.Errorf("%q is %q with key %q, want %q with %q", path, r, key, want, wantKey)
		}
		// What comes over the wire is judged as it is.
		u, err := url.ParseRequestURI("/" + path)
		if err != nil || u.Scheme != "" || u.Host != "" {
			return
		}
		if on, _, _ := strings.Cut("/"+path, "?"); httpserver.WirePath(u) != on {
			t.Errorf("%q is taken for %q", on, httpserver.WirePath(u))
		}
	})
}
