package app

import (
	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/reference"
	"github.com/payctl/payctl/internal/sandbox"
)

// sandboxConfig reads the flags of serve that say how worlds behave.
func sandboxConfig(c deps.ServeConfig) (reference.Config, error) {
	clock, err := sandbox.ParseClockSetting(c.Clock)
	if err != nil {
		return reference.Config{}, deps.Usage("--clock %v", err)
	}
	if c.Deposits != "auto" && c.Deposits != "manual" {
		return reference.Config{}, deps.Usage("--deposits must be auto or manual")
	}
	if c.Seed != nil && clock.Mode == payments.ClockModeManual {
		clock.Start = sandbox.SeededStart
	}
	return reference.Config{Seed: c.Seed, Clock: clock, ManualDeposits: c.Deposits == "manual", NoSandbox: c.NoSandbox}, nil
}
