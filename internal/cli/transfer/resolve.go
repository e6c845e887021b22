package transfer

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cliflags"
	"github.com/payctl/payctl/internal/cli/display"
	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

type resolveOptions struct {
	list, all, resend, dismiss bool
	after                      time.Duration
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
  payctl transfer resolve --all -o json | jq -r '.[] | select(.outcome == "refused") | .reference'
  payctl transfer resolve invoice-42 --resend`,
		RunE: func(cmd *cobra.Command, args []string) error { return runResolve(cmd.Context(), d, o, args) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.list, "list", false, "show the open writes without asking the service")
	f.BoolVar(&o.all, "all", false, "as --list, also with the writes whose outcome is known")
	f.BoolVar(&o.resend, "resend", false, "send the named transfers again if the service does not show them")
	f.BoolVar(&o.dismiss, "dismiss", false, "close the named writes that cannot be looked up")
	cliflags.DurationVar(f, &o.after, "after", outbox.AbsentAfter,
		"a write counts as not done if it is not shown `DURATION` after it was sent")
	cmd.MarkFlagsMutuallyExclusive("list", "resend", "dismiss")
	cmd.MarkFlagsMutuallyExclusive("all", "resend", "dismiss")
	return cmd
}

// runResolve resolves the open writes, or those with the given references, keys or ids, and prints them.
func runResolve(ctx context.Context, d *invocation.Deps, o *resolveOptions, names []string) error {
	o.list = o.list || o.all
	reopens := o.resend || o.dismiss // also what was done, if its effect is gone
	switch {
	case reopens && len(names) == 0:
		return exit.Usage("--resend and --dismiss need the reference, key or id of what they are about")
	case d.Options.Curl && (o.list || o.dismiss): // they may change the journal for good
		return exit.Usage("--list and --dismiss make no call that --curl could show")
	}
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	writes, err := d.Connect(0)
	if err != nil {
		return err
	}
	entries, err := findEntries(ctx, writes, names, o.all)
	if err != nil {
		return err
	}
	if o.resend {
		asks, err := d.MustAsk("sending money again")
		if asks {
			count := display.Count(len(entries), "transfer(s)")
			err = d.Confirmed(ctx, "Send "+count+" again if the service does not show them?")
		}
		if err != nil {
			return err
		}
	}
	var shown []resolvedWrite
	options := outbox.ResolveOptions{After: o.after, Resend: o.resend, Dismiss: o.dismiss}
	open, hidden, paidTwice := 0, "", error(nil)
	for _, entry := range entries {
		if !o.list && (entry.IsOpen() || reopens && entry.Outcome == journal.OutcomeDone) && !entry.Busy {
			resolved, err := writes.Resolve(ctx, entry, options)
			if err != nil {
				return errors.Join(resolveTable.Print(printer, shown, ""), err) // the other writes are open still
			}
			paidTwice = cmp.Or(paidTwice, resolved.PaidTwice)
			if entry = resolved.Entry; resolved.Hidden {
				hidden = cmp.Or(hidden, entry.Key)
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

// findEntries returns the entries with the given references, keys or ids; without names all that are open, or all.
func findEntries(
	ctx context.Context, writes *outbox.Outbox, names []string, all bool,
) (entries []journal.Entry, err error) {
	if len(names) == 0 {
		names = []string{""} // which every entry has
	}
	for _, name := range names {
		before := len(entries)
		filter := journal.Filter{Open: name == "" && !all, Text: name}
		err := writes.Journal.Each(ctx, filter, func(entry journal.Entry) error {
			entries = append(entries, entry)
			return nil
		})
		if err == nil && name != "" && len(entries) == before {
			err = payments.NotFound("journal entry", name)
		}
		if err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// unresolved returns the error of writes whose outcome is still unknown. Listed: the service was not asked. Hidden is
// the idempotency key of a write by which nothing can be found at the service; empty if there is none.
func unresolved(count int, listed bool, hidden string) *exit.Error {
	next := []string{"run payctl transfer resolve again later"}
	switch {
	case listed:
		next = []string{"payctl transfer resolve"}
	case hidden != "":
		next = append(next, shell.Hint(
			"payctl transfer resolve --dismiss -- KEY   (when you have looked for it at the service)",
			shell.Values{"KEY": hidden}))
	}
	return &exit.Error{
		Code: exit.ExitOutcomeUnknown, Kind: "outcome-unknown", Title: "Some outcomes are still unknown.",
		Detail: "the outcome of " + display.Count(count, "write(s)") + " is not known", Next: next,
	}
}

// A resolvedWrite is an entry of the journal as resolve prints it.
type resolvedWrite struct {
	Operation  string          `json:"operation"`
	Key        string          `json:"idempotencyKey"`
	Reference  string          `json:"reference,omitempty"`
	ExternalID string          `json:"externalId,omitempty"`
	BatchID    string          `json:"batchId,omitempty"`
	Outcome    journal.Outcome `json:"outcome"`
	Subject    string          `json:"subject,omitempty"`
	State      string          `json:"state,omitempty"`
	Problem    string          `json:"problemType,omitempty"`
	Detail     string          `json:"detail,omitempty"`
	Attempts   int             `json:"attempts"`
	Began      time.Time       `json:"began"`
	Changed    time.Time       `json:"changed"`
}

// resolveTable begins with the names to give to resolve, which a narrow terminal shows whole.
var resolveTable = resource.Table[resolvedWrite]{
	{Column: ui.Column{Header: "Reference", Keep: true}, Cell: func(w resolvedWrite) ui.Cell {
		return ui.Text(cmp.Or(w.Reference, w.ExternalID, w.Key))
	}},
	{Column: ui.Column{Header: "Outcome", Keep: true}, Cell: func(w resolvedWrite) ui.Cell {
		tones := map[journal.Outcome]ui.Tone{journal.OutcomeDone: ui.Good, journal.OutcomeRefused: ui.Bad}
		return ui.Toned(cmp.Or(tones[w.Outcome], ui.Warn), string(w.Outcome))
	}},
	{Column: ui.Column{Header: "Id", Name: "subject", Whole: true, Rank: 3}},
	{Column: ui.Column{Header: "Detail", Rank: 2}},
	{Column: ui.Column{Header: "Operation", Whole: true}},
	{Column: ui.Column{Header: "Sent", Name: "began", Whole: true}}, {Column: ui.Column{Header: "State", Whole: true}},
}

func newResolvedWrite(e journal.Entry) resolvedWrite {
	return resolvedWrite{
		Operation: e.Operation, Key: e.Key, Reference: e.Reference, ExternalID: e.ExternalID, BatchID: e.BatchID,
		Outcome: e.Outcome, Subject: e.Subject, State: e.State, Problem: e.Problem, Detail: e.Detail,
		Attempts: e.Attempts, Began: e.Began, Changed: e.Changed,
	}
}
