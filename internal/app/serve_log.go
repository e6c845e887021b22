package app

import (
	"log/slog"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/ui"
)

// newLog makes the service's log on standard error: text at a terminal, JSON otherwise. Failures inside the service
// are errors; each request is a message of level debug, which -v turns on.
func newLog(d *cmdutil.Deps) *slog.Logger {
	options := &slog.HandlerOptions{Level: slog.LevelInfo, ReplaceAttr: sanitized}
	if d.Options.Verbose {
		options.Level = slog.LevelDebug
	}
	if d.ErrTTY {
		return slog.New(slog.NewTextHandler(d.Err, options))
	}
	return slog.New(slog.NewJSONHandler(d.Err, options))
}

// sanitized removes from an attribute, which may be a client's text, all characters that control a terminal. The JSON
// of log/slog keeps C1 controls and those of the reading order.
func sanitized(_ []string, attribute slog.Attr) slog.Attr {
	switch attribute.Value.Kind() {
	case slog.KindString:
		attribute.Value = slog.StringValue(ui.Sanitize(attribute.Value.String()))
	case slog.KindAny:
		if err, ok := attribute.Value.Any().(error); ok {
			attribute.Value = slog.StringValue(ui.Sanitize(err.Error()))
		}
	}
	return attribute
}
