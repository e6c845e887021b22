package kyc

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
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
when. --status and --turn choose others. Those that wait for the applicant come first, and the oldest
first. Names are masked without --show-pii.

--count counts all checks by status and by age instead.`,
		Example: `  payctl kyc list
  payctl kyc list --turn reviewer --columns accountId,externalId,why,since
  payctl kyc list --status rejected --created-after 7d -o csv > rejected.csv
  payctl kyc list --count`,
		Args: cmdutil.Args(),
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
	cmdutil.AddValues(cmd, &o.turns, "turn", "only checks for which it is the `TURN` of one of these: "+strings.Join(turns(), ", "))
	f.BoolVar(&o.count, "count", false, "count the checks by status and by the time since the account changed")
	for _, flag := range []string{"limit", "all", "columns", "sort"} {
		cmd.MarkFlagsMutuallyExclusive("count", flag)
	}
	cmdutil.AddShowPII(d, cmd, &o.pii)
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
	Since      *time.Time         `json:"since,omitempty"`
	Until      *time.Time         `json:"until,omitempty"`

	turn    payments.Turn
	changed time.Time // of the account
}

var columns = resource.Table[check]{
	{Column: ui.Column{Header: "Account", Name: "accountId"}, About: "identifier of the account"},
	{Column: ui.Column{Header: "External id", Name: "externalId", Rank: 6, Ends: true}, About: "your own id of the account"},
	{Column: ui.Column{Header: "Name", Rank: 3}, About: "name of the person or company"},
	{Column: ui.Column{Header: "Status", Keep: true}, About: "status of the check"},
	{
		Column: ui.Column{Header: "Turn", Rank: 2}, About: "who has to act", SortBy: "turnOrder",
		Cell: func(c check) ui.Cell { return cmdutil.Turn(c.turn) },
	}, {
		Column: ui.Column{Header: "Turn order", Name: "turnOrder", Right: true}, About: "place of the turn in the order of urgency",
		In: resource.IfAsked, Cell: func(c check) ui.Cell { return ui.Text(strconv.Itoa(int(c.turn))) },
	},
	{Column: ui.Column{Header: "Why", Rank: 5}, About: "reasons of the status"},
	{Column: ui.Column{Header: "Since", Whole: true, Rank: 1}, About: "when the check last changed"},
	{Column: ui.Column{Header: "Until", Whole: true, Rank: 4}, About: "by when the applicant has to act"},
}

// list reads the accounts, puts them in order, and reads the identity checks of those that are shown.
func list(ctx context.Context, d *cmdutil.Deps, o *listOptions) error {
	view, err := columns.View(ctx, d, o.Columns)
	if err != nil || view == nil {
		return err
	}
	most, err := o.Most(view.Format())
	if err != nil {
		return err
	}
	checks, err := readAccounts(ctx, d, o)
	if err != nil {
		return err
	}
	service, err := d.Payments()
	if err != nil {
		return err
	}
	isSorted := o.Sorts()
	if isSorted {
		if err := readChecks(ctx, service, checks); err != nil {
			return err
		}
		view.Order(checks)
	} else {
		slices.SortStableFunc(checks, func(a, b check) int { return cmp.Or(cmp.Compare(a.turn, b.turn), a.changed.Compare(b.changed)) })
	}
	all := len(checks)
	if most > 0 {
		checks = checks[:min(most, all)]
	}
	if !isSorted {
		if err := readChecks(ctx, service, checks); err != nil {
			return err
		}
	}
	if err := view.Print(checks, "No such identity checks. To count all of them: payctl kyc list --count"); err != nil {
		return err
	}
	if len(checks) < all {
		d.Notef("Showing %d of %d; use --all or --limit N", len(checks), all)
	}
	return nil
}

// readAccounts reads the accounts that the flags select, as far as they tell of their checks.
func readAccounts(ctx context.Context, d *cmdutil.Deps, o *listOptions) ([]check, error) {
	for _, turn := range o.turns {
		if err := cmdutil.CheckValue("--turn", turn, turns()); err != nil {
			return nil, err
		}
	}
	query, err := o.Query(ctx, d)
	if err != nil {
		return nil, err
	}
	if query.Period, err = o.Period(ctx, d); err != nil {
		return nil, err
	}
	var checks []check
	_, err = query.Each(d, 0, func(accounts []payments.Account, _ bool) error {
		for _, account := range accounts {
			turn := account.KYCStatus.Turn()
			isDecided := turn == payments.TurnDone || turn == payments.TurnFailed
			if len(o.turns) > 0 && !slices.Contains(o.turns, turn.String()) ||
				len(o.turns) == 0 && !o.HasStatuses() && !o.count && isDecided {
				continue
			}
			if !o.pii {
				account = account.Masked()
			}
			c := check{
				AccountID: account.ID, ExternalID: account.ExternalID, Name: account.Name(), Status: account.KYCStatus,
				Turn: turn.String(), turn: turn, changed: account.UpdatedAt,
			}
			if !c.changed.IsZero() {
				c.Since = &c.changed
			}
			if checks = append(checks, c); len(checks) > resource.MostRead {
				return query.TooManyRows("payctl keeps the checks to put them in order")
			}
		}
		return nil
	})
	return checks, err
}

// together is how many identity checks are read at a time.
const together = 8

// readChecks adds what the identity checks tell. One that is not there, or not for this login, is left as its account
// tells of it.
func readChecks(ctx context.Context, service payments.Service, checks []check) error {
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(together)
	for i := range checks {
		c := &checks[i]
		if !watchui.HasReasons(c.Status) {
			continue
		}
		reads.Go(func() error {
			read, err := service.GetKYCStatus(ctx, c.AccountID, payments.ReadOptions{})
			switch {
			case payments.IsKind(err, payments.KindNotFound) || payments.IsKind(err, payments.KindInsufficientScope):
				return nil
			case err == nil:
				c.add(read.Value)
			}
			return err
		})
	}
	return reads.Wait()
}

// add takes over what an identity check tells.
func (c *check) add(k payments.KYC) {
	c.Status, c.turn = k.Status, k.Status.Turn()
	c.Turn, c.Why = c.turn.String(), why(k.Reasons)
	for _, reason := range k.Reasons {
		c.Reasons = append(c.Reasons, reason.Code)
	}
	if !k.UpdatedAt.IsZero() {
		c.Since = &k.UpdatedAt
	}
	if deadline := k.Deadline(); !deadline.IsZero() {
		c.Until = &deadline
	}
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

// add counts one more check.
func (s *statusCount) add(age time.Duration) {
	const day = 24 * time.Hour
	s.Accounts++
	switch {
	case age < time.Hour:
		s.Hour++
	case age < day:
		s.Day++
	case age < 3*day:
		s.Days3++
	case age < 7*day:
		s.Week++
	default:
		s.Older++
	}
}

// count prints how many checks have which status, and for how long at most: their accounts tell when they last changed.
func count(ctx context.Context, d *cmdutil.Deps, o *listOptions) error {
	view, err := countColumns.View(ctx, d, o.Columns)
	if err != nil {
		return err
	}
	checks, err := readAccounts(ctx, d, o)
	if err != nil {
		return err
	}
	slices.SortFunc(checks, func(a, b check) int { return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(a.Status, b.Status)) })
	now, counts := d.ServiceNow(), []statusCount{}
	for _, c := range checks {
		if last := len(counts) - 1; last < 0 || counts[last].Status != c.Status {
			counts = append(counts, statusCount{Status: c.Status, Turn: c.Turn})
		}
		counts[len(counts)-1].add(now.Sub(c.changed))
	}
	return view.Print(counts, "No identity checks.")
}
