package sandbox

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

func newFaults(d *deps.Deps) *cobra.Command {
	cmd := deps.Group("faults", "Let operations go wrong: list, add and clear faults", newFaultsList(d), newFaultsAdd(d), newFaultsClear(d))
	cmd.Long = `Let operations go wrong. A fault is written as a rule, OPERATION=ACTION[,OPTION…]; serve --fault takes it too.

  OPERATION   an operationId such as createAutoTransfer, or * for every one (but the sandbox's own)

  before the effect                            after the effect
  delay:200ms    hold the request back         drop        cut the connection in place of the answer
  status:503     answer with an error          truncate    cut the connection in the middle of the answer
  reset          cut the connection            malformed   answer with half of the JSON
  expired-token  answer as to an old token

  times:N        happen N times, then never again
  percent:P      happen with this probability
  retry-after:S  tell to wait S seconds, with a status`
	return cmd
}

func newFaultsList(d *deps.Deps) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the faults that are still to happen",
		Example: "  payctl sandbox faults list",
		Args:    deps.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return showFaults(cmd.Context(), d, func(s payments.Sandbox) (payments.SandboxFaults, error) {
				return s.ListSandboxFaults(cmd.Context())
			})
		},
	}
}

func newFaultsAdd(d *deps.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "add RULE…",
		Short: "Add faults behind those that there are",
		Example: `  payctl sandbox faults add createAutoTransfer=drop,times:1
  payctl sandbox faults add 'getKycStatus=status:503,retry-after:2,times:3' '*=delay:200ms,percent:10'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &deps.UsageError{Reason: "payctl sandbox faults add needs RULE", Hint: "payctl sandbox faults --help shows how rules are written"}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return addFaults(cmd.Context(), d, args) },
	}
}

func addFaults(ctx context.Context, d *deps.Deps, rules []string) error {
	var added []payments.SandboxFault
	for _, rule := range rules {
		fault, err := payments.ParseFaultRule(rule)
		if err != nil {
			return deps.Usage("%v", err)
		}
		added = append(added, fault)
	}
	return showFaults(ctx, d, func(s payments.Sandbox) (payments.SandboxFaults, error) {
		there, err := s.ListSandboxFaults(ctx)
		if err != nil {
			return there, err
		}
		return s.SetSandboxFaults(ctx, payments.SandboxFaults{Faults: append(there.Faults, added...)})
	})
}

func newFaultsClear(d *deps.Deps) *cobra.Command {
	return &cobra.Command{
		Use:     "clear",
		Short:   "Take every fault away",
		Example: "  payctl sandbox faults clear",
		Args:    deps.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return showFaults(cmd.Context(), d, func(s payments.Sandbox) (payments.SandboxFaults, error) {
				return payments.SandboxFaults{Faults: []payments.SandboxFault{}}, s.ClearSandboxFaults(cmd.Context())
			})
		},
	}
}

func showFaults(ctx context.Context, d *deps.Deps, ask func(payments.Sandbox) (payments.SandboxFaults, error)) error {
	return show(ctx, d, ask, func(f payments.SandboxFaults) term.Details {
		rules := []term.Cell{}
		for _, fault := range f.Faults {
			rules = append(rules, term.Text(fault.Rule()))
		}
		if len(rules) == 0 {
			rules = append(rules, term.Text("none"))
		}
		return term.Details{field("Faults", rules...)}
	})
}
