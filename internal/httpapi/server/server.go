// Package server runs a handler on a port: HTTP/1.1 and, for clients that know
// beforehand, HTTP/2 without encryption.
//
// What it promises:
//
//   - A client has 5 seconds for the head of a request, which may have 64 KiB.
//     A connection without requests is closed after 120 seconds.
//   - When the server is told to stop it accepts nothing more. A request that
//     has reached the handler by then is answered whole, if its client takes
//     the answer in time. Every other request is met by the close of its
//     connection, before any byte of an answer.
//   - When it has stopped, no connection is open.
package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"time"
)

// Grace is how long requests in flight usually get to end when a server stops.
const Grace = 10 * time.Second

// Options are the settings of a [Server]. The zero value is ready to use.
type Options struct {
	// Logger gets what the HTTP library has to say: at error level that no
	// connection can be accepted, at debug level what clients do wrong. Nil
	// logs nothing.
	Logger *slog.Logger

	timeouts timeouts // those of tests; zero ones are the standard ones
}

// timeouts are how long the server waits for clients.
type timeouts struct {
	head   time.Duration // for the head of a request
	idle   time.Duration // for a request on an open connection
	stuck  time.Duration // for an HTTP/2 connection to take a byte
	linger time.Duration // for the client to close, when the server stops
}

func (t timeouts) orStandard() timeouts {
	if t == (timeouts{}) {
		return timeouts{
			head:   5 * time.Second,
			idle:   120 * time.Second,
			stuck:  60 * time.Second,
			linger: 500 * time.Millisecond,
		}
	}
	return t
}

// maxHeadBytes is the most that the head of a request may have.
const maxHeadBytes = 64 << 10

// Listen listens on a port of an interface, given by name or address. Port 0
// stands for any that is free.
func Listen(ctx context.Context, host string, port uint16) (net.Listener, error) {
	network := "tcp"
	if address, err := netip.ParseAddr(host); err == nil && address.Is4() {
		network = "tcp4" // else 0.0.0.0 would stand for IPv6 too
	}
	var config net.ListenConfig
	return config.Listen(ctx, network, net.JoinHostPort(host, strconv.Itoa(int(port))))
}

// Server is a server that runs. [Start] makes one.
type Server struct {
	url      string
	listener net.Listener
	http     *http.Server
	gate     *gate
	ended    chan struct{} // closed when it accepts nothing any more
	err      error         // why, once ended is closed; nil after Close
}

// Start serves the connections that come in at a listener, which it owns from
// now on, until Close is called.
func Start(l net.Listener, h http.Handler, options Options) *Server {
	wait := options.timeouts.orStandard()
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	const slop = 4 << 10 // net/http allows so much more than it is told
	s := &Server{
		url:      (&url.URL{Scheme: "http", Host: l.Addr().String()}).String(),
		listener: l,
		gate:     newGate(h, wait.linger),
		ended:    make(chan struct{}),
	}
	s.http = &http.Server{
		Handler:           s.gate,
		ReadHeaderTimeout: wait.head,
		IdleTimeout:       wait.idle,
		MaxHeaderBytes:    maxHeadBytes - slop,
		Protocols:         new(http.Protocols),
		HTTP2:             &http.HTTP2Config{WriteByteTimeout: wait.stuck},
		ConnContext:       s.gate.connContext,
		ConnState:         s.gate.connState,
		ErrorLog:          newErrorLog(options.Logger),

		DisableGeneralOptionsHandler: true, // OPTIONS * is the handler's matter too
	}
	s.http.Protocols.SetHTTP1(true)
	s.http.Protocols.SetUnencryptedHTTP2(true)
	go func() {
		defer close(s.ended)
		if err := s.http.Serve(l); !s.gate.isClosed() && !errors.Is(err, http.ErrServerClosed) {
			s.err = err
		}
	}()
	return s
}

// URL is where the server is reached: its address as bound, without a slash at
// the end.
func (s *Server) URL() string { return s.url }

// Ended is closed when the server accepts no connection any more, because of
// Close or of an error, which Err then returns.
func (s *Server) Ended() <-chan struct{} { return s.ended }

// Err is why the server ended by itself. It may be called once Ended is closed.
func (s *Server) Err() error { return s.err }

// Close stops the server. Requests in flight may go on until the context is
// done; what is left then is broken off, and the error is that of the context.
func (s *Server) Close(ctx context.Context) error {
	s.gate.close()
	s.listener.Close() //nolint:errcheck // then it is closed already
	<-s.ended
	err := s.gate.wait(ctx)
	if err == nil {
		// All that is left are HTTP/2 connections whose last answers are on the way.
		err = s.http.Shutdown(ctx)
	}
	if err != nil {
		s.http.Close() //nolint:errcheck // all that it tells is that a listener was closed before
	}
	return err
}
