package server

import (
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/cmd/internal/config"
	"github.com/model-catalog-service/svc/cmd/internal/console"
)

// A log is as the configuration has it. How servers start and stop is tested in package
// cmd, with the program itself.
func TestLogger(t *testing.T) {
	for format, want := range map[string]string{"text": "level=INFO msg=hello\n", "json": `"level":"INFO","msg":"hello"}` + "\n"} {
		var log strings.Builder
		e := Environment{Console: console.New(io.Discard, &log), Config: &config.Config{}}
		e.Config.Log.Level, e.Config.Log.Format = "info", format
		l := newLogger(e)
		l.Info("hello")
		if !strings.HasSuffix(log.String(), want) || l.Enabled(t.Context(), slog.LevelDebug) {
			t.Errorf("%s: %q", format, log.String())
		}
	}
}
