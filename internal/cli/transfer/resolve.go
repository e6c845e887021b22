package transfer

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cliflags"
	"github.com/payctl/payctl/internal/cli/display"
	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
)

type resolveOptions struct {
	list    bool
	all     bool
	resend  bool
	dismiss bool
	journal string
	after   time.Duration
}

func newResolve(d *invocation.Deps) *cobra.Command {
	o := &resolveOptions{}
	cmd := &cobra.Command{
		Use:   "resolve [REFERENCE|KEY|ID…]",
		Short: "Find out what became of writes whose outcome is unknown",
		Long: `Ask the service what became of writes whose outcome is unknown. Nothing is sent without --resend.

A write that the service does not show --after it was sent counts as not done: run its command
again. --resend looks again, asks, and sends it at once. What cannot be looked up stays open until
--dismiss. Exit code 10: some writes are open, or a reference has several transfers.`,
		Example: `  payctl transfer resolve
  payctl transfer resolve --list --all -o json | jq -r '.[] | select(.outcome == "refused") | .reference'
  payctl transfer resolve invoice-42 --resend`,
		RunE: func(cmd *cobra.Command, args []string) error { return runResolve(cmd.Context(), d, o, args) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.list, "list", false, "show the open writes without asking the service")
	f.BoolVar(&o.all, "all", false, "with --list: also show writes whose outcome is known")
	f.BoolVar(&o.resend, "resend", false, "send the named transfers again if the service does not show them")
	f.BoolVar(&o.dismiss, "dismiss", false, "close the named writes that cannot be looked up")
	cliflags.DurationVar(f, &o.after, "after", outbox.AbsentAfter,
		"a write counts as not done if it is not shown `DURATION` after it was sent")
	f.StringVar(&o.journal, "journal", "", "`FILE` of the journal (default: in the state folder)")
	cmd.MarkFlagsMutuallyExclusive("list", "resend", "dismiss")
	return cmd
}

func (o *resolveOptions) check(names []string, curl bool) error {
	switch {
	case o.all && !o.list:
		return exit.Usage("--all needs --list")
	case o.resend && len(names) == 0:
		return exit.Usage("--resend needs the reference, key or id of what to send again")
	case o.dismiss && len(names) == 0:
		return exit.Usage("--dismiss needs the key or id of what you have looked for")
	case o.after < 0:
		return exit.Usage("--after must not be negative")
	case curl && (o.list || o.dismiss): // they may change the journal for good
		return exit.Usage("--list and --dismiss make no call that --curl could show")
	}
	return nil
}

// runResolve resolves the open writes, or those with the given references, keys or ids, and prints them.
func runResolve(ctx context.Context, d *invocation.Deps, o *resolveOptions, names []string) error {
	if err := o.check(names, d.Options.Curl); err != nil {
		return err
	}
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	writes, err := d.Connect(invocation.ClientOptions{Journal: o.journal})
	if err != nil {
		return err
	}
	reopens := o.resend || o.dismiss // also what was done, if its effect is gone
	entries, err := findEntries(ctx, writes, names, !o.all && !reopens)
	if err != nil {
		return err
	}
	if len(names) > 0 && len(entries) == 0 {
		return noOpenEntry(ctx, writes, names)
	}
	if o.resend {
		if err := confirmResend(ctx, d, len(entries)); err != nil {
			return err
		}
	}
	var shown []resolvedWrite
	options := outbox.ResolveOptions{After: o.after, Resend: o.resend, Dismiss: o.dismiss}
	open, hidden, paidTwice := 0, []string(nil), error(nil)
	for _, entry := range entries {
		if !o.list && (entry.IsOpen() || reopens && entry.Outcome == journal.OutcomeDone) && !entry.Busy {
			resolved, err := writes.Resolve(ctx, entry, options)
			if err != nil {
				return errors.Join(resolveTable.Print(printer, shown, ""), err) // the other writes are open still
			}
			paidTwice = cmp.Or(paidTwice, resolved.PaidTwice)
			if entry = resolved.Entry; resolved.Hidden {
				hidden = append(hidden, entry.Key)
			}
		}
		if entry.Busy {
			entry.Detail = "Another payctl is sending it."
		}
		if entry.IsOpen() {
			open++
		}
		shown = append(shown, newResolvedWrite(entry))
	}
	if d.Options.Curl {
		return nil // no call was made about some, and a shell may run what is printed
	}
	if err := resolveTable.Print(printer, shown, "No write is open."); err != nil {
		return err
	}
	if open > 0 {
		return unresolved(open, o.list, hidden)
	}
	return paidTwice
}

// findEntries returns the entries with the given references, keys or ids; without names it returns all.
func findEntries(
	ctx context.Context, writes *outbox.Outbox, names []string, open bool,
) (entries []journal.Entry, err error) {
	if len(names) == 0 {
		names = []string{""} // which filters nothing
	}
	for _, name := range names {
		filter := journal.Filter{Open: open, Text: name}
		err = errors.Join(err, writes.Journal.Each(ctx, filter, func(entry journal.Entry) error {
			entries = append(entries, entry)
			return nil
		}))
	}
	return entries, err
}

// noOpenEntry returns the error of names without an open entry.
func noOpenEntry(ctx context.Context, writes *outbox.Outbox, names []string) error {
	entries, err := findEntries(ctx, writes, names, false)
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		last := entries[len(entries)-1]
		reason := strings.TrimSpace("the write " + names[0] + " is resolved: " + string(last.Outcome) + " " + last.Subject)
		return exit.Usage("%s", reason).
			WithHint(shell.Hint("payctl transfer resolve --list --all -- NAME", shell.Values{"NAME": names[0]}))
	}
	return payments.NotFound("journal entry", names[0])
}

func confirmResend(ctx context.Context, d *invocation.Deps, count int) error {
	asks, err := d.MustAsk("sending money again")
	if err != nil || !asks {
		return err
	}
	return d.Confirmed(ctx, "Send "+display.Count(count, "transfer(s)")+" again if the service does not show them?")
}
