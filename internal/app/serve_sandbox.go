package app

import (
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/server"
)

// sandboxConfig makes the configuration of a service from the flags of serve for the behaviour of its worlds.
func sandboxConfig(c cmdutil.ServeConfig) (refserver.Config, error) {
	clock, err := sandbox.ParseClockSetting(c.Clock)
	if err != nil {
		return refserver.Config{}, cmdutil.Usage("--clock %v", err)
	}
	if c.Deposits != "auto" && c.Deposits != "manual" {
		return refserver.Config{}, cmdutil.Usage("--deposits must be auto or manual")
	}
	var faults []payments.SandboxFault
	for _, rule := range c.Faults {
		fault, err := payments.ParseFaultRule(rule)
		if err != nil {
			return refserver.Config{}, cmdutil.Usage("--fault: %v", err)
		}
		if err := server.CheckFaultOperation(fault); err != nil {
			return refserver.Config{}, cmdutil.Usage("--fault: the rule %q is wrong: it %v", rule, err)
		}
		faults = append(faults, fault)
	}
	if c.Seed != nil && clock.Mode == payments.ClockModeManual {
		clock.Start = sandbox.SeededStart
	}
	return refserver.Config{
		Seed: c.Seed, Faults: faults, Clock: clock, NoSandbox: c.NoSandbox,
		IgnoreIdempotencyKeys: c.IgnoreKeys, DuplicateReferences: !c.UniqueReferences,
		KYCDelay: positive(c.KYCDelay), SettleDelay: positive(c.SettleDelay), ManualDeposits: c.Deposits == "manual",
	}, nil
}

// positive replaces a delay of zero, which would mean the default.
func positive(d time.Duration) time.Duration { return max(d, time.Nanosecond) }
