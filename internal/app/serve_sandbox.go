package app

import (
	"time"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/reference"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/server"
)

// sandboxConfig begins the configuration of a service with the flags of serve that say how worlds behave.
func sandboxConfig(c deps.ServeConfig) (reference.Config, error) {
	clock, err := sandbox.ParseClockSetting(c.Clock)
	if err != nil {
		return reference.Config{}, deps.Usage("--clock %v", err)
	}
	if c.Deposits != "auto" && c.Deposits != "manual" {
		return reference.Config{}, deps.Usage("--deposits must be auto or manual")
	}
	var faults []payments.SandboxFault
	for _, rule := range c.Faults {
		fault, err := payments.ParseFaultRule(rule)
		if err != nil {
			return reference.Config{}, deps.Usage("--fault: %v", err)
		}
		if reason := server.Unfaultable(fault); reason != "" {
			return reference.Config{}, deps.Usage("--fault: the rule %q cannot be read at column 1: it %s", rule, reason)
		}
		faults = append(faults, fault)
	}
	if c.Seed != nil && clock.Mode == payments.ClockModeManual {
		clock.Start = sandbox.SeededStart
	}
	return reference.Config{
		Seed: c.Seed, Faults: faults, IgnoreIdempotencyKeys: c.IgnoreKeys, Clock: clock, NoSandbox: c.NoSandbox,
		KYCDelay: positive(c.KYCDelay), SettleDelay: positive(c.SettleDelay), ManualDeposits: c.Deposits == "manual",
	}, nil
}

// positive keeps a delay of zero from meaning the default.
func positive(d time.Duration) time.Duration { return max(d, time.Nanosecond) }
