package kyc

import (
	"context"
	"slices"
	"sync"

	"github.com/payctl/payctl/internal/follow"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

type watchOptions struct {
	watchui.Options
	filter  payments.AccountFilter
	showPII bool
}

func newWatch(d *cmdutil.Deps) *cobra.Command {
	o := &watchOptions{}
	cmd := &cobra.Command{
		Use:   "watch [ACCOUNT…] [-- ARGUMENT…]",
		Short: "Follow identity checks until they are decided",
		Long: `Watch the identity checks of one or many accounts, named by id, external id or e-mail address. At a
terminal, a live view shows whose turn it is, what has changed and what to do next; press ? for its
keys. Otherwise every change of status is one line, shown once and in order.

It ends when each account has a status of --until; with --all alone it goes on until you interrupt it.
A status from which --until is impossible fails. --exec runs a program for each change, without a
shell, with the change as JSON on standard input; --exec-initial adds the first status of each.

Exit codes: 11 one or more failed, 12 the time of --timeout ran out, 1 a run of --exec failed.`,
		Example: `  payctl kyc watch acc_01kdwcj2m07dx6vaehz84r9gfw
  payctl kyc watch acc_01kdwcj2m07dx6vaehz84r9gfw --until approved,under_review --timeout 10m
  payctl accounts list --all -o ndjson | payctl kyc watch --from - -o ndjson
  payctl kyc watch --all
  payctl kyc watch --all --status pending --exec ./notify-support -- --channel kyc`,
		Args: o.Args("account", "status", "email", "external-id"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			known := contract.ListAccounts.Enum("kycStatus")
			if err := cmdutil.CheckStatuses(d, "status", o.filter.KYCStatuses, known); err != nil {
				return err
			}
			service, err := o.Connect(d)
			if err != nil {
				return err
			}
			return o.Run(cmd.Context(), d, watchui.Watch{
				Service: service, View: o.view(d, service), List: watchui.ListAccounts(service, o.filter),
				IsMember: func(ctx context.Context, e payments.Event) (bool, error) { return o.isMember(ctx, service, e) },
			})
		},
	}
	o.AddTo(cmd, watchui.Accounts)
	f := cmd.Flags()
	cmdutil.AddValues(cmd, &o.filter.KYCStatuses, "status",
		"with --all: accounts that have one of these `STATUSES` or get it")
	f.StringVar(&o.filter.Email, "email", "", "with --all: accounts with this e-mail `ADDRESS`")
	f.StringVar(&o.filter.ExternalID, "external-id", "", "with --all: accounts with this `ID` of yours")
	cmdutil.AddShowPII(cmd, &o.showPII)
	return cmd
}

// view describes the rows of the live view. The columns are in the order of what decides which case is next.
func (o *watchOptions) view(d *cmdutil.Deps, service payments.Service) live.Config {
	column := func(name string, masked func(payments.Account) payments.Account) live.Column {
		return watchui.Column(resource.Accounts, name, masked)
	}
	return live.Config{
		Columns: []live.Column{
			live.IDColumn("Account"), column("name", payments.Account.Masked), live.StatusColumn("Status"),
			live.TurnColumn(watchui.Accounts.Groups()), live.DeadlineColumn("Until"), live.AgeColumn(),
			column("externalId", nil), live.WhyColumn(), column("country", nil),
			column("email", payments.Account.Masked), column("type", nil),
		},
		HasPersonal: true, ShowPersonal: o.showPII,
		Details: func(ctx context.Context, row live.Row) (func(live.Moment) ui.Details, error) {
			return liveDetails(ctx, service, row.ID)
		},
		Reply: func(ctx context.Context, id string, personal bool) (string, error) {
			return readReply(ctx, d, service, id, personal)
		},
	}
}

// isMember decides whether the account of an event is one of --all. Events have no e-mail address.
func (o *watchOptions) isMember(ctx context.Context, service payments.Service, e payments.Event) (bool, error) {
	account := payments.Account{
		KYCStatus: payments.KYCStatus(cmdutil.Text(e.To)), ExternalID: e.Data.ExternalID, Email: o.filter.Email,
	}
	if o.filter.Email == "" || !o.filter.Matches(account) {
		return o.filter.Matches(account), nil
	}
	read, err := service.GetAccount(ctx, e.SubjectID)
	switch {
	case payments.IsProblem(err, payments.ProblemNotFound):
		return false, nil
	case err != nil:
		return false, err
	}
	account.Email = read.Value.Email
	return o.filter.Matches(account), nil
}

// liveDetails reads an account, its identity check and its events, with three requests. The error is that of the
// identity check; without the others there is less to show: not every token may read them.
func liveDetails(
	ctx context.Context, service payments.Service, id string,
) (show func(live.Moment) ui.Details, err error) {
	var (
		reads   sync.WaitGroup
		account payments.Account
		events  []payments.Event
	)
	reads.Go(func() {
		read, _ := service.GetAccount(ctx, id)
		account = read.Value
	})
	reads.Go(func() { events = follow.Timeline(ctx, service, id) })
	read, err := service.GetKYCStatus(ctx, id)
	reads.Wait()
	return func(at live.Moment) ui.Details {
		k, zone := read.Value, at.Now.Location()
		present := follow.State{Status: string(k.Status), Since: k.UpdatedAt, Reasons: k.Reasons}
		check, shown := Details(k, at.Now), account
		if !at.Personal {
			shown = account.Masked()
		}
		timeline := watchui.Accounts.Timeline(events, present, at.Now)
		return slices.Concat(check[:4], ui.Details{{}}, timeline, ui.Details{{}},
			cmdutil.InZone(resource.Accounts.Details(shown)[1:], zone), ui.Details{{}}, check[4:])
	}, err
}
