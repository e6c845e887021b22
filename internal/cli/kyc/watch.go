package kyc

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
	"github.com/payctl/payctl/internal/watch"
)

type watchOptions struct {
	until    []string
	timeout  time.Duration
	interval time.Duration
}

func newWatch(d *deps.Deps) *cobra.Command {
	o := &watchOptions{}
	cmd := &cobra.Command{
		Use:   "watch ACCOUNT",
		Short: "Follow an account's identity check to its verdict",
		Long: `Follow an account's identity check and print every change of its status, until it has one of the statuses of
--until. A status that can no longer lead there ends the watch too, badly.

Exit codes: 0 the status was reached, 11 the check ended otherwise, 12 --timeout ran out, 130 interrupted.`,
		Example: `  payctl kyc watch acc_01kdwcj2m07dx6vaehz84r9gfw
  payctl kyc watch acc_01kdwcj2m07dx6vaehz84r9gfw --until approved,under_review --timeout 10m
  payctl kyc watch acc_01kdwcj2m07dx6vaehz84r9gfw -o ndjson`,
		Args: deps.Args("ACCOUNT"),
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), d, o, args[0]) },
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.until, "until", []string{string(payments.KYCStatusApproved)}, "`STATUS`es to wait for, separated by commas")
	f.DurationVar(&o.timeout, "timeout", 0, "give up after `DURATION`, such as 10m (default: never)")
	f.DurationVar(&o.interval, "interval", 5*time.Second, "ask every `DURATION` where the service does not hold its answers")
	return cmd
}

func run(ctx context.Context, d *deps.Deps, o *watchOptions, accountID string) error {
	switch {
	case o.interval <= 0:
		return deps.Usage("--interval must be more than zero")
	case o.timeout < 0:
		return deps.Usage("--timeout must not be negative")
	case slices.Contains(o.until, ""):
		return deps.Usage("--until names an empty status")
	}
	service, err := d.Payments()
	if err != nil {
		return err
	}
	report, err := newReport(ctx, d)
	if err != nil {
		return err
	}
	for _, status := range o.until {
		if !payments.KYCStatus(strings.TrimSpace(status)).Valid() {
			d.Warnf("payctl does not know the status %s; it waits for it all the same.", status)
		}
	}
	var last payments.KYCStatus
	w := watch.Watch[payments.KYC]{
		Interval: o.interval,
		Read: func(ctx context.Context, since payments.Condition) (payments.Reading[payments.KYC], error) {
			return service.GetKYCStatus(ctx, accountID, since)
		},
		Each: func(kyc payments.KYC) (bool, error) {
			if kyc.Status == last {
				return false, nil // something else changed
			}
			if err := report.change(last, kyc); err != nil {
				return false, err
			}
			last = kyc.Status
			return verdict(kyc, o.until)
		},
		Trouble:   func(err error) { d.Warnf("The service does not answer; trying again: %v", err) },
		Recovered: func() { d.Notef("The service answers again.") },
	}
	err = deps.Within(ctx, o.timeout, w.Run, func() error {
		return &deps.WaitTimeout{Subject: accountID, State: deps.Or(string(last)), Waited: o.timeout.String()}
	})
	return report.close(err)
}

// verdict says whether a status is what is waited for, or one from which that cannot come any more by itself.
func verdict(kyc payments.KYC, until []string) (done bool, err error) {
	for _, wanted := range until {
		if string(kyc.Status) == strings.TrimSpace(wanted) {
			return true, nil
		}
	}
	if kyc.Status.Final() {
		return true, &deps.EndedBadly{Subject: kyc.AccountID, State: string(kyc.Status), Reason: strings.Join(reasons(kyc), " ")}
	}
	return false, nil
}

// report prints changes: a timestamped line each, or what -o asks for.
type report struct {
	deps   *deps.Deps
	stream *term.Stream // nil for lines
	begun  bool
}

func newReport(ctx context.Context, d *deps.Deps) (*report, error) {
	printer, err := d.Printer(ctx)
	if err != nil {
		return nil, err
	}
	r := &report{deps: d}
	if printer.Format() != term.FormatTable || d.Options.JQ != "" {
		r.stream = printer.Stream([]term.Column{
			{Header: "When", Name: "occurredAt"}, {Header: "Account", Name: "subjectId"}, {Header: "From", Name: "from"},
			{Header: "To", Name: "to"}, {Header: "Reasons", Name: "reasons"},
		})
	}
	return r, nil
}

func (r *report) change(from payments.KYCStatus, kyc payments.KYC) error {
	why := strings.Join(reasons(kyc), " ")
	change := deps.Change{
		Type: "kyc.statusChanged", SubjectID: kyc.AccountID, To: string(kyc.Status), OccurredAt: kyc.UpdatedAt, Reasons: kyc.Reasons,
	}
	if from != "" {
		change.From = (*string)(&from)
	}
	r.begun = true
	if r.stream != nil {
		return r.stream.Write(change, []term.Cell{term.Text(deps.Time(kyc.UpdatedAt)), term.Text(kyc.AccountID),
			term.Text(string(from)), deps.KYCStatus(kyc.Status), term.Text(why)})
	}
	line := []term.Cell{term.Toned(term.Dim, deps.Time(kyc.UpdatedAt)), term.Text(kyc.AccountID), deps.KYCStatus(kyc.Status)}
	if why != "" {
		line = append(line, term.Text(why))
	}
	return r.deps.Line(line...)
}

// close ends the output and passes on how the watch ended. When it failed before there was any, the output is the
// failure's.
func (r *report) close(err error) error {
	if r.stream != nil && (r.begun || err == nil) {
		if closing := r.stream.Close(); err == nil {
			err = closing
		}
	}
	return err
}
