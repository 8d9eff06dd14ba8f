package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
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
	return a.Zone() == "" && within(a, "2000::/3") && !within(a, "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")
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
	resolver resolver
	permit   func(netip.Addr) bool
}

// resolver looks up the addresses of a host.
type resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

func newDialer(w world) *dialer {
	const connect = 10 * time.Second
	d := &dialer{resolver: w.resolver, permit: w.permit}
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
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
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
func newTransport(w world) *http.Transport {
	const (
		handshake   = 10 * time.Second
		headers     = 30 * time.Second
		headerBytes = 32 << 10
	)
	return &http.Transport{
		Proxy:                  nil, // it would dial in our place
		DialContext:            newDialer(w).dial,
		TLSClientConfig:        &tls.Config{RootCAs: w.roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    handshake,
		ResponseHeaderTimeout:  headers,
		MaxResponseHeaderBytes: headerBytes,
		ForceAttemptHTTP2:      true,
	}
}
