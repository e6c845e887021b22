package sandbox

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

func newClock(d *cmdutil.Deps) *cobra.Command {
	get := newSimple(d, "get", "Show the time of the world's clock and how it runs", "payctl sandbox clock get --jq .now",
		payments.Sandbox.GetSandboxClock, clockDetails)
	return cmdutil.Group("clock", "Read, set and advance the world's clock", get, newClockSet(d), newClockAdvance(d))
}

func newClockSet(d *cmdutil.Deps) *cobra.Command {
	now := ""
	cmd := &cobra.Command{
		Use:   "set MODE",
		Short: "Change how the world's clock runs: real, manual, or a multiple such as 10x",
		Long: `Change how the world's clock runs. MODE is real (at the machine's pace), manual (only when you
advance it), or a whole multiple of the machine's pace such as 10x. The clock goes on from its
present time, or from --now. It never goes back.`,
		Example: `  payctl sandbox clock set manual
  payctl sandbox clock set 60x
  payctl sandbox clock set real --now 2030-01-01T00:00:00Z`,
		Args: cmdutil.Args("MODE"),
		RunE: func(cmd *cobra.Command, args []string) error { return setClock(cmd.Context(), d, args[0], now) },
	}
	cmd.Flags().StringVar(&now, "now", "", "set the clock to this `TIME` (RFC 3339)")
	return cmd
}

func setClock(ctx context.Context, d *cmdutil.Deps, mode, now string) error {
	settings, err := clockSettings(mode)
	if err != nil {
		return err
	}
	if now != "" {
		at, ok := payments.ParseTime(now)
		if !ok {
			return cmdutil.Usage("--now must be a time such as 2030-01-31T12:00:00Z")
		}
		settings.Now = &at
	}
	return show(ctx, d, func(s payments.Sandbox) (payments.SandboxClock, error) { return s.SetSandboxClock(ctx, settings) }, clockDetails)
}

func clockSettings(mode string) (payments.SandboxClockSettings, error) {
	if known := payments.ClockMode(mode); known == payments.ClockModeReal || known == payments.ClockModeManual {
		return payments.SandboxClockSettings{Mode: known}, nil
	}
	number, multiple := strings.CutSuffix(mode, "x")
	scale, err := strconv.Atoi(number)
	if !multiple || err != nil || scale < 1 {
		return payments.SandboxClockSettings{}, cmdutil.Usage("the mode %q is neither real, manual nor a whole multiple such as 10x", mode)
	}
	return payments.SandboxClockSettings{Mode: payments.ClockModeScaled, Scale: scale}, nil
}

func newClockAdvance(d *cmdutil.Deps) *cobra.Command {
	key := cmdutil.Key{}
	cmd := &cobra.Command{
		Use:   "advance DURATION",
		Short: "Move the world's clock forward",
		Long: `Move the world's clock forward, in any mode. The command ends when everything that became due has
happened, each thing at its own time. Write the duration as 90s, 25h or 1h30m, or as PT90S, P1DT1H
or P2W (ISO 8601).`,
		Example: `  payctl sandbox clock advance 2s
  payctl sandbox clock advance P365D`,
		Args: cmdutil.Args("DURATION"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := payments.ParseDuration(args[0]); err != nil {
				return cmdutil.Usage("%q %v", args[0], err)
			}
			return show(cmd.Context(), d, func(s payments.Sandbox) (payments.SandboxClock, error) {
				by := payments.SandboxAdvance{Duration: args[0]}
				written, err := s.AdvanceSandboxClock(cmd.Context(), by, key.Idempotency(d))
				return written.Value, err
			}, clockDetails)
		},
	}
	key.AddTo(cmd)
	return cmd
}

func clockDetails(c payments.SandboxClock) ui.Details {
	pace := string(c.Mode)
	if c.Mode == payments.ClockModeScaled {
		pace = strconv.Itoa(c.Scale) + "x"
	}
	return ui.Details{
		field("Now", ui.Text(c.Now.UTC().Format(time.RFC3339Nano))),
		field("Runs", ui.Text(pace)),
	}
}
