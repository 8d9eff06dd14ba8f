// Package server runs what svc serves, from its start to its end: it listens, or takes the
// socket that a service manager hands over, tells the manager and the port for operators
// how far it has come, and stops at a signal, once the requests in flight have ended.
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"

	"github.com/model-catalog-service/svc/cmd/internal/config"
	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/httpserver"
	"github.com/model-catalog-service/svc/internal/httpserver/operators"
)

// Address is where a server listens.
type Address struct {
	Host string
	Port uint64
}

// HostOption is the option --host.
func (a *Address) HostOption() option.Option {
	return option.Option{Name: "host", Value: option.Text(&a.Host), Usage: "interface to bind: a `<host>` name or address",
		Offer: option.Words("127.0.0.1\tonly this machine", "::1\tonly this machine, IPv6",
			"0.0.0.0\twhoever can reach this machine")}
}

// PortOption is the option --port.
func (a *Address) PortOption() option.Option {
	return option.Option{Name: "port", Value: option.Integer(&a.Port, 0, math.MaxUint16), Offer: option.Nothing,
		Usage: "`<port>` to bind, 0 picks a free one"}
}

// Environment is what a server finds around it.
type Environment struct {
	Console *console.Console
	Signals *console.Signals
	Config  *config.Config
}

// Server is a server, with what is around it: its log, the service manager and the port for
// operators.
type Server struct {
	Log       *slog.Logger
	console   *console.Console
	signals   *console.Signals
	manager   *httpserver.Manager
	operators *operators.Operators // nil without a port for operators
	port      *httpserver.Server   // that port
	again     <-chan os.Signal
	running   *httpserver.Server
}

// New finds what is around a server, and opens the port for operators if there is to be
// one: at its own address or, without one, at that for all servers. That port answers from
// now on, so that a long start can be watched. The server is to be closed.
func New(ctx context.Context, e Environment, own config.Admin) (*Server, error) {
	s := &Server{Log: newLogger(e), console: e.Console, signals: e.Signals}
	var err error
	if s.manager, err = httpserver.FindManager(); err != nil {
		return nil, err
	}
	if addr := cmp.Or(own, e.Config.Admin).Addr; addr != "" {
		if err := s.openPort(ctx, addr); err != nil {
			return nil, fmt.Errorf("admin.addr: %w", err)
		}
	}
	return s, nil
}

func (s *Server) openPort(ctx context.Context, addr string) error {
	host, name, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	port, err := net.DefaultResolver.LookupPort(ctx, "tcp", name)
	if err != nil {
		return err
	}
	l, err := httpserver.Listen(ctx, host, uint16(port))
	if err != nil {
		return err
	}
	s.operators = operators.New(host)
	s.port = httpserver.Start(l, s.operators, httpserver.Options{Logger: s.Log})
	s.Log.Info("admin listener", "url", s.port.URL())
	s.warnOfNeighbours(l.Addr(), s.port.URL(), "shows the inside of this process to whoever asks: let only operators "+
		"reach it")
	return nil
}

// warnOfNeighbours says that others can reach a port which asks nobody who they are, and
// what follows. It is no part of the log, which may be off.
func (s *Server) warnOfNeighbours(addr net.Addr, url, consequence string) {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsLoopback() {
		return
	}
	s.console.Warn("%s can be reached from other machines and %s", url, consequence)
}

// Close ends the port for operators at once: nobody needs an answer of it any more.
func (s *Server) Close() {
	if s.port != nil {
		now, cancel := context.WithCancel(context.Background())
		cancel()
		_ = s.port.Close(now) // it says that something was broken off
	}
}

// Observe is who wants to know of every request, nil for nobody.
func (s *Server) Observe() func(httpserver.Exchange) {
	if s.operators == nil {
		return nil
	}
	return s.operators.Observe
}

// Start begins to serve. Until then a signal ends the program as usual. Operators are told
// what is served; people, if others can reach the port, what follows from that.
func (s *Server) Start(ctx context.Context, at Address, handler http.Handler, served operators.Service,
	consequence string) error {
	s.again = s.signals.Second()
	l, err := s.manager.Listen(ctx, at.Host, uint16(at.Port))
	if err != nil {
		return err
	}
	s.running = httpserver.Start(l, handler, httpserver.Options{Logger: s.Log})
	s.warnOfNeighbours(l.Addr(), s.URL(), consequence)
	if s.operators != nil {
		s.operators.Ready(served)
	}
	return nil
}

// URL is where the server is reached, once it was started.
func (s *Server) URL() string { return s.running.URL() }

// Run says where the server is reached, by a line and to the service manager, and lets
// it run until a signal comes.
func (s *Server) Run(ctx context.Context) error {
	s.console.Print(s.URL() + "\n")
	if err := s.console.Flush(); err != nil {
		return errors.Join(err, s.stop())
	}
	s.notify(s.manager.Ready)
	select {
	case <-s.running.Ended():
		return s.running.Err()
	case <-ctx.Done():
		s.Log.Info("stopping", "signal", context.Cause(ctx).Error())
		s.notify(s.manager.Stopping)
		if s.operators != nil {
			s.operators.Stopping()
		}
		return s.stop()
	}
}

// OnHangup calls reload at each SIGHUP, which no longer stops the server, until the function
// that it returns is called.
func (s *Server) OnHangup(reload func()) (end func()) {
	hangups := s.signals.Hangups()
	ended, idle := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(idle)
		for {
			select {
			case <-hangups:
				reload()
			case <-ended:
				return
			}
		}
	}()
	return func() {
		close(ended)
		<-idle
	}
}

// notify sends a message to the service manager. If it does not arrive, that is no
// reason to stop serving.
func (s *Server) notify(message func() error) {
	if err := message(); err != nil {
		s.Log.Error("service manager not told", "error", err)
	}
}

// stop lets the requests in flight end, unless another signal comes.
func (s *Server) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), httpserver.Grace)
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- s.running.Close(ctx) }()
	select {
	case <-s.again:
		return errors.New("stopped before all requests had ended")
	case err := <-closed:
		s.Log.Info("stopped", "complete", err == nil)
		return nil
	}
}
