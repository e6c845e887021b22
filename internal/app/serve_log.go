package app

import (
	"log/slog"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/term"
)

// newLog writes what the service has to say to standard error: text for people, JSON for programs. Failures inside the
// service are errors; each request is told of at the level debug, which -v asks for too.
func newLog(d *deps.Deps, level string) (*slog.Logger, error) {
	options := &slog.HandlerOptions{Level: slog.LevelInfo, ReplaceAttr: harmless}
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

// harmless makes what a client sent harmless for whoever reads the log at a terminal. JSON of log/slog leaves C1 controls
// and those of the reading order as they are.
func harmless(_ []string, attribute slog.Attr) slog.Attr {
	switch attribute.Value.Kind() {
	case slog.KindString:
		attribute.Value = slog.StringValue(term.Sanitize(attribute.Value.String()))
	case slog.KindAny:
		if err, ok := attribute.Value.Any().(error); ok {
			attribute.Value = slog.StringValue(term.Sanitize(err.Error()))
		}
	}
	return attribute
}
