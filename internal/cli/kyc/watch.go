package kyc

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/cli/desk"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
	"github.com/payctl/payctl/internal/watch"
)

type watchOptions struct {
	desk.Options
	filter  payments.AccountFilter
	status  string
	showPII bool
}

func newWatch(d *deps.Deps) *cobra.Command {
	o := &watchOptions{}
	cmd := &cobra.Command{
		Use:   "watch [ACCOUNT…] [-- ARGUMENT…]",
		Short: "Follow identity checks to their verdicts",
		Long: `Follow the identity checks of any number of accounts and tell every change of status: at a terminal in a live view,
elsewhere as one line a change. It ends when each has one of the statuses of --until. A status that can no longer lead
there ends an account's watch too, badly.

The service's feed of events is followed where it has one; else the service is asked to hold its answers, or is asked again
and again, never more often than --rate. Outages are waited out.

--timeout bounds the whole watch here. What a single request may take is the profile's timeout.

--exec runs a program for each change, never through a shell: COMMAND is its name, with arguments where spaces part them (or
quotes keep them together); what stands behind -- are further arguments. It gets the change as JSON on standard input and
as PAYCTL_EVENT_TYPE, _SUBJECT_ID, _FROM, _TO, _OCCURRED_AT and _REASONS in its environment, which does not hold payctl's
credentials. Four run at once, those of one account one after the other.

` + desk.ExitCodes,
		Example: `  payctl kyc watch acc_01kdwcj2m07dx6vaehz84r9gfw
  payctl kyc watch acc_01kdwcj2m07dx6vaehz84r9gfw --until approved,under_review --timeout 10m
  payctl accounts list --all -o ndjson | payctl kyc watch --from - -o ndjson
  payctl kyc watch --all
  payctl kyc watch --all --kyc-status pending --exec ./tell-support -- --channel kyc`,
		Args: o.Args("account"),
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), d, o) },
	}
	o.AddTo(cmd, "accounts", "STATUSES", string(payments.KYCStatusApproved))
	f := cmd.Flags()
	f.StringVar(&o.status, "kyc-status", "", "with --all: those that have this `STATUS`, or come to it")
	f.StringVar(&o.filter.Email, "email", "", "with --all: those with this e-mail `ADDRESS`")
	f.StringVar(&o.filter.ExternalID, "external-id", "", "with --all: those with this `ID` of yours")
	deps.AddShowPII(d, cmd, &o.showPII)
	return cmd
}

func run(ctx context.Context, d *deps.Deps, o *watchOptions) error {
	o.filter.KYCStatus = payments.KYCStatus(o.status)
	if !o.All && (o.status != "" || o.filter.Email != "" || o.filter.ExternalID != "") {
		return deps.Usage("--kyc-status, --email and --external-id choose among --all")
	}
	if err := o.Prepare(d); err != nil {
		return err
	}
	service, err := d.Payments()
	if err != nil {
		return err
	}
	return o.Run(ctx, d, service, kindOf(service, o))
}

// kindOf is how identity checks are watched.
func kindOf(service payments.Service, o *watchOptions) desk.Kind {
	return desk.Kind{
		Subject: "Account", Subjects: "accounts", Title: "Identity checks",
		Members: []string{"accountId", "subjectId", "account", "id"},
		Change:  payments.EventTypeKYCStatusChanged,
		Default: string(payments.KYCStatusApproved),
		List:    "listAccounts", Member: "kycStatus",
		CanReach: func(status, other string) bool {
			return payments.KYCStatus(status).CanReach(payments.KYCStatus(other))
		},
		Status:      func(status string) term.Cell { return deps.KYCStatus(payments.KYCStatus(status)) },
		Working:     func(status string) bool { return payments.KYCStatus(status) == payments.KYCStatusPending },
		NeedsPerson: func(status string) bool { return payments.KYCStatus(status).NeedsPerson() },
		Name: func(ctx context.Context, id string) string {
			if account := whose(ctx, service, id, o.showPII); account != nil {
				return account.Name()
			}
			return ""
		},
		Details: func(ctx context.Context, id string) (term.Details, error) { return story(ctx, service, id, o.showPII) },
		Watch: watch.Subjects{
			Events: []payments.EventType{payments.EventTypeKYCStatusChanged},
			Of: func(e payments.Event) watch.State {
				return watch.State{ID: e.SubjectID, Status: deps.Text(e.To), Since: e.OccurredAt, Reasons: e.Data.Reasons}
			},
			Read: func(ctx context.Context, id string, since payments.Condition) (payments.Reading[watch.State], error) {
				reading, err := service.GetKYCStatus(ctx, id, since)
				k := reading.Value
				return payments.Reading[watch.State]{
					Value: watch.State{ID: id, Status: string(k.Status), Since: k.UpdatedAt, Reasons: k.Reasons},
					ETag:  reading.ETag, NotModified: reading.NotModified,
				}, err
			},
			List: func(ctx context.Context, cursor string) ([]watch.State, string, error) {
				return o.list(ctx, service, cursor)
			},
			Belongs: o.belongs,
		},
	}
}

// list lists the accounts of --all. Why an account has its status is not in there; of those of which somebody will want to
// know, it has to be read.
func (o *watchOptions) list(ctx context.Context, service payments.Service, cursor string) (states []watch.State, next string, err error) {
	filter := o.filter
	filter.PageQuery = payments.PageQuery{Limit: payments.LargestPage, Cursor: cursor}
	page, err := service.ListAccounts(ctx, filter)
	for _, a := range page.Data {
		if !o.showPII {
			a = a.Masked()
		}
		states = append(states, watch.State{
			ID: a.ID, Status: string(a.KYCStatus), Since: a.UpdatedAt, Name: a.Name(),
			Partial: a.KYCStatus != payments.KYCStatusPending && a.KYCStatus != payments.KYCStatusApproved && a.KYCStatus != payments.KYCStatusNotStarted,
		})
	}
	return states, deps.Text(page.NextCursor), err
}

// belongs says whether the account of an event is one of --all.
func (o *watchOptions) belongs(e payments.Event) watch.Belonging {
	switch {
	case o.filter.KYCStatus != "" && deps.Text(e.To) != string(o.filter.KYCStatus),
		o.filter.ExternalID != "" && e.Data.ExternalID != o.filter.ExternalID:
		return watch.Foreign
	case o.filter.Email != "":
		return watch.Unproven
	}
	return watch.Member
}

// story tells the whole of an identity check, and whose it is, for the live view.
func story(ctx context.Context, service payments.Service, id string, showPII bool) (term.Details, error) {
	reading, err := service.GetKYCStatus(ctx, id, payments.Condition{})
	if err != nil {
		return nil, err
	}
	view := details(reading.Value)
	if account := whose(ctx, service, id, showPII); account != nil {
		view[0].Cells[0].Text += " (" + account.Name() + ", " + account.Email + ")"
	}
	return slices.DeleteFunc(view, func(f term.Field) bool { return f.Label == statusLabel }), nil // the list shows it
}
