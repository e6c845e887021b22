package sandbox

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

func newClock(d *cmdutil.Deps) *cobra.Command {
	key := cmdutil.Key{}
	cmd := &cobra.Command{
		Use:   "clock [MODE | +DURATION] [TIME]",
		Short: "Show, set or advance the sandbox's clock",
		Long: `Show the time of the sandbox's clock and how it runs, or change it. MODE is real (at the machine's
pace), manual (only when you advance it), or a whole multiple of the machine's pace such as 10x. The
clock goes on from its present time, or from TIME. It never goes back.

+DURATION moves it forward, in any mode, such as +90s, +25h or +2w. The command ends when
everything that became due has happened, each thing at its own time.`,
		Example: `  payctl sandbox clock --jq .now
  payctl sandbox clock manual
  payctl sandbox clock +2s
  payctl sandbox clock real 2030-01-01T00:00:00Z`,
		RunE: func(cmd *cobra.Command, args []string) error {
			call := payments.Sandbox.GetSandboxClock
			if len(args) > 0 {
				var err error
				if call, err = changeClock(args[0], args[1:], key.Idempotency(d)); err != nil {
					return err
				}
			}
			return show(cmd.Context(), d, func(s payments.Sandbox) (payments.SandboxClock, error) {
				return call(s, cmd.Context())
			}, clockDetails)
		},
	}
	key.AddTo(cmd)
	return cmd
}

// changeClock returns the call that a duration behind + makes, or a mode with perhaps a time.
func changeClock(
	to string, now []string, key payments.Idempotency,
) (func(payments.Sandbox, context.Context) (payments.SandboxClock, error), error) {
	if by, isAdvance := strings.CutPrefix(to, "+"); isAdvance && len(now) == 0 {
		if _, err := payments.ParseDuration(by); err != nil {
			return nil, cmdutil.Usage("%q %v", by, err)
		}
		return func(s payments.Sandbox, ctx context.Context) (payments.SandboxClock, error) {
			written, err := s.AdvanceSandboxClock(ctx, payments.SandboxAdvance{Duration: by}, key)
			return written.Value, err
		}, nil
	}
	settings := payments.SandboxClockSettings{Mode: payments.ClockMode(to)}
	if settings.Mode != payments.ClockModeReal && settings.Mode != payments.ClockModeManual {
		number, multiple := strings.CutSuffix(to, "x")
		scale, err := strconv.Atoi(number)
		if !multiple || err != nil || scale < 1 {
			return nil, cmdutil.Usage("the mode %q is neither real, manual nor a whole multiple such as 10x", to)
		}
		settings = payments.SandboxClockSettings{Mode: payments.ClockModeScaled, Scale: scale}
	}
	if len(now) > 0 {
		at, ok := payments.ParseTime(now[0])
		if !ok {
			return nil, cmdutil.Usage("TIME must be a time such as 2030-01-31T12:00:00Z")
		}
		settings.Now = &at
	}
	return func(s payments.Sandbox, ctx context.Context) (payments.SandboxClock, error) {
		return s.SetSandboxClock(ctx, settings)
	}, nil
}

func clockDetails(c payments.SandboxClock) ui.Details {
	pace := string(c.Mode)
	if c.Mode == payments.ClockModeScaled {
		pace = strconv.Itoa(c.Scale) + "x"
	}
	return slices.Concat(cmdutil.Field("Now", c.Now.UTC().Format(time.RFC3339Nano)), cmdutil.Field("Runs", pace))
}
