package transfer

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

type resolveOptions struct {
	list, all, resend, dismiss bool
	accept                     string
	batchID                    string
	after                      time.Duration
	acceptPayee                bool

	accepts bool
}

// noID is the value of --accept without an id, which is not one.
const noID = " "

func newResolve(d *cmdutil.Deps) *cobra.Command {
	o := &resolveOptions{}
	cmd := &cobra.Command{
		Use:   "resolve [REFERENCE|KEY|ID…]",
		Short: "Find out what became of writes whose outcome is unknown",
		Long: `Ask the service what became of writes whose outcome is unknown. Nothing is sent without --resend.

What the service shows settles a write. What it does not show stays unknown, however much time passes,
until you decide: --accept says that it happened, with its ID if payctl knows none; --resend that it
did not: payctl looks again, and sends it; --dismiss that it is never sent again. Each asks first.
Exit code 10: some writes are unknown, their effect is gone, or a reference has several transfers.`,
		Example: `  payctl transfer resolve
  payctl transfer resolve --all -o json | jq -r '.[] | select(.outcome == "refused") | .reference'
  payctl transfer resolve invoice-42 --accept trf_01kdwcj4jg9etbjcny9kh6prep
  payctl transfer resolve --batch bat_01 --resend`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.accepts = cmd.Flags().Changed("accept")
			return runResolve(cmd.Context(), d, o, args)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.list, "list", false, "show the open writes without asking the service")
	f.BoolVar(&o.all, "all", false, "as --list, also with the writes whose outcome is known")
	f.StringVar(&o.accept, "accept", "", "the named writes happened, as `ID`")
	f.Lookup("accept").NoOptDefVal = noID
	f.BoolVar(&o.resend, "resend", false, "the named transfers did not happen: send them again")
	f.BoolVar(&o.dismiss, "dismiss", false, "never send the named writes again")
	f.StringVar(&o.batchID, "batch", "", "the writes of the batch `ID`")
	cmdutil.DurationVar(f, &o.after, "after", outbox.ResendAfter,
		"--resend sends what was last sent `DURATION` ago")
	cmdutil.AddAcceptPayee(cmd, &o.acceptPayee)
	cmd.MarkFlagsMutuallyExclusive("list", "accept", "resend", "dismiss")
	cmd.MarkFlagsMutuallyExclusive("all", "accept", "resend", "dismiss")
	return cmd
}

// decides reports whether the command carries out a person's decision.
func (o *resolveOptions) decides() bool { return o.accepts || o.resend || o.dismiss }

// runResolve resolves the open writes, or those with the given references, keys or ids, and prints them.
func runResolve(ctx context.Context, d *cmdutil.Deps, o *resolveOptions, names []string) error {
	o.list = o.list || o.all
	switch {
	case o.decides() && len(names) == 0 && o.batchID == "":
		return cmdutil.Usage("--accept, --resend and --dismiss need the reference, key or id of what they are about, or --batch ID")
	case d.Options.Curl && (o.list || o.accepts || o.dismiss): // they may change the journal for good
		return cmdutil.Usage("--list, --accept and --dismiss make no call that --curl could show")
	}
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	writes, err := d.Connect(cmdutil.Calls{})
	if err != nil {
		return err
	}
	writes.AcceptPayee = o.acceptPayee
	entries, ids, err := o.find(ctx, writes, names)
	if err != nil {
		return err
	}
	all := make([]outbox.Resolved, len(entries))
	var away error // the service does not answer at all
	for i, entry := range entries {
		all[i].Entry = entry
		isAsked := entry.IsOpen() || len(names) > 0 || o.decides()
		switch {
		case o.list || !isAsked:
		case away != nil:
			all[i].Err = away
		default:
			if all[i] = writes.Resolve(ctx, entry); all[i].IsUnanswered && !hasStatus(all[i].Err) {
				away = all[i].Err
			}
		}
	}
	if o.decides() {
		if err := o.decide(ctx, d, writes, all, ids); err != nil {
			return err
		}
	}
	if d.Options.Curl {
		return nil // no call was made about some, and a shell may run what is printed
	}
	return o.report(printer, all)
}

// hasStatus reports whether the service answered.
func hasStatus(err error) bool {
	problem, ok := errors.AsType[*payments.ProblemError](err)
	for ok && problem.Status == 0 && problem.Cause != nil {
		problem, ok = errors.AsType[*payments.ProblemError](problem.Cause)
	}
	return ok && problem.Status != 0
}

