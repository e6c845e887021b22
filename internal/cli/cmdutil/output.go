package cmdutil

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// Printer prints results in the format that the settings name.
func (d *Deps) Printer(ctx context.Context) (*ui.Printer, error) {
	resolved, err := d.Settings()
	if err != nil {
		return nil, err
	}
	return d.printer(ctx, resolved.Output)
}

// PrinterAnyway is Printer for commands that work with broken settings too. Then the flag and the environment alone
// name the format.
func (d *Deps) PrinterAnyway(ctx context.Context) (*ui.Printer, error) {
	printer, err := d.Printer(ctx)
	if err == nil || errors.Is(err, ErrUsage) {
		return printer, err
	}
	return d.printer(ctx, cmp.Or(d.Options.Output, d.Getenv(settings.EnvOutput), string(ui.FormatTable)))
}

// FeedPrinter is Printer for output without an end. A jq expression gets each row by itself, unless -o asks for one
// document.
func (d *Deps) FeedPrinter(ctx context.Context) (*ui.Printer, error) {
	if d.Options.JQ == "" || d.Options.Output != "" {
		return d.Printer(ctx)
	}
	return d.printer(ctx, string(ui.FormatNDJSON))
}

func (d *Deps) printer(ctx context.Context, format string) (*ui.Printer, error) {
	printer, err := ui.NewPrinter(d.Streams, ui.Format(format), d.Options.JQ)
	if err != nil {
		return nil, Usage("%v", err)
	}
	return printer.With(ctx), nil
}

// PrintText prints a text alone, for $(…) of a shell, or in another format as a member of an object. At a terminal the
// text passes sanitize: ui.Sanitize, unless it has lines of payctl's own.
func (d *Deps) PrintText(printer *ui.Printer, name, text string, sanitize func(string) string) error {
	if printer.Format() != ui.FormatTable {
		return printer.Print(map[string]string{name: text}, nil)
	}
	if d.OutTTY {
		text = sanitize(text)
	}
	_, err := fmt.Fprintln(d.Out, text)
	return err
}

// PrinterAndPayments makes the printer before the service: a mistake in --jq is found before a request is sent.
func (d *Deps) PrinterAndPayments(ctx context.Context) (*ui.Printer, payments.Service, error) {
	printer, err := d.Printer(ctx)
	if err != nil {
		return nil, nil, err
	}
	service, err := d.Payments()
	return printer, service, err
}

// PrintOne asks a service, such as Deps.Payments, for one thing and prints it.
func PrintOne[S, T any](
	ctx context.Context, d *Deps, connect func() (S, error), ask func(S) (T, error), view func(T) ui.Details,
) (value T, err error) {
	printer, err := d.Printer(ctx)
	if err != nil {
		return value, err
	}
	service, err := connect()
	if err != nil {
		return value, err
	}
	if value, err = ask(service); err != nil {
		return value, err
	}
	err = printer.Print(value, func() ui.Details { return view(value) })
	return value, OutputFailed(err, "what was asked for was done")
}

// Done reports a change that was made: to a person on standard error, to a program as a result on standard output. Make
// the printer before the change, to find a mistake in the output's format before it.
func (d *Deps) Done(printer *ui.Printer, result any, format string, args ...any) error {
	d.Successf(format, args...)
	if printer.Format() == ui.FormatTable {
		return nil
	}
	return printer.Print(result, nil)
}

// Hint tells a person at a terminal what to do next. A log does not get it.
func (d *Deps) Hint(hint shell.Hint) {
	if d.ErrTTY {
		d.Notef("Next: %s", d.NextStep(hint))
	}
}
