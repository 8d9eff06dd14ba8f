package server

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/cmd/internal/console"
)

// A log for people has neither times nor quotes, faults look like faults, and nothing that
// comes from outside commands the terminal.
func TestLinesForPeople(t *testing.T) {
	var seen bytes.Buffer
	log := slog.New(&lineHandler{console: console.New(&seen, &seen), level: slog.LevelInfo})
	log.Debug("request")
	log.Info("serving", "url", "http://127.0.0.1:1", "digest", strings.Repeat("0123456789abcdef", 4), "models", 41)
	log.Info("stopped", "complete", true)
	log.Info("stopped", "complete", false)
	log.Warn("slow", "took", "2s")
	log.Error("not sent", "cause", errors.New("a\x1b[2Jb"))
	log.With("one", 1).WithGroup("group").With("two", 2).Info("nested", "three", 3)
	const want = `serving: url http://127.0.0.1:1, digest 0123456789ab, models 41
stopped
stopped: complete false
warning: slow: took 2s
service: not sent: cause a\x1b[2Jb
nested: one 1, group.two 2, group.three 3
`
	if seen.String() != want {
		t.Errorf("the log is\n%s\nnot\n%s", seen.String(), want)
	}
}
