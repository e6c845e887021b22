package sandbox

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

func newFaults(d *cmdutil.Deps) *cobra.Command {
	empty := false
	cmd := &cobra.Command{
		Use:   "faults [RULE…]",
		Short: "Show, add or clear faults of the service",
		Long: `Inject faults into the service by rules, OPERATION=ACTION[,OPTION…], which serve --fault takes too.

  OPERATION   an operationId such as createAutoTransfer, or * for all but createAccessToken and the sandbox's own

Actions before the effect: delay:200ms, status:503 (an error), reset (cut the connection),
expired-token (respond as to an old token). After the effect: drop (cut the connection instead of
responding), truncate (in the middle of the response), malformed (respond with half of the JSON).

Options: times:N (happen N times), percent:P (with this probability), and with a status
retry-after:S (ask the client to wait S seconds).

Without a rule the faults are shown. They are kept until they are used up, cleared, or the sandbox is reset.`,
		Example: `  payctl sandbox faults createAutoTransfer=drop,times:1
  payctl sandbox faults 'getKycStatus=status:503,retry-after:2,times:3' '*=delay:200ms,percent:10'
  payctl sandbox faults --clear`,
		RunE: func(cmd *cobra.Command, rules []string) error { return faults(cmd.Context(), d, empty, rules) },
	}
	cmd.Flags().BoolVar(&empty, "clear", false, "remove all faults first")
	return cmd
}

// faults clears the faults, adds rules, and shows what faults there are then.
func faults(ctx context.Context, d *cmdutil.Deps, empty bool, rules []string) error {
	var added []payments.SandboxFault
	for _, rule := range rules {
		fault, err := payments.ParseFaultRule(rule)
		if err != nil {
			return cmdutil.Usage("%v", err)
		}
		added = append(added, fault)
	}
	return show(ctx, d, func(s payments.Sandbox) (all payments.SandboxFaults, err error) {
		switch all.Faults = []payments.SandboxFault{}; {
		case !empty:
			all, err = s.ListSandboxFaults(ctx)
		case len(added) == 0:
			err = s.ClearSandboxFaults(ctx)
		}
		if err != nil || len(added) == 0 {
			return all, err
		}
		return s.SetSandboxFaults(ctx, payments.SandboxFaults{Faults: append(all.Faults, added...)})
	}, faultsDetails)
}

func faultsDetails(f payments.SandboxFaults) ui.Details {
	rules := []string{"none"}[:max(0, 1-len(f.Faults))]
	for _, fault := range f.Faults {
		rules = append(rules, fault.Rule())
	}
	return cmdutil.Field("Faults", rules...)
}
