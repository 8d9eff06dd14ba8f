package cmd

import "log/slog"

// newLogger returns the log of a server, on stderr, as the configuration wants
// it: text at level info, if it says nothing.
func (p *program) newLogger() *slog.Logger {
	level := slog.LevelInfo
	if name := p.settings.Log.Level; name != "" {
		// The configuration knows no other names than those of slog.
		_ = level.UnmarshalText([]byte(name))
	}
	options := &slog.HandlerOptions{Level: level}
	if p.settings.Log.Format == "json" {
		return slog.New(slog.NewJSONHandler(p.stderr, options))
	}
	return slog.New(slog.NewTextHandler(p.stderr, options))
}
