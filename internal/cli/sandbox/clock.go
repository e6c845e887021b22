package sandbox

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/moment"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

func newClock(d *deps.Deps) *cobra.Command {
	return deps.Group("clock", "Read, set and advance the world's clock", newClockGet(d), newClockSet(d), newClockAdvance(d))
}

func newClockGet(d *deps.Deps) *cobra.Command {
	return &cobra.Command{
		Use:     "get",
		Short:   "Show what the world's clock shows and how it runs",
		Example: "  payctl sandbox clock get --jq .now",
		Args:    deps.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return show(cmd.Context(), d, func(s payments.Sandbox) (payments.SandboxClock, error) { return s.GetSandboxClock(cmd.Context()) }, clockDetails)
		},
	}
}

func newClockSet(d *deps.Deps) *cobra.Command {
	now := ""
	cmd := &cobra.Command{
		Use:   "set MODE",
		Short: "Let the world's clock run otherwise: real, manual, or a multiple such as 10x",
		Long: `Let the world's clock run otherwise: real (at the machine's pace), manual (only when it is advanced), or a whole multiple of
the machine's pace such as 10x. It goes on from what it shows, or from --now. It never goes back.`,
		Example: `  payctl sandbox clock set manual
  payctl sandbox clock set 60x
  payctl sandbox clock set real --now 2030-01-01T00:00:00Z`,
		Args: deps.Args("MODE"),
		RunE: func(cmd *cobra.Command, args []string) error { return setClock(cmd.Context(), d, args[0], now) },
	}
	cmd.Flags().StringVar(&now, "now", "", "let it show this `TIME` (RFC 3339)")
	return cmd
}

func setClock(ctx context.Context, d *deps.Deps, mode, now string) error {
	settings, err := clockSettings(mode)
	if err != nil {
		return err
	}
	if now != "" {
		at, ok := moment.Parse(now)
		if !ok {
			return deps.Usage("--now must be a moment such as 2030-01-31T12:00:00Z")
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
		return payments.SandboxClockSettings{}, deps.Usage("the mode %q is neither real, manual nor a whole multiple such as 10x", mode)
	}
	return payments.SandboxClockSettings{Mode: payments.ClockModeScaled, Scale: scale}, nil
}

func newClockAdvance(d *deps.Deps) *cobra.Command {
	key := deps.Key{}
	cmd := &cobra.Command{
		Use:   "advance DURATION",
		Short: "Move the world's clock forward",
		Long: `Move the world's clock forward, in whatever mode it runs. The command ends when everything that became due has happened,
each thing at its own moment. The duration is written as 90s, 25h or 1h30m, or as PT90S, P1DT1H or P2W (ISO 8601).`,
		Example: `  payctl sandbox clock advance 2s
  payctl sandbox clock advance P365D`,
		Args: deps.Args("DURATION"),
		RunE: func(cmd *cobra.Command, args []string) error { return advance(cmd.Context(), d, &key, args[0]) },
	}
	key.AddTo(cmd)
	return cmd
}

func advance(ctx context.Context, d *deps.Deps, key *deps.Key, duration string) error {
	if _, err := payments.ParseDuration(duration); err != nil {
		return deps.Usage("%q %v", duration, err)
	}
	return show(ctx, d, func(s payments.Sandbox) (payments.SandboxClock, error) {
		written, err := s.AdvanceSandboxClock(ctx, payments.SandboxAdvance{Duration: duration}, key.Idempotency(d))
		return written.Value, err
	}, clockDetails)
}

func clockDetails(c payments.SandboxClock) term.Details {
	pace := string(c.Mode)
	if c.Mode == payments.ClockModeScaled {
		pace = strconv.Itoa(c.Scale) + "x"
	}
	return term.Details{
		field("Now", term.Text(c.Now.UTC().Format(time.RFC3339Nano))),
		field("Runs", term.Text(pace)),
	}
}
