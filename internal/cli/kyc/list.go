package kyc

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/follow"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/wait"
)

type listOptions struct {
	resource.List
	resource.AccountFilters
	turns      []string
	count, pii bool
}

func newList(d *cmdutil.Deps) *cobra.Command {
	o := &listOptions{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List identity checks: who waits, why, whose turn it is, and since when",
		Long: `List the identity checks that are not decided: why they wait, whose turn it is, since when and until
when. --status, --turn, --email, --external-id and --name choose others. Those that wait for the
applicant come first, and the oldest first. Names are masked without --show-pii.

--count counts all checks by status and by age instead.`,
		Example: `  payctl kyc list
  payctl kyc list --turn reviewer --columns accountId,externalId,why,since
  payctl kyc list --status rejected --created-after 7d -o csv > rejected.csv
  payctl kyc list --name lovelace
  payctl kyc list --count`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.count {
				return count(cmd.Context(), d, o)
			}
			return list(cmd.Context(), d, o)
		},
	}
	o.List.AddTo(cmd, columns.Names())
	o.AccountFilters.AddTo(cmd)
	f := cmd.Flags()
	cmdutil.AddValues(cmd, &o.turns, "turn", "only checks with one of these as their `TURN`: "+strings.Join(turns(), ", "))
	f.BoolVar(&o.count, "count", false, "count the checks by status and by the time since the account changed")
	for _, flag := range []string{"limit", "all", "columns", "sort"} {
		cmd.MarkFlagsMutuallyExclusive("count", flag)
	}
	cmdutil.AddShowPII(cmd, &o.pii)
	return cmd
}

func turns() (names []string) {
	for _, turn := range cmdutil.TurnsOfChecks {
		names = append(names, turn.String())
	}
	return names
}

// A check is an account with its identity check. It is what a program is given of a row.
type check struct {
	AccountID  string             `json:"accountId"`
	ExternalID string             `json:"externalId,omitempty"`
	Name       string             `json:"name"`
	Status     payments.KYCStatus `json:"status"`
	Turn       string             `json:"turn"`
	Why        string             `json:"why,omitempty"`
	Reasons    []string           `json:"reasons,omitempty"` // their codes
	Since      time.Time          `json:"since,omitzero"`
	Until      time.Time          `json:"until,omitzero"`

	turn             payments.Turn
	changed, created time.Time // of the account
	isRead           bool      // the check, not the account alone
}

var columns = resource.Table[check]{
	{Column: ui.Column{Header: "Account", Name: "accountId"}},
	{Column: ui.Column{Header: "External id", Name: "externalId", Rank: 6, Ends: true}},
	{Column: ui.Column{Header: "Name", Rank: 3}},
	{Column: ui.Column{Header: "Status", Keep: true}},
	{
		Column: ui.Column{Header: "Turn", Rank: 2}, SortBy: "turnOrder",
		Cell: func(c check) ui.Cell { return cmdutil.Turn(c.turn) },
	}, {
		Column: ui.Column{Header: "Turn order", Name: "turnOrder", Right: true},
		In:     resource.IfAsked, Cell: func(c check) ui.Cell { return ui.Text(strconv.Itoa(int(c.turn))) },
	},
	{Column: ui.Column{Header: "Why", Rank: 5}},
	{Column: ui.Column{Header: "Since", Whole: true, Rank: 1}},
	{Column: ui.Column{Header: "Until", Whole: true, Rank: 4}},
}

// list reads the accounts, puts them in order, and reads the identity checks of those that are shown.
func list(ctx context.Context, d *cmdutil.Deps, o *listOptions) error {
	defer o.TellLooked(d)
	printer, err := resource.NewListPrinter(ctx, d, o.List, columns)
	if err != nil {
		return err
	}
	service, accounts, err := o.query(ctx, d)
	if err != nil {
		return err
	}
	printer.Empty = "No such identity checks. To count all of them: payctl kyc list --count"
	printer.Order = func(a, b check) int { return cmp.Or(cmp.Compare(a.turn, b.turn), a.changed.Compare(b.changed)) }
	printer.Complete = func(checks []check) error { return readChecks(ctx, service, checks) }
	checks := &resource.ListQuery[check]{Created: func(c check) time.Time { return c.created }}
	checks.Fetch = func(payments.PageQuery) (resource.Page[check], error) {
		accounts.Period = checks.Period
		all, err := o.read(accounts)
		if err == nil && o.Sorts() { // by what the checks tell, perhaps
			err = readChecks(ctx, service, all)
		}
		return resource.Page[check]{Rows: all}, err
	}
	return printer.Print(checks)
}

// query returns the service, and the accounts that the flags select.
func (o *listOptions) query(
	ctx context.Context, d *cmdutil.Deps,
) (service payments.Service, accounts *resource.ListQuery[payments.Account], err error) {
	for _, turn := range o.turns {
		if err := cmdutil.CheckValue("--turn", turn, turns()); err != nil {
			return nil, nil, err
		}
	}
	if service, err = d.Payments(); err == nil {
		accounts, err = o.Query(ctx, d, service)
	}
	return service, accounts, err
}

