package sandbox

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

func newFaults(d *cmdutil.Deps) *cobra.Command {
	list := newSimple(d, "list", "List the faults", "payctl sandbox faults list",
		payments.Sandbox.ListSandboxFaults, faultsDetails)
	empty := newSimple(d, "clear", "Remove all faults", "payctl sandbox faults clear",
		func(s payments.Sandbox, ctx context.Context) (payments.SandboxFaults, error) {
			return payments.SandboxFaults{Faults: []payments.SandboxFault{}}, s.ClearSandboxFaults(ctx)
		}, faultsDetails)
	cmd := cmdutil.Group("faults", "Inject faults: list, add and clear them", list, newFaultsAdd(d), empty)
	cmd.Long = `Inject faults into the service. Write a fault as a rule: OPERATION=ACTION[,OPTION…]. serve --fault takes the same rules.

  OPERATION   an operationId such as createAutoTransfer, or * for all (except the sandbox's own)

Actions before the effect:

  delay:200ms    delay the request
  status:503     respond with an error
  reset          cut the connection
  expired-token  respond as to an old token

Actions after the effect:

  drop           cut the connection instead of responding
  truncate       cut the connection in the middle of the response
  malformed      respond with half of the JSON

Options:

  times:N        happen N times
  percent:P      happen with this probability
  retry-after:S  with a status: ask the client to wait S seconds

Faults are kept until they are used up, cleared, or the world is reset.`
	return cmd
}

func newFaultsAdd(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "add RULE…",
		Short: "Add faults after the present ones",
		Example: `  payctl sandbox faults add createAutoTransfer=drop,times:1
  payctl sandbox faults add 'getKycStatus=status:503,retry-after:2,times:3' '*=delay:200ms,percent:10'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmdutil.Usage("payctl sandbox faults add needs RULE").
					WithHint("Run payctl sandbox faults --help to see how to write rules")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return addFaults(cmd.Context(), d, args) },
	}
}

func addFaults(ctx context.Context, d *cmdutil.Deps, rules []string) error {
	var added []payments.SandboxFault
	for _, rule := range rules {
		fault, err := payments.ParseFaultRule(rule)
		if err != nil {
			return cmdutil.Usage("%v", err)
		}
		added = append(added, fault)
	}
	err := show(ctx, d, func(s payments.Sandbox) (payments.SandboxFaults, error) {
		there, err := s.ListSandboxFaults(ctx)
		if err != nil {
			return there, err
		}
		return s.SetSandboxFaults(ctx, payments.SandboxFaults{Faults: append(there.Faults, added...)})
	}, faultsDetails)
	if payments.IsKind(err, payments.KindValidation) {
		return cmdutil.Hint(err, "payctl api /openapi.yaml   (has every operationId)")
	}
	return err
}

func faultsDetails(f payments.SandboxFaults) ui.Details {
	rules := []ui.Cell{}
	for _, fault := range f.Faults {
		rules = append(rules, ui.Text(fault.Rule()))
	}
	if len(rules) == 0 {
		rules = append(rules, ui.Text("none"))
	}
	return ui.Details{field("Faults", rules...)}
}
