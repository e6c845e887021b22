package transfer

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

type settleOptions struct {
	list    bool
	all     bool
	resend  bool
	compact bool
	dismiss bool
	after   time.Duration
}

func newSettle(d *deps.Deps) *cobra.Command {
	o := &settleOptions{}
	cmd := &cobra.Command{
		Use:   "settle [REFERENCE|KEY|ID…]",
		Short: "Find out what became of writes whose outcome is not known",
		Long: `Find out what became of writes whose outcome is not known.

Every write is put down in a journal on this machine before it leaves, and its outcome when the answer comes. Where no
answer came, this looks at the service whether the write had its effect: transfers by their reference or external id,
cancellations by the transfer, accounts by their external id. It reads and sends nothing.

What is not there may still be on its way, so it counts as not done only --after a while. Then the same line may be run
again, and sends it again. --resend does so at once, for the transfers that are named, and asks first. What there is nothing
to find by, such as a saved contact, you look for yourself and then --dismiss.

With --list it only shows what the journal holds. Exit codes: 0 nothing is open, 10 something still is.`,
		Example: `  payctl transfer settle
  payctl transfer settle --list --all -o json | jq -r '.[] | select(.outcome == "refused") | .reference'
  payctl transfer settle invoice-42 --resend`,
		RunE: func(cmd *cobra.Command, args []string) error { return settle(cmd.Context(), d, o, args) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.list, "list", false, "show what is open, and ask the service nothing")
	f.BoolVar(&o.all, "all", false, "with --list: show what is settled too")
	f.BoolVar(&o.resend, "resend", false, "send the named transfers again if the service does not show them")
	f.BoolVar(&o.dismiss, "dismiss", false, "put the named writes down as looked after, where there is nothing to find them by")
	f.BoolVar(&o.compact, "compact", false, "drop what did not happen and is older than 30 days")
	f.DurationVar(&o.after, "after", 15*time.Minute, "what the service does not show `DURATION` after it was sent counts as not done")
	f.StringVar(&d.Options.Journal, "journal", "", "the journal's `FILE` (default: in the state folder)")
	cmd.MarkFlagsMutuallyExclusive("list", "resend", "dismiss", "compact")
	return cmd
}

// keepFor is how long the journal keeps what did not happen.
const keepFor = 30 * 24 * time.Hour

func (o *settleOptions) check(names []string, curl bool) error {
	switch {
	case o.all && !o.list:
		return deps.Usage("--all needs --list")
	case o.resend && len(names) == 0:
		return deps.Usage("--resend needs the reference, key or id of what to send again")
	case o.dismiss && len(names) == 0:
		return deps.Usage("--dismiss needs the key or id of what you have looked for")
	case o.after < 0:
		return deps.Usage("--after must not be negative")
	case curl && (o.list || o.dismiss || o.compact): // what they change is the journal, and that for good
		return deps.Usage("--list, --dismiss and --compact are about the journal on this machine, so that --curl has no call to show")
	}
	return nil
}

func settle(ctx context.Context, d *deps.Deps, o *settleOptions, names []string) error {
	if err := o.check(names, d.Options.Curl); err != nil {
		return err
	}
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	writes, err := d.Journal()
	if err != nil {
		return err
	}
	if o.compact {
		return compact(ctx, d, printer, writes)
	}
	entries, err := named(ctx, writes, names, !o.all)
	if err != nil {
		return err
	}
	if len(names) > 0 && len(entries) == 0 {
		return nothingNamed(ctx, writes, names)
	}
	if o.resend {
		if err := confirmResend(ctx, d, len(entries)); err != nil {
			return err
		}
	}
	stream := printer.Stream(settleColumns)
	stream.Empty = "Nothing is open."
	open := deps.StillOpen{Listed: o.list}
	for _, entry := range entries {
		if !o.list && !entry.Outcome.Settled() && !entry.Busy {
			var hidden bool
			if entry, hidden, err = look(ctx, d, o, writes, entry); err != nil {
				return errors.Join(err, stream.Close())
			}
			if hidden {
				open.Hidden = append(open.Hidden, entry.Key)
			}
		}
		if entry.Busy {
			entry.Detail = "A payctl that is running has it under way."
		}
		if !entry.Outcome.Settled() {
			open.Count++
		}
		if d.Options.Curl {
			continue // there was no call about it, and a shell may read what is printed
		}
		shown := settled(entry)
		if err := stream.WritePage([]any{shown}, [][]term.Cell{shown.row()}); err != nil {
			return err
		}
	}
	if d.Options.Curl {
		return nil // no call was made, which whoever asked for it is told
	}
	if err := stream.Close(); err != nil {
		return err
	}
	if err := elsewhere(ctx, d, writes); err != nil {
		return err
	}
	if open.Count > 0 {
		return &open
	}
	return nil
}

// elsewhere tells of what is open and does not concern the service and the client of the settings.
func elsewhere(ctx context.Context, d *deps.Deps, writes deps.Journal) error {
	counts, err := writes.OpenElsewhere(ctx)
	for _, service := range slices.Sorted(maps.Keys(counts)) {
		d.Notef("Open at %s too: %s, of another profile or client.", service, deps.Count(counts[service], "write(s)"))
	}
	return err
}

// named are the entries of the journal, or those of the names.
func named(ctx context.Context, writes deps.Journal, names []string, open bool) (entries []payments.JournalEntry, err error) {
	filters := []journal.Filter{{Open: open}}
	if len(names) > 0 {
		filters = nil
		for _, name := range names {
			filters = append(filters, journal.Filter{Open: open, Text: name})
		}
	}
	for _, filter := range filters {
		err = errors.Join(err, writes.Each(ctx, filter, func(entry payments.JournalEntry) error {
			entries = append(entries, entry)
			return nil
		}))
	}
	return entries, err
}

// nothingNamed tells of names that the journal has nothing open about.
func nothingNamed(ctx context.Context, writes deps.Journal, names []string) error {
	entries, err := named(ctx, writes, names, false)
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		last := entries[len(entries)-1]
		return &deps.UsageError{
			Reason: strings.TrimSpace("the write " + names[0] + " is settled: " + string(last.Outcome) + " " + last.Subject),
			Hint:   "payctl transfer settle --list --all " + names[0],
		}
	}
	return payments.NotFound("journal entry", names[0])
}

func compact(ctx context.Context, d *deps.Deps, printer *term.Printer, writes deps.Journal) error {
	dropped, err := writes.Compact(ctx, d.Now().Add(-keepFor))
	if err != nil {
		return err
	}
	return d.Done(printer, struct {
		Dropped int64 `json:"dropped"`
	}{dropped}, "Dropped %d entries of writes that did not happen.", dropped)
}

func confirmResend(ctx context.Context, d *deps.Deps, count int) error {
	asks, err := d.MustAsk("sending money again")
	if err != nil || !asks {
		return err
	}
	return d.Confirmed(ctx, "Send "+deps.Count(count, "transfer(s)")+" again if the service does not show them?")
}
