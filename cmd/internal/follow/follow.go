// Package follow serves a catalog, and learns what became of it while it does: of its source, where
// a policy asks that, and of the tag of a registry, which may name another catalog.
package follow

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/trust"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/httpapi"
	"github.com/model-catalog-service/svc/internal/httpserver"
	"github.com/model-catalog-service/svc/internal/httpserver/operators"
	"github.com/model-catalog-service/svc/internal/verify/standing"
)

// Tag is a tag of a registry.
type Tag struct {
	Name    string
	Every   time.Duration // is how often to look at it
	Resolve func(ctx context.Context) (name string, err error)
	Load    func(ctx context.Context, name string) (*catalog.Catalog, trust.Verdict, error)
}

// Server serves the catalog that was taken last. Each request is answered of one alone. It is safe
// for concurrent use, once a catalog is taken.
type Server struct {
	Options httpapi.Options // but for Trust
	// Front puts a page in front of the API, unless it is nil. The sentence says what became of the
	// catalog.
	Front func(c *catalog.Catalog, sentence string, api *httpapi.Handler) (http.Handler, error)
	Tag   *Tag // to follow; nil for none

	answers  httpserver.Switch
	current  atomic.Pointer[served]
	failures atomic.Int64
}

// served is a catalog that is served.
type served struct {
	api     *httpapi.Handler
	catalog *catalog.Catalog
	name    string // by digest, in a registry
	verdict trust.Verdict
}

// Handler answers requests.
func (s *Server) Handler() http.Handler { return &s.answers }

// Take serves a catalog from now on. The name is that by digest, in a registry.
func (s *Server) Take(c *catalog.Catalog, v trust.Verdict, name string) error {
	bytes := c.Size()
	if old := s.current.Load(); old != nil {
		bytes += old.catalog.Size() // until the requests in flight have ended
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(httpapi.MemoryLimit(bytes, s.Options))
	}
	options := s.Options
	options.Trust = string(v.State)
	api, err := httpapi.NewHandler(c, options)
	if err == nil {
		err = s.serve(&served{api: api, catalog: c, name: name, verdict: v})
	}
	debug.FreeOSMemory() // reading the catalog took as much again as serving it does
	return err
}

func (s *Server) serve(next *served) (err error) {
	all := http.Handler(next.api)
	if s.Front != nil {
		if all, err = s.Front(next.catalog, next.verdict.Sentence, next.api); err != nil {
			return err
		}
	}
	s.current.Store(next)
	s.answers.Set(all)
	return nil
}

// errWithdrawn is why a server is not ready.
var errWithdrawn = errors.New("the catalog was withdrawn")

// Service is what operators ask.
func (s *Server) Service() operators.Service {
	o := operators.Service{
		Work:      "rank",
		InFlight:  func() int { return s.current.Load().api.RanksInFlight() },
		HeldBytes: func() int64 { return s.current.Load().api.HeldBytes() },
		Catalog: func() (digest, asOf string) {
			c := s.current.Load().catalog
			return c.Digest(), c.AsOf()
		},
		Trust: func() string { return string(s.current.Load().verdict.State) },
		Check: func(context.Context) error {
			if s.current.Load().verdict.State == standing.Withdrawn {
				return errWithdrawn
			}
			return nil
		},
	}
	if s.Tag != nil {
		o.Failures = s.failures.Load
	}
	return o
}

// Start looks again and again, where there is anything to look for, until it is stopped.
func (s *Server) Start(ctx context.Context) (stop func()) {
	const longest = time.Minute
	var every time.Duration
	switch v := s.current.Load().verdict; {
	case s.Tag != nil:
		every = s.Tag.Every
	case v.MayChange():
		every = min(v.MaxAge(), longest)
	default:
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.run(ctx, every)
	}()
	return func() { cancel(); <-ended }
}

func (s *Server) run(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if s.Tag != nil {
			if err := s.look(ctx); err != nil && ctx.Err() == nil {
				s.failures.Add(1)
				s.log(slog.LevelError, "catalog kept", "tag", s.Tag.Name, "error", err)
			}
		}
		if err := s.judge(ctx); err != nil && ctx.Err() == nil {
			s.log(slog.LevelError, "catalog not judged", "error", err)
		}
	}
}

// log logs something about the catalog that is served.
func (s *Server) log(level slog.Level, message string, more ...any) {
	about := []any{"digest", s.current.Load().catalog.Digest()}
	s.Options.Logger.Log(context.Background(), level, message, append(about, more...)...)
}

// errNobody is why a catalog is not taken that nobody vouches for.
var errNobody = errors.New("nobody vouches for it whom the policy believes")

// look takes the catalog that the tag names, if that is another one. It is loaded beside the one
// that is served, which stays where anything is wrong.
func (s *Server) look(ctx context.Context) error {
	const patience = 10 * time.Minute // for a large catalog on a slow line
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	name, err := s.Tag.Resolve(ctx)
	old := s.current.Load()
	if err != nil || name == old.name {
		return err
	}
	c, v, err := s.Tag.Load(ctx, name)
	if err != nil {
		return err
	}
	if v.State == standing.Unknown {
		return files.Named(name, errors.Join(errNobody, errors.New(v.Sentence)))
	}
	if err := s.Take(c, v, name); err != nil {
		return err
	}
	s.log(slog.LevelInfo, "catalog taken", "tag", s.Tag.Name, "asOf", c.AsOf(), "before", old.catalog.Digest(),
		"trust", v.Sentence)
	return nil
}

// judge says what became of the catalog since it was judged last.
func (s *Server) judge(ctx context.Context) error {
	next := *s.current.Load() // nobody else changes it
	before := next.verdict.State
	if !next.verdict.MayChange() {
		return nil
	}
	var err error
	if next.verdict, err = next.verdict.Again(ctx); err != nil || next.verdict.State == before || ctx.Err() != nil {
		return err
	}
	next.api = next.api.WithTrust(string(next.verdict.State))
	if err := s.serve(&next); err != nil {
		return err
	}
	level := slog.LevelWarn
	switch next.verdict.State {
	case standing.Verified:
		level = slog.LevelInfo
	case standing.Withdrawn:
		level = slog.LevelError
	}
	s.log(level, "catalog judged", "state", next.verdict.State, "before", before, "trust", next.verdict.Sentence)
	return nil
}
