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
	now, key := "", cmdutil.Key{}
	cmd := &cobra.Command{
		Use:   "clock [MODE | +DURATION]",
		Short: "Show, set or advance the world's clock",
		Long: `Show the time of the world's clock and how it runs, or change it. MODE is real (at the machine's
pace), manual (only when you advance it), or a whole multiple of the machine's pace such as 10x. The
clock goes on from its present time, or from --now. It never goes back.

+DURATION moves it forward, in any mode, such as +90s, +25h or +P2W (ISO 8601). The command ends when
everything that became due has happened, each thing at its own time.`,
		Example: `  payctl sandbox clock --jq .now
  payctl sandbox clock manual
  payctl sandbox clock +2s
  payctl sandbox clock real --now 2030-01-01T00:00:00Z`,
		Args: optional("MODE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			call := payments.Sandbox.GetSandboxClock
			if len(args) > 0 {
				var err error
				if call, err = changeClock(args[0], now, key.Idempotency(d)); err != nil {
					return err
				}
			}
			return show(cmd.Context(), d, func(s payments.Sandbox) (payments.SandboxClock, error) {
				return call(s, cmd.Context())
			}, clockDetails)
		},
	}
	cmd.Flags().StringVar(&now, "now", "", "set the clock to this `TIME` (RFC 3339)")
	key.AddTo(cmd)
	return cmd
}

// changeClock returns the call that a mode or a duration behind + makes.
func changeClock(
	to, now string, key payments.Idempotency,
) (func(payments.Sandbox, context.Context) (payments.SandboxClock, error), error) {
	if by, isAdvance := strings.CutPrefix(to, "+"); isAdvance {
		if _, err := payments.ParseDuration(by); err != nil {
			return nil, cmdutil.Usage("%q %v", by, err)
		}
		return func(s payments.Sandbox, ctx context.Context) (payments.SandboxClock, error) {
			written, err := s.AdvanceSandboxClock(ctx, payments.SandboxAdvance{Duration: by}, key)
			return written.Value, err
		}, nil
	}
	settings, err := clockSettings(to)
	if err != nil {
		return nil, err
	}
	if now != "" {
		at, ok := payments.ParseTime(now)
		if !ok {
			return nil, cmdutil.Usage("--now must be a time such as 2030-01-31T12:00:00Z")
		}
		settings.Now = &at
	}
	return func(s payments.Sandbox, ctx context.Context) (payments.SandboxClock, error) {
		return s.SetSandboxClock(ctx, settings)
	}, nil
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
