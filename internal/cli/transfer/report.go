package transfer

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cliflags"
	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/cli/period"
)

type reportOptions struct {
	period.Interval
	filters
	by      []string
	against string
	mapping cliflags.Mapping
	given   func(flag string) bool
}

func newReport(d *invocation.Deps) *cobra.Command {
	o := &reportOptions{}
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Add up transfers, or compare them with a file of expected payments",
		Long: `Add up all transfers that the flags select, in exact decimals, or compare them with a file.

Totals have the transfers of every state, also failed ones, unless --state selects some. A row has
one currency: a transfer from USDC to EUR counts in a row of each. With --against, each payment of a
file (CSV or NDJSON with a reference) is matching, missing, different, duplicate or not_compared,
and a transfer that the file does not have is extra; other findings than matching end with the exit
code 15. A report of payctl transfer batch is such a file.`,
		Example: `  payctl transfer report --created-after today
  payctl transfer report --by day,currency --created-after 7d -o csv > week.csv
  payctl transfer report --against invoices.csv --map reference=invoice --created-after today`,
		Args: invocation.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runReport(cmd.Context(), d, o) },
	}
	o.given = func(flag string) bool { return cmd.Flags().Changed(flag) }
	o.Interval.AddTo(cmd)
	o.filters.selection(cmd)
	cliflags.AddValues(cmd, &o.by, "by", "separate totals by these `GROUPS`: "+strings.Join(groupings, ", ")+" (default state)")
	f := cmd.Flags()
	f.StringVar(&o.against, "against", "", "compare with the expected payments in this `FILE`; - is standard input")
	o.mapping.AddTo(cmd, "currency=EUR")
	o.mapping.AddAmountsTo(cmd)
	cmd.MarkFlagsMutuallyExclusive("by", "against")
	return cmd
}

func runReport(ctx context.Context, d *invocation.Deps, o *reportOptions) error {
	if o.against != "" {
		return runAgainst(ctx, d, o)
	}
	if fileFlags := []string{"map", "set", "decimal-comma", "thousands"}; slices.ContainsFunc(fileFlags, o.given) {
		return exit.Usage("--map, --set, --decimal-comma and --thousands are about the file of --against: give --against too")
	}
	if len(o.by) == 0 {
		o.by = []string{"state"}
	}
	for _, group := range o.by {
		if !slices.Contains(groupings, group) {
			return exit.Usage("--by has no group %q; the groups are %s", group, strings.Join(groupings, ", "))
		}
	}
	return printTotals(ctx, d, o)
}
