package cmdutil

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/auth/keystore"
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

// withoutServiceFlags are the commands that call no service, or name their profile themselves.
var withoutServiceFlags = [][]string{{"serve"}, {"version"}, {"help"}, {"profile", "set"}, {"profile", "use"}}

// NextStep returns a hint for a person. A command of payctl gets the flags of this one that name the service: a copied
// command must not log in to another one, or resolve writes there.
func (d *Deps) NextStep(hint shell.Hint) string {
	words := hint.Command
	if len(words) == 0 || words[0] != "payctl" || slices.ContainsFunc(withoutServiceFlags, func(command []string) bool {
		return len(words) > len(command) && slices.Equal(words[1:1+len(command)], command)
	}) {
		return hint.String()
	}
	hint.Command = slices.Concat(words[:1], d.serviceFlags(), words[1:])
	return hint.String()
}

// serviceFlags are the flags of this command that name the service.
func (d *Deps) serviceFlags() (flags []string) {
	if d.Options.Profile != "" {
		flags = append(flags, "-p", d.Options.Profile)
	}
	if _, err := settings.ParseBaseURL(d.Options.BaseURL); err == nil { // a URL that is refused may hold a password
		flags = append(flags, "--base-url", d.Options.BaseURL)
	}
	if d.Options.CACert != "" {
		flags = append(flags, "--ca-cert", d.Options.CACert)
	}
	if slices.Contains([]string{keystore.KeyringStore, keystore.FileStore}, d.Options.CredentialStore) {
		flags = append(flags, "--credential-store", d.Options.CredentialStore)
	}
	if d.Options.AllowInsecureHTTP {
		flags = append(flags, "--allow-insecure-http")
	}
	return flags
}

// annotationLocal marks commands that make no call to the service that the settings name.
const annotationLocal = "payctl:local"

// Local marks a command, and those below it, as making no call to the service.
func Local(cmd *cobra.Command) *cobra.Command {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[annotationLocal] = "true"
	return cmd
}

// IsLocal reports whether a command makes no call to the service.
func IsLocal(cmd *cobra.Command) bool {
	for ; cmd != nil; cmd = cmd.Parent() {
		if cmd.Annotations[annotationLocal] != "" {
			return true
		}
	}
	return false
}

// PrintCurl prints the command line of a call: as it is, or in the format that -o asks for.
func (d *Deps) PrintCurl(line string) error {
	printer, err := d.Printer(context.Background()) // the context of the command has been ended by now
	if err != nil {
		return err
	}
	return d.PrintText(printer, "curl", line, ui.SanitizeLines)
}
