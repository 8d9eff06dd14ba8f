package cmd

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
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/internal/httpserver"
	"github.com/model-catalog-service/svc/internal/httpserver/operators"
)

// What serve and verify-serve share: how they run.

// address is where a server listens.
type address struct {
	host string
	port uint64
}

func (a *address) hostOption() option.Option {
	return option.Option{Name: "host", Value: option.Text(&a.host), Usage: "interface to bind: a `<host>` name or address",
		Offer: option.Words("127.0.0.1\tonly this machine", "::1\tonly this machine, IPv6", "0.0.0.0\twhoever can reach this machine")}
}

func (a *address) portOption() option.Option {
	return option.Option{Name: "port", Value: option.Integer(&a.port, 0, math.MaxUint16), Offer: option.Nothing,
		Usage: "`<port>` to bind, 0 picks a free one"}
}

// service is a server from its start to its end, with what is around it: its log, the
// service manager and the port for operators.
type service struct {
	program   *program
	log       *slog.Logger
	manager   *httpserver.Manager
	operators *operators.Operators // nil without a port for operators
	port      *httpserver.Server   // that port
	again     <-chan os.Signal
	listener  net.Listener
	running   *httpserver.Server
}

// newService finds what is around a server. It is to be closed.
// The address of the port for operators is that of the server alone, if it has one, else
// that for all servers.
func (p *program) newService(ctx context.Context, own config.Admin) (*service, error) {
	s := &service{program: p, log: p.newLogger()}
	var err error
	if s.manager, err = httpserver.FindManager(); err != nil {
		return nil, err
	}
	return s, s.openPort(ctx, cmp.Or(own, p.config.Admin).Addr)
}

// openPort opens the port for operators, if there is to be one. It answers from now on,
// so that a long start can be watched.
func (s *service) openPort(ctx context.Context, addr string) error {
	if addr == "" {
		return nil
	}
	host, name, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("admin.addr: %w", err)
	}
	port, err := net.DefaultResolver.LookupPort(ctx, "tcp", name)
	if err != nil {
		return fmt.Errorf("admin.addr: %w", err)
	}
	l, err := httpserver.Listen(ctx, host, uint16(port))
	if err != nil {
		return fmt.Errorf("admin.addr: %w", err)
	}
	s.operators = operators.New(host)
	s.port = httpserver.Start(l, s.operators, httpserver.Options{Logger: s.log})
	s.log.Info("admin listener", "url", s.port.URL())
	s.program.warnOfNeighbours(l.Addr(), s.port.URL(), "shows the inside of this process to whoever asks: let only operators reach it")
	return nil
}

// warnOfNeighbours says that others can reach a port which asks nobody who they are, and
// what follows. It is no part of the log, which may be off.
func (p *program) warnOfNeighbours(addr net.Addr, url, consequence string) {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsLoopback() {
		return
	}
	p.Warn("%s can be reached from other machines and %s", url, consequence)
}

// close ends the port for operators at once: nobody needs an answer of it any more.
func (s *service) close() {
	if s.port != nil {
		now, cancel := context.WithCancel(context.Background())
		cancel()
		_ = s.port.Close(now) // it says that something was broken off
	}
}

// newLogger returns the log of a server, on stderr, as the configuration wants it.
func (p *program) newLogger() *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(p.config.Log.Level)) // the configuration has only names that slog knows
	options := &slog.HandlerOptions{Level: level}
	if p.config.Log.Format == "json" {
		return slog.New(slog.NewJSONHandler(p.Stderr(), options))
	}
	return slog.New(slog.NewTextHandler(p.Stderr(), options))
}

// observe is who wants to know of every request, nil for nobody.
func (s *service) observe() func(httpserver.Exchange) {
	if s.operators == nil {
		return nil
	}
	return s.operators.Observe
}

// start begins to serve. Until then a signal ends the program as usual.
func (s *service) start(ctx context.Context, at address, handler http.Handler) (err error) {
	s.again = s.program.signals.Again()
	if s.listener, err = s.manager.Listen(ctx, at.host, uint16(at.port)); err != nil {
		return err
	}
	s.running = httpserver.Start(s.listener, handler, httpserver.Options{Logger: s.log})
	return nil
}

// run says where the server is reached, by a line and to the service manager, and lets
// it run until a signal comes.
func (s *service) run(ctx context.Context) error {
	s.program.Print(s.running.URL() + "\n")
	if err := s.program.Flush(); err != nil {
		return errors.Join(err, s.stop())
	}
	s.notify(s.manager.Ready)
	select {
	case <-s.running.Ended():
		return s.running.Err()
	case <-ctx.Done():
		s.log.Info("stopping", "signal", context.Cause(ctx).Error())
		s.notify(s.manager.Stopping)
		if s.operators != nil {
			s.operators.Stopping()
		}
		return s.stop()
	}
}

// notify sends a message to the service manager. If it does not arrive, that is no
// reason to stop serving.
func (s *service) notify(message func() error) {
	if err := message(); err != nil {
		s.log.Error("service manager not told", "error", err)
	}
}

// stop lets the requests in flight end, unless another signal comes.
func (s *service) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), httpserver.Grace)
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- s.running.Close(ctx) }()
	select {
	case <-s.again:
		return errors.New("stopped before all requests had ended")
	case err := <-closed:
		s.log.Info("stopped", "complete", err == nil)
		return nil
	}
}