// read reads the accounts, as far as they tell of their checks.
func (o *listOptions) read(query *resource.ListQuery[payments.Account]) (checks []check, err error) {
	_, err = query.Each(0, func(accounts []payments.Account, _ bool) error {
		for _, account := range accounts {
			turn := account.KYCStatus.Turn()
			isDecided := turn == payments.TurnDone || turn == payments.TurnFailed
			if len(o.turns) > 0 && !slices.Contains(o.turns, turn.String()) ||
				len(o.turns) == 0 && !o.HasStatuses() && !o.NamesOne() && !o.count && isDecided {
				continue
			}
			if !o.pii {
				account = account.Masked()
			}
			checks = append(checks, check{
				AccountID: account.ID, ExternalID: account.ExternalID, Name: account.Name(), Status: account.KYCStatus,
				Since: account.UpdatedAt, Turn: turn.String(), turn: turn, changed: account.UpdatedAt, created: account.CreatedAt,
			})
			if len(checks) > resource.MostRead {
				return query.TooManyRows("payctl keeps the checks to put them in order")
			}
		}
		return nil
	})
	return checks, err
}

// readChecks adds what the identity checks tell. One that is not there, or not for this login, is left as its account
// tells of it.
func readChecks(ctx context.Context, service payments.Reads, checks []check) error {
	return wait.Each(ctx, len(checks), func(ctx context.Context, i int) error {
		c := &checks[i]
		if c.isRead || !watchui.HasReasons(c.Status) {
			return nil
		}
		read, err := service.GetKYCStatus(ctx, c.AccountID)
		if payments.IsProblem(err, payments.ProblemNotFound) || payments.IsProblem(err, payments.ProblemInsufficientScope) {
			return nil
		}
		if err != nil {
			return err
		}
		k := read.Value
		c.isRead, c.Status, c.turn = true, k.Status, k.Status.Turn()
		c.Turn, c.Why, c.Until = c.turn.String(), follow.State{Reasons: k.Reasons}.Why(), k.Deadline()
		c.Since = cmp.Or(k.UpdatedAt, c.Since)
		for _, reason := range k.Reasons {
			c.Reasons = append(c.Reasons, reason.Code)
		}
		return nil
	})
}

// A statusCount counts the checks in a status by their age.
type statusCount struct {
	Status   payments.KYCStatus `json:"status"`
	Turn     string             `json:"turn"`
	Accounts int                `json:"accounts"`
	Hour     int                `json:"underOneHour"`
	Day      int                `json:"underOneDay"`
	Days3    int                `json:"underThreeDays"`
	Week     int                `json:"underOneWeek"`
	Older    int                `json:"older"`
}

var countColumns = resource.Table[statusCount]{
	{Column: ui.Column{Header: "Status"}},
	{Column: ui.Column{Header: "Turn"}},
	{Column: ui.Column{Header: "Accounts", Right: true}},
	{Column: ui.Column{Header: "<1h", Name: "underOneHour", Right: true}},
	{Column: ui.Column{Header: "<1d", Name: "underOneDay", Right: true}},
	{Column: ui.Column{Header: "<3d", Name: "underThreeDays", Right: true}},
	{Column: ui.Column{Header: "<7d", Name: "underOneWeek", Right: true}},
	{Column: ui.Column{Header: "Older", Right: true}},
}

// count prints how many checks have which status, and for how long at most: their accounts tell when they last changed.
func count(ctx context.Context, d *cmdutil.Deps, o *listOptions) error {
	printer, err := resource.NewListPrinter(ctx, d, o.List, countColumns)
	if err != nil {
		return err
	}
	_, accounts, err := o.query(ctx, d)
	if err != nil {
		return err
	}
	printer.Empty = "No identity checks."
	counts := &resource.ListQuery[statusCount]{}
	counts.Fetch = func(payments.PageQuery) (resource.Page[statusCount], error) {
		accounts.Period = counts.Period
		checks, err := o.read(accounts)
		return resource.Page[statusCount]{Rows: countByStatus(checks, d.ServiceNow())}, err
	}
	return printer.Print(counts)
}

func countByStatus(checks []check, now time.Time) (counts []statusCount) {
	slices.SortFunc(checks, func(a, b check) int {
		return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(a.Status, b.Status))
	})
	const day = 24 * time.Hour
	for _, c := range checks {
		if last := len(counts) - 1; last < 0 || counts[last].Status != c.Status {
			counts = append(counts, statusCount{Status: c.Status, Turn: c.Turn})
		}
		last, age := &counts[len(counts)-1], now.Sub(c.changed)
		last.Accounts++
		switch {
		case age < time.Hour:
			last.Hour++
		case age < day:
			last.Day++
		case age < 3*day:
			last.Days3++
		case age < 7*day:
			last.Week++
		default:
			last.Older++
		}
	}
	return counts
}
