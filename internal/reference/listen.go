package reference

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/payctl/payctl/internal/service"
)

// Limits of a connection. A held answer may take a minute.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 30 * time.Second
	writeTimeout      = 90 * time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 32 << 10
	shutdownTimeout   = 5 * time.Second
)

// Serve answers on a listener until the context ends; then held answers are given, running requests finish, and it
// returns nil. The TLS configuration is nil for plain HTTP.
func (s *Service) Serve(ctx context.Context, listener net.Listener, security *tls.Config, log *slog.Logger) error {
	requests, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	if security != nil {
		listener = tls.NewListener(listener, security)
	}
	httpServer := &http.Server{
		Handler:           s.Handler,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		BaseContext:       func(net.Listener) context.Context { return requests },
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	stopped := make(chan error, 1)
	go func() { stopped <- httpServer.Serve(listener) }()
	select {
	case err := <-stopped:
		return err
	case <-ctx.Done():
	}
	stop(service.ErrStopping)
	deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if err := httpServer.Shutdown(deadline); err != nil {
		log.WarnContext(ctx, "connections were cut that did not end in time", "after", shutdownTimeout)
		return httpServer.Close()
	}
	return nil
}
