package server

import "github.com/payctl/payctl/internal/payments"

func (c *call) getSandboxClock() error {
	clock, err := c.session.Sandbox.GetSandboxClock(c.r.Context())
	if err != nil {
		return err
	}
	return c.reply(clock)
}

func (c *call) setSandboxClock() error {
	settings, err := decode(c, c.session.Checks.CheckSandboxClockSettings)
	if err != nil {
		return err
	}
	clock, err := c.session.Sandbox.SetSandboxClock(c.r.Context(), settings)
	if err != nil {
		return err
	}
	return c.reply(clock)
}

func (c *call) advanceSandboxClock() error {
	advance, key, err := decodeKeyed[payments.SandboxAdvance](c, nil)
	if err != nil {
		return err
	}
	clock, err := c.session.Sandbox.AdvanceSandboxClock(c.r.Context(), advance, key)
	if err != nil {
		return err
	}
	return replyWritten(c, &clock, clock.Value.AppendJSON, "")
}
