package server

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/cmd/internal/console"
)

// newLogger returns the log of a server, on stderr, as the configuration wants it. On a
// terminal text is for people.
func newLogger(e Environment) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(e.Config.Log.Level)) // the configuration has only names that slog knows
	options := &slog.HandlerOptions{Level: level}
	switch {
	case e.Config.Log.Format == "json":
		return slog.New(slog.NewJSONHandler(e.Console.Stderr(), options))
	case e.Console.IsErrTerminal():
		return slog.New(&lineHandler{console: e.Console, level: level})
	}
	return slog.New(slog.NewTextHandler(e.Console.Stderr(), options))
}

// lineHandler writes records as lines for people, who know what time it is:
//
//	serving: url http://127.0.0.1:4244, digest fdceaf5514d8, models 41
//	stopped
type lineHandler struct {
	console *console.Console
	level   slog.Level
	prefix  string   // of the keys that come
	parts   []string // attributes of all records
}

func (h *lineHandler) Enabled(_ context.Context, level slog.Level) bool { return level >= h.level }

func (h *lineHandler) Handle(_ context.Context, r slog.Record) error {
	parts := slices.Clone(h.parts)
	r.Attrs(func(a slog.Attr) bool {
		if isTrue := a.Value.Kind() == slog.KindBool && a.Value.Bool(); !isTrue { // all is well
			parts = append(parts, h.text(a))
		}
		return true
	})
	line := r.Message
	if len(parts) > 0 {
		line += ": " + strings.Join(parts, ", ")
	}
	switch {
	case r.Level >= slog.LevelError:
		h.console.Problem(line)
	case r.Level >= slog.LevelWarn:
		h.console.Warn("%s", line)
	default:
		h.console.Note("%s", line)
	}
	return nil
}

// text writes an attribute, of a hash the part that people compare.
func (h *lineHandler) text(a slog.Attr) string {
	const shortHash = 12
	value := fmt.Sprint(a.Value.Resolve().Any())
	if a.Key == "digest" && len(value) > shortHash {
		value = value[:shortHash]
	}
	return h.prefix + a.Key + " " + value
}

func (h *lineHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	other := *h
	for _, a := range attrs {
		other.parts = append(slices.Clip(other.parts), h.text(a))
	}
	return &other
}

func (h *lineHandler) WithGroup(name string) slog.Handler {
	other := *h
	other.prefix += name + "."
	return &other
}