// decide carries out what a person has decided about writes that the service does not settle, after showing what is
// known.
func (o *resolveOptions) decide(
	ctx context.Context, d *cmdutil.Deps, writes *outbox.Outbox, all []outbox.Resolved, ids []string,
) error {
	var chosen []*outbox.Resolved
	for i := range all {
		r := &all[i]
		switch wait := writes.ResendsIn(r.Entry, o.after); {
		case r.Err == nil && !(len(all) == 1 && r.IsAcceptedUnseen()), r.Busy:
			if o.dismiss && r.Outcome == effect.Done {
				r.Detail = "The service shows it. It was not dismissed."
			}
		case o.resend && r.IsShown: // which the detail says
		case o.resend && r.IsUnanswered && !outbox.IsNoList(r.Err):
		case o.resend && r.Body == nil:
			r.Detail = "Only transfers are sent again. Run its own line again after --dismiss."
		case o.resend && wait > 0:
			r.Detail = "It may still arrive. Run this again in " + max(wait.Round(time.Second), time.Second).String() +
				"; only if it certainly cannot arrive any more, add --after 0s."
		default:
			if o.accepts {
				var err error
				if *r, err = writes.Propose(ctx, *r, ids); err != nil && len(all) == 1 {
					return err
				} else if err != nil { // the others are accepted all the same
					r.Detail = err.Error()
					continue
				}
			}
			d.Notef("%s: %s", r.Name(), r.Detail)
			chosen = append(chosen, r)
		}
	}
	if len(chosen) == 0 {
		return nil
	}
	count := cmdutil.Count(len(chosen), "write(s)")
	doing, question := "accepting a write", "Accept "+count+" as done?"
	if o.resend {
		doing, question = "sending money again", "Send "+count+" again?"
	} else if o.dismiss {
		doing, question = "closing a write", "Close "+count+" for good?"
	}
	asks, err := d.MustAskAnywhere(doing)
	if asks {
		err = d.Confirmed(ctx, question)
	}
	if err != nil {
		return err
	}
	for _, r := range chosen {
		var entry journal.Entry
		switch {
		case o.accepts:
			entry, err = writes.Accept(ctx, *r)
		case o.resend:
			entry, err = writes.Resend(ctx, *r)
		default:
			entry, err = writes.Dismiss(ctx, *r)
		}
		switch {
		case err == nil:
			r.Entry, r.Err = entry, nil
		case len(chosen) == 1:
			return err
		default: // the others are decided all the same
			r.Err, r.Detail = err, err.Error()
		}
	}
	return nil
}

// report prints the writes. The error says that some are not settled.
func (o *resolveOptions) report(printer *ui.Printer, all []outbox.Resolved) error {
	shown, open, closable, failed := make([]resolvedWrite, len(all)), 0, "", error(nil)
	for i, r := range all {
		if r.Busy {
			r.Detail = "Another payctl is sending it."
		}
		shown[i] = newResolvedWrite(r.Entry)
		switch {
		case r.IsOpen():
			open++
			closable = cmp.Or(closable, r.Name())
		case o.resend && payments.TransferState(r.State).Failed():
			failed = cmp.Or[error](failed, cmdutil.TransferFailed(r.Subject, r.State))
		case r.Err != nil && (o.resend || r.Outcome != journal.OutcomeClosed):
			failed = cmp.Or(failed, r.Err)
		}
	}
	if err := resolveTable.Print(printer, shown, "No write is open."); err != nil {
		return err
	}
	if open > 0 {
		return unresolved(open, o.list, closable)
	}
	return failed
}

// find returns the entries with the given references, keys or ids, and of a batch; without names all that are open, or
// all. Names that no other entry has are the ids of --accept.
func (o *resolveOptions) find(
	ctx context.Context, writes *outbox.Outbox, names []string,
) (entries []journal.Entry, ids []string, err error) {
	if o.accept != "" && o.accept != noID {
		ids = append(ids, o.accept)
	}
	isNamed := len(names) > 0
	if !isNamed {
		names = []string{""} // which every entry has
	}
	known := map[string]bool{}
	for _, name := range names {
		found := 0
		filter := journal.Filter{Open: name == "" && !o.all && !o.resend, Text: name}
		err := writes.Journal.Each(ctx, filter, func(entry journal.Entry) error {
			if o.accepts && len(entries) > 0 && name == entry.Subject && name != entry.Reference && name != entry.ExternalID {
				return nil // NAME --accept ID: the id of another write is not a second name
			}
			isMeant := name != "" || o.all || entry.IsOpen() || entry.Outcome == effect.Done ||
				entry.Outcome == journal.OutcomeClosed
			if key := entry.Operation + "\n" + entry.Key; isMeant && !known[key] &&
				(o.batchID == "" || entry.BatchID == o.batchID) {
				known[key] = true
				found++
				entries = append(entries, entry)
			}
			return nil
		})
		switch {
		case err != nil:
			return nil, nil, err
		case found == 0 && isNamed && o.accepts && len(entries) > 0:
			ids = append(ids, name)
		case found == 0 && isNamed:
			return nil, nil, payments.NotFound("journal entry", name)
		}
	}
	if len(ids) > 0 && len(entries) != 1 {
		return nil, nil, cmdutil.Usage("--accept with an id is about one write, and %s are named",
			cmdutil.Count(len(entries), "write(s)"))
	}
	return entries, ids, nil
}

