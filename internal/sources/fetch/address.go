package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"syscall"
	"time"
)

// isPublic reports whether an address is one of the public Internet, by the
// special-purpose registries of IANA (RFC 6890).
func isPublic(a netip.Addr) bool {
	a = a.Unmap()
	if a.Is4() {
		return !within(a, "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
			"192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16",
			"192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3")
	}
	if within(a, "64:ff9b::/96") { // an IPv4 address behind a translator (RFC 6052)
		b := a.As16()
		return isPublic(netip.AddrFrom4([4]byte(b[12:])))
	}
	return a.Zone() == "" && within(a, "2000::/3") && !within(a, "2001::/23", "2001:db8::/32", "2002::/16",
		"2620:4f:8000::/48", "3fff::/20")
}

func within(a netip.Addr, prefixes ...string) bool {
	for _, p := range prefixes {
		if netip.MustParsePrefix(p).Contains(a) {
			return true
		}
	}
	return false
}

// errAddress is the cause of what an address was refused for.
var errAddress = errors.New("is not a public address")

// dialer dials the addresses of a host one after the other. Each is looked at
// when its socket is there, just before it connects: nothing comes between.
type dialer struct {
	net.Dialer
	resolver Resolver
	permit   func(netip.Addr) bool
	port     string

	mu      sync.Mutex
	proxies map[string]bool // addresses of proxies, which may be any
}

// proxy returns the proxy that the environment names for a request, nil if it names none.
func (d *dialer) proxy(r *http.Request) (*url.URL, error) {
	u, err := http.ProxyFromEnvironment(r)
	if u != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.proxies[proxyAddress(u)] = true
	}
	return u, err
}

// proxyAddress is the host and the port of a proxy.
func proxyAddress(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

func (d *dialer) isProxy(address string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.proxies[address]
}

// Resolver looks up the addresses of a host.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

func newDialer(w World) *dialer {
	const connect = 10 * time.Second
	d := &dialer{resolver: w.Resolver, permit: w.Permit, port: w.Port, proxies: map[string]bool{}}
	d.Timeout = connect
	d.Control = d.check
	return d
}

func (d *dialer) check(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if !d.permit(to.Addr()) {
		return fmt.Errorf("%s %w", to.Addr(), errAddress)
	}
	return nil
}

func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if d.isProxy(address) {
		direct := net.Dialer{Timeout: d.Timeout}
		return direct.DialContext(ctx, network, address)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port = cmp.Or(d.port, port)
	addresses, err := d.resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	err = fmt.Errorf("%s has no address", host)
	for _, a := range addresses {
		var conn net.Conn
		if conn, err = d.DialContext(ctx, network, net.JoinHostPort(a.Unmap().String(), port)); err == nil {
			return conn, nil
		}
		if errors.Is(err, errAddress) || ctx.Err() != nil {
			return nil, err // a name that leads there is not asked for its other addresses
		}
	}
	return nil, err
}

// newTransport returns a transport that dials so.
func newTransport(roots *x509.CertPool, w World) *http.Transport {
	const (
		handshake   = 10 * time.Second
		headerBytes = 32 << 10
	)
	d := newDialer(w)
	return &http.Transport{
		Proxy:                  d.proxy,
		DialContext:            d.dial,
		TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    handshake,
		ResponseHeaderTimeout:  w.Idle,
		MaxResponseHeaderBytes: headerBytes,
		ForceAttemptHTTP2:      true,
	}
}
