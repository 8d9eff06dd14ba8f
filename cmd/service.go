package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/model-catalog-service/svc/internal/httpapi"
	"github.com/model-catalog-service/svc/internal/httpapi/server"
)

// What the usage of both servers says of how they run.
const (
	serviceText = `A TCP socket that a service manager hands over, as systemd does, is served in
place of --host and --port.

SIGINT or SIGTERM stops it: requests in flight get 10 seconds to end. A second
one stops it at once.`
	serviceNotes = `Exit codes:
  0  stopped by a signal
  1  failure: "service: <message>" on stderr
  2  usage error

Configuration:
  log.level (debug, info, warn, error) and log.format (text, json) are those of
  the log on stderr. admin.addr opens a second port with /healthz, /readyz,
  /metrics and /debug/pprof/.`
)

// address is where a server listens.
type address struct {
	host string
	port uint64
}

// declare adds the options to a strict command, for the usage and for shells.
func (a *address) declare(c *cobra.Command) {
	c.Flags().StringVar(&a.host, "host", a.host, "interface to bind: a `<host>` name or address")
	c.Flags().Uint64Var(&a.port, "port", a.port, "`<port>` to bind, 0 picks a free one")
	completeOption(c, "host", offerHosts)
	completeOption(c, "port", offerNothing)
}

// options are those that the strict layer judges.
func (a *address) options() []strictOption {
	return []strictOption{
		strictText("--host", &a.host),
		strictInteger("--port", &a.port, 0, math.MaxUint16),
	}
}

// service is a server from its start to its end, with what is around it: its log,
// the service manager, the port for operators and the signals that stop it.
type service struct {
	program   *program
	log       *slog.Logger
	manager   *server.Manager
	operators *adminListener // nil without such a port
	signals   chan os.Signal
	listener  net.Listener
	running   *server.Server
}

// newService finds what is around a server. It is to be closed.
func (p *program) newService(ctx context.Context) (*service, error) {
	s := &service{program: p, log: p.newLogger(), signals: make(chan os.Signal, 2)}
	var err error
	if s.manager, err = server.FindManager(); err != nil {
		return nil, err
	}
	if s.operators, err = p.startAdmin(ctx, s.log); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *service) close() {
	signal.Stop(s.signals)
	if s.operators != nil {
		s.operators.close()
	}
}

// observe is who wants to know of every request, nil for nobody.
func (s *service) observe() func(httpapi.Exchange) {
	if s.operators == nil {
		return nil
	}
	return s.operators.Observe
}

// start begins to serve. Before, while nothing is served, a signal ends the
// program as usual.
func (s *service) start(ctx context.Context, at address, handler http.Handler) (err error) {
	signal.Notify(s.signals, os.Interrupt, syscall.SIGTERM)
	if s.listener, err = s.manager.Listen(ctx, at.host, uint16(at.port)); err != nil {
		return err
	}
	s.running = server.Start(s.listener, handler, server.Options{Logger: s.log})
	return nil
}

// untilSignal says where the server is reached, by a line and to the service
// manager, and lets it run until a signal comes.
func (s *service) untilSignal() error {
	fmt.Fprintln(s.program.stdout, s.running.URL())
	if err := s.program.stdout.Flush(); err != nil {
		return errors.Join(err, s.stop())
	}
	s.tell(s.manager.Ready)
	select {
	case <-s.running.Ended():
		return s.running.Err()
	case sent := <-s.signals:
		s.log.Info("stopping", "signal", sent.String())
		s.tell(s.manager.Stopping)
		if s.operators != nil {
			s.operators.Stopping()
		}
		return s.stop()
	}
}

// tell tells the service manager something. Whoever does not hear it is no
// reason to stop serving.
func (s *service) tell(message func() error) {
	if err := message(); err != nil {
		s.log.Error("service manager not told", "error", err)
	}
}

// stop lets the requests in flight end, unless another signal comes.
func (s *service) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), server.Grace)
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- s.running.Close(ctx) }()
	select {
	case <-s.signals:
		return errors.New("stopped before all requests had ended")
	case err := <-closed:
		s.log.Info("stopped", "complete", err == nil)
		return nil
	}
}
