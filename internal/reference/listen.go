package reference

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"

	"github.com/payctl/payctl/internal/service"
)

// Serve answers on a listener until the context ends; then held answers are given, running requests finish, and it
// returns nil. The TLS configuration is nil for plain HTTP.
func (s *Service) Serve(ctx context.Context, listener net.Listener, security *tls.Config, log *slog.Logger) error {
	requests, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	bounds := s.Server.Bounds()
	httpServer := &http.Server{
		Handler:           s.Handler,
		ReadHeaderTimeout: bounds.HeadTimeout,
		BaseContext:       func(net.Listener) context.Context { return requests },
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	listener = s.Server.Guard(httpServer, listener, security)
	stopped := make(chan error, 1)
	go func() { stopped <- httpServer.Serve(listener) }()
	select {
	case err := <-stopped:
		return err
	case <-ctx.Done():
	}
	stop(service.ErrStopping)
	deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), bounds.StopTimeout)
	defer cancel()
	if err := httpServer.Shutdown(deadline); err != nil {
		log.WarnContext(ctx, "connections were cut that did not end in time", "after", bounds.StopTimeout)
		return httpServer.Close()
	}
	return nil
}