// unresolved returns the error of writes whose outcome is still unknown. Listed: the service was not asked. Name is
// that of one of them.
func unresolved(count int, listed bool, name string) *cmdutil.Error {
	next := []shell.Hint{shell.Payctl("transfer resolve")}
	if !listed {
		next = []shell.Hint{
			shell.Payctl("transfer resolve").With("again, later"),
			shell.Payctl("transfer resolve --accept --", name).With("it happened; or --resend, or --dismiss"),
		}
	}
	return &cmdutil.Error{
		Code: cmdutil.ExitOutcomeUnknown, ProblemType: "outcome-unknown", Title: "Some outcomes are still unknown.",
		Detail: "the outcome of " + cmdutil.Count(count, "write(s)") + " is not known", Next: next,
	}
}

// A resolvedWrite is an entry of the journal as resolve prints it.
type resolvedWrite struct {
	Operation  string            `json:"operation"`
	Key        string            `json:"idempotencyKey"`
	Reference  string            `json:"reference,omitempty"`
	ExternalID string            `json:"externalId,omitempty"`
	BatchID    string            `json:"batchId,omitempty"`
	Amount     string            `json:"amount,omitempty"`
	Currency   string            `json:"currency,omitempty"`
	Contact    string            `json:"contact,omitempty"` // its label
	Account    string            `json:"account,omitempty"` // masked
	User       string            `json:"user"`
	Host       string            `json:"host"`
	Outcome    effect.Outcome    `json:"outcome"`
	Subject    string            `json:"subject,omitempty"`
	Accepted   []string          `json:"accepted,omitempty"`
	Shown      map[string]string `json:"shown,omitempty"`
	State      string            `json:"state,omitempty"`
	Problem    string            `json:"problemType,omitempty"`
	Detail     string            `json:"detail,omitempty"`
	Attempts   int               `json:"attempts"`
	Began      time.Time         `json:"began"`
	Changed    time.Time         `json:"changed"`
}

// resolveTable begins with the names to give to resolve, which a narrow terminal shows whole.
var resolveTable = resource.Table[resolvedWrite]{
	{Column: ui.Column{Header: "Reference", Keep: true}, Cell: func(w resolvedWrite) ui.Cell {
		return ui.Text(cmp.Or(w.Reference, w.ExternalID, w.Key))
	}},
	{Column: ui.Column{Header: "Outcome", Keep: true}, Cell: func(w resolvedWrite) ui.Cell {
		tones := map[effect.Outcome]ui.Tone{effect.Done: ui.Good, effect.Refused: ui.Bad}
		return ui.Toned(cmp.Or(tones[w.Outcome], ui.Warn), string(w.Outcome))
	}},
	{Column: ui.Column{Header: "Id", Name: "subject", Whole: true, Rank: 3}},
	{Column: ui.Column{Header: "Detail", Rank: 2}},
	{Column: ui.Column{Header: "Operation", Whole: true}},
	{Column: ui.Column{Header: "Sent", Name: "began", Whole: true}}, {Column: ui.Column{Header: "State", Whole: true}},
	{Column: ui.Column{Header: "Amount", Right: true, Whole: true}}, {Column: ui.Column{Header: "Currency", Whole: true}},
	{Column: ui.Column{Header: "Contact"}}, {Column: ui.Column{Header: "Account", Whole: true}},
	{Column: ui.Column{Header: "User", Whole: true}}, {Column: ui.Column{Header: "Host", Whole: true}},
}

func newResolvedWrite(e journal.Entry) resolvedWrite {
	return resolvedWrite{
		Operation: e.Operation, Key: e.Key, Reference: e.Reference, ExternalID: e.ExternalID, BatchID: e.BatchID,
		Amount: e.Amount, Currency: e.Currency, Contact: e.Payee.Label, Account: e.Payee.Account, User: e.User, Host: e.Host,
		Outcome: e.Outcome, Subject: cmp.Or(e.Subject, strings.Join(e.Accepted, " ")), Accepted: e.Accepted,
		Shown: e.Shown, State: e.State, Problem: e.Problem, Detail: e.Detail,
		Attempts: e.Attempts, Began: e.Began, Changed: e.Changed,
	}
}
