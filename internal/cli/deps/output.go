package deps

import (
	"cmp"
	"context"
	"errors"

	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/term"
)

// PrinterAnyway is Printer for commands that have to work when the settings are what is broken: then the flag and the
// environment alone say in which form to print.
func (d *Deps) PrinterAnyway(ctx context.Context) (*term.Printer, error) {
	printer, err := d.Printer(ctx)
	if err == nil || errors.Is(err, ErrUsage) {
		return printer, err
	}
	format, err := term.ParseFormat(cmp.Or(d.Options.Output, d.Getenv(config.EnvOutput), string(term.FormatTable)))
	if err != nil {
		return nil, Usage("%v", err)
	}
	if printer, err = term.NewPrinter(d.Streams, format, d.Options.JQ); err != nil {
		return nil, Usage("%v", err)
	}
	return printer.With(ctx), nil
}

// FeedPrinter is Printer for what has no end: a jq expression sees each row by itself, as it comes, unless -o says that it
// is to see one document.
func (d *Deps) FeedPrinter(ctx context.Context) (*term.Printer, error) {
	if d.Options.JQ == "" || d.Options.Output != "" {
		return d.Printer(ctx)
	}
	printer, err := term.NewPrinter(d.Streams, term.FormatNDJSON, d.Options.JQ)
	if err != nil {
		return nil, Usage("%v", err)
	}
	return printer.With(ctx), nil
}

// Done tells that a change was made: a person by a sentence on standard error, a program by a result on standard output.
// Make the printer before the change, so that a mistake in the form of the output does not come to light after it.
func (d *Deps) Done(printer *term.Printer, result any, format string, args ...any) error {
	d.Successf(format, args...)
	if printer.Format() == term.FormatTable {
		return nil
	}
	return printer.Print(result, func() term.View { return term.Details{} })
}
