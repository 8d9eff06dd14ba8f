// Package httpserver is the one foundation of all that svc serves over HTTP: it
// runs a handler on a port, HTTP/1.1 and, for clients that know beforehand, HTTP/2
// without encryption, and it has what handlers are made of.
//
// A [Server] promises:
//
//   - A client has 5 seconds for the head of a request, which may have 64 KiB, and
//     must take each 256 KiB of what is written to it in 30 seconds. A connection
//     without requests is closed after 120 seconds.
//   - Connections, streams of each and what is kept for them are bounded.
//   - When the server is told to stop it accepts nothing more. A request that has
//     reached the handler by then, with its body if that is wanted, is answered
//     whole, if its client takes the answer in time. Every other request meets the
//     close of its connection, before any byte of an answer.
//   - When it has stopped, no connection is open.
//
// An [Endpoint] promises, to each request of a handler that is made of it, also
// in a server that is not ours:
//
//   - It is answered at once, whatever body it declares, if its answer does not
//     depend on that body. What is left of the body is then read and dropped
//     within bounds, or the connection closed.
//   - Bodies that are read, work that is done and answers that wait to be taken
//     are bounded, each and together ([Capacity]). What is beyond is refused.
//   - A panic is answered with 500, and its cause is in the log alone.
package httpserver

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
	// Logger gets what the HTTP library has to say: at error level that no connection can
	// be accepted, at debug level what clients do wrong. Nil logs nothing.
	Logger *slog.Logger
}

// The bounds of a server.
const (
	headTime     = 5 * time.Second   // for the head of a request
	idleTime     = 120 * time.Second // for a request on an open connection
	maxHeadBytes = 64 << 10          // that the head of a request may have

	MaxConnections = 2048     // for one more, one is closed
	maxStreams     = 8        // of an HTTP/2 connection, at once
	maxUnsent      = 64 << 10 // bytes that the system keeps for a client that does not read

	// maxFrame and maxWindow are the smallest that HTTP/2 allows.
	maxFrame  = 16 << 10
	maxWindow = 64 << 10
)

// Where servers listen unless told otherwise: each kind has a port of its own.
const (
	DefaultHost             = "127.0.0.1"
	DefaultCatalogPort      = 4244 // svc serve
	DefaultVerificationPort = 4245 // svc verify-serve
	DefaultPagePort         = 4246 // svc explore
	DefaultAgentPort        = 4247 // svc mcp
)

// Listen listens on a port of an interface, given by name or address. Port 0
// stands for any that is free.
func Listen(ctx context.Context, host string, port uint16) (net.Listener, error) {
	network := "tcp"
	if address, err := netip.ParseAddr(host); err == nil && address.Is4() {
		network = "tcp4" // else 0.0.0.0 would mean IPv6 too
	}
	var config net.ListenConfig
	return config.Listen(ctx, network, net.JoinHostPort(host, strconv.Itoa(int(port))))
}

// Server is a server that runs. [Start] makes one.
type Server struct {
	url         string
	start       time.Time
	connections *connections
	handler     http.Handler
	http        *http.Server
	ended       chan struct{} // closed when it accepts nothing any more
	stopping    context.Context
	stop        context.CancelFunc // ends stopping, when Close is called
	err         error              // why, once ended is closed; nil after Close
}

// Start serves the connections that come in at a listener, which it owns from
// now on, until Close is called.
func Start(l net.Listener, h http.Handler, options Options) *Server {
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	const slop = 4 << 10 // net/http adds so much to what it is given
	s := &Server{
		url:     (&url.URL{Scheme: "http", Host: l.Addr().String()}).String(),
		start:   time.Now(),
		handler: h,
		ended:   make(chan struct{}),
	}
	s.stopping, s.stop = context.WithCancel(context.Background())
	s.connections = &connections{
		Listener: l, server: s, logger: options.Logger, most: MaxConnections, open: make(map[*connection]struct{}),
	}
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.serve),
		ReadHeaderTimeout: headTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeadBytes - slop,
		Protocols:         new(http.Protocols),
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams:          maxStreams,
			MaxReadFrameSize:              maxFrame,
			MaxReceiveBufferPerConnection: maxWindow,
			MaxReceiveBufferPerStream:     maxWindow,
		},
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, connectionKey{}, conn)
		},
		ConnState: func(conn net.Conn, state http.ConnState) {
			if state == http.StateIdle {
				conn.(*connection).leave()
			}
		},
		// Almost all that the library logs is what clients do wrong, who must not be
		// able to fill the log.
		ErrorLog: slog.NewLogLogger(options.Logger.Handler(), slog.LevelDebug),

		DisableGeneralOptionsHandler: true, // OPTIONS * is the handler's matter too
	}
	s.http.Protocols.SetHTTP1(true)
	s.http.Protocols.SetUnencryptedHTTP2(true)
	go func() {
		defer close(s.ended)
		if err := s.http.Serve(s.connections); !errors.Is(err, http.ErrServerClosed) {
			s.err = err
		}
	}()
	return s
}

// URL is where the server is reached: its address as bound, without a slash at the end.
func (s *Server) URL() string { return s.url }

// Ended is closed when the server accepts no connection any more, because of
// Close or of an error, which Err then returns.
func (s *Server) Ended() <-chan struct{} { return s.ended }

// Err is why the server ended by itself. It may be called once Ended is closed.
func (s *Server) Err() error { return s.err }

// serve lets the handler answer a request.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	c := r.Context().Value(connectionKey{}).(*connection)
	isHalfPreface := r.ProtoMajor >= 2 && r.Method == "PRI" // which is not a request
	if isHalfPreface || !c.enter(r) {
		panic(http.ErrAbortHandler)
	}
	if r.ProtoMajor == 1 && len(r.TransferEncoding) > 0 && c.head.hasLength {
		// Where the next request begins is in doubt (RFC 9112 section 6.1).
		w.Header().Set("Connection", "close")
	}
	s.handler.ServeHTTP(w, r)
}

// Close stops the server. Requests in flight may go on until the context is
// done; what is left then is broken off, and the error is that of the context.
func (s *Server) Close(ctx context.Context) error {
	stopped := make(chan error, 1)
	go func() { stopped <- s.http.Shutdown(ctx) }()
	<-s.ended
	s.stop()
	// Shutdown waits for some seconds whether a request comes on a new connection.
	s.connections.closeNew()
	err := <-stopped
	if err != nil {
		s.http.Close() //nolint:errcheck // all that it tells is that a listener was closed before
	}
	return err
}
