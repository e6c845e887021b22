package app

import (
	"log/slog"

	"github.com/payctl/payctl/internal/cli/deps"
)

// newLog writes what the service has to say to standard error: text for people, JSON for programs. Failures inside the
// service are errors; each request is told of at the level debug, which -v asks for too.
func newLog(d *deps.Deps, level string) (*slog.Logger, error) {
	options := &slog.HandlerOptions{Level: slog.LevelInfo}
	if d.Options.Verbose {
		options.Level = slog.LevelDebug
	}
	if level != "" {
		var named slog.Level
		if err := named.UnmarshalText([]byte(level)); err != nil {
			return nil, deps.Usage("--log-level must be debug, info, warn or error")
		}
		options.Level = named
	}
	if d.ErrTTY {
		return slog.New(slog.NewTextHandler(d.Err, options)), nil
	}
	return slog.New(slog.NewJSONHandler(d.Err, options)), nil
}
