package agent

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Path is where the handler answers.
const Path = "/mcp"

// maxBody is how many bytes a request may have.
const maxBody = 1 << 20

// Handler serves streamable HTTP, without sessions and with answers in JSON. It refuses
// requests of pages of other origins and, on loopback, to another host: a page that
// somebody looks at must not ask what runs on their machine.
func (a *Agent) Handler() http.Handler {
	stream := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return a.server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody})
	mux := http.NewServeMux()
	mux.Handle(Path, stream)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isOwnOrigin(r) || !isOwnHost(r) {
			http.Error(w, "requests of other origins and to other hosts are refused", http.StatusForbidden)
			return
		}
		if r.ContentLength > maxBody {
			http.Error(w, "the request is larger than 1 MiB", http.StatusRequestEntityTooLarge)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		mux.ServeHTTP(w, r)
	})
}

// isOwnOrigin reports whether a request comes from no page, or from one of the same host.
func isOwnOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == r.Host
}

// isOwnHost reports whether a request that comes in on loopback names loopback.
func isOwnHost(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return true
	}
	at, err := netip.ParseAddrPort(local.String())
	if err != nil || !at.Addr().IsLoopback() {
		return true
	}
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	address, err := netip.ParseAddr(host)
	return host == "localhost" || host == "[::1]" || err == nil && address.IsLoopback()
}
