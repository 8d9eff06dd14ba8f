package server

import (
	"bytes"
	"context"
	"log"
	"log/slog"
)

// newErrorLog returns a log for package net/http. Almost all that it has to say
// is what clients do wrong, who must not be able to fill the log.
func newErrorLog(logger *slog.Logger) *log.Logger {
	return log.New(errorLog{logger}, "", 0)
}

type errorLog struct{ logger *slog.Logger }

func (l errorLog) Write(line []byte) (int, error) {
	level := slog.LevelDebug
	if bytes.HasPrefix(line, []byte("http: Accept error")) {
		level = slog.LevelError
	}
	l.logger.Log(context.Background(), level, string(bytes.TrimSpace(line)))
	return len(line), nil
}
