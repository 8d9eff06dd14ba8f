package httpserver

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Admission decides which requests a listener answers that serves the people and programs of
// one machine or network: a page of another origin that somebody looks at must not ask it.
// Both ways of doing so are refused: a cross-origin request, which has an Origin of another
// host, and DNS rebinding, by which the page's own name leads to this machine.
type Admission struct {
	// Names are the host names that the listener goes by, besides localhost. Nil: on
	// loopback none, elsewhere any.
	Names []string
}

// Admits reports whether a request may be answered.
func (a Admission) Admits(r *http.Request) bool {
	return isOwnOrigin(r) && a.isOwnHost(r)
}

// isOwnOrigin reports whether a request comes from no page, or from one of the same host.
func isOwnOrigin(r *http.Request) bool {
	origin, isSent := r.Header["Origin"]
	if !isSent {
		return true
	}
	if len(origin) != 1 {
		return false
	}
	u, err := url.Parse(origin[0])
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// isOwnHost reports whether a request names this listener, by an address or a name. Without
// Names, what came in on loopback must name loopback. HTTP/1.0 knows requests without a host,
// which no browser sends.
func (a Admission) isOwnHost(r *http.Request) bool {
	onLoopback := isOnLoopback(r)
	if a.Names == nil && !onLoopback {
		return true
	}
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if address, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return a.Names != nil || address.Unmap().IsLoopback()
	}
	return host == "" || strings.EqualFold(host, "localhost") ||
		slices.ContainsFunc(a.Names, func(name string) bool { return name != "" && strings.EqualFold(name, host) })
}

func isOnLoopback(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	at, err := netip.ParseAddrPort(local.String())
	return err == nil && at.Addr().Unmap().IsLoopback()
}
