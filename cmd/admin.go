package cmd

import (
	"context"
	"fmt"
	"log/slog"
	"net"

	"github.com/model-catalog-service/svc/internal/httpapi/admin"
	"github.com/model-catalog-service/svc/internal/httpapi/server"
)

// adminListener is the second port of a server, for operators. It is nil where
// the configuration names none.
type adminListener struct {
	*admin.Admin
	running *server.Server
}

// startAdmin opens the second port, if there is to be one. It answers from now
// on, so that a long start can be watched.
func (p *program) startAdmin(ctx context.Context, logger *slog.Logger) (*adminListener, error) {
	addr := p.settings.Admin.Addr
	if addr == "" {
		return nil, nil
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("admin.addr: %w", err)
	}
	a := &adminListener{Admin: admin.New()}
	a.running = server.Start(l, a.Admin, server.Options{Logger: logger})
	logger.Info("admin listener", "url", a.running.URL())
	return a, nil
}

// close ends it at once: what is being asked of it is of no use any more.
func (a *adminListener) close() {
	now, cancel := context.WithCancel(context.Background())
	cancel()
	_ = a.running.Close(now) // that something was broken off is what it tells
}
