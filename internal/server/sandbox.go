package server

import (
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// sandboxHandlers says which function answers which operation of the sandbox.
var sandboxHandlers = map[*contract.Operation]handler{
	&contract.GetSandboxClock:         (*call).getSandboxClock,
	&contract.SetSandboxClock:         (*call).setSandboxClock,
	&contract.AdvanceSandboxClock:     (*call).advanceSandboxClock,
	&contract.SetSandboxKYC:           (*call).setSandboxKYC,
	&contract.CreateSandboxDeposit:    (*call).createSandboxDeposit,
	&contract.SetSandboxTransferState: (*call).setSandboxTransferState,
	&contract.ListSandboxFaults:       (*call).listSandboxFaults,
	&contract.SetSandboxFaults:        (*call).setSandboxFaults,
	&contract.ClearSandboxFaults:      (*call).clearSandboxFaults,
	&contract.ListSandboxRequests:     (*call).listSandboxRequests,
	&contract.ClearSandboxRequests:    (*call).clearSandboxRequests,
	&contract.ResetSandbox:            (*call).resetSandbox,
	&contract.GetSandboxSnapshot:      (*call).getSandboxSnapshot,
	&contract.RestoreSandboxSnapshot:  (*call).restoreSandboxSnapshot,
}

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

func (c *call) setSandboxKYC() error {
	change, err := decode[payments.SandboxKYC](c, nil)
	if err != nil {
		return err
	}
	kyc, err := c.session.Sandbox.SetSandboxKYC(c.r.Context(), c.r.PathValue("accountId"), change)
	if err != nil {
		return err
	}
	return c.reply(kyc)
}

func (c *call) createSandboxDeposit() error {
	deposit, key, err := decodeKeyed[payments.SandboxDeposit](c, nil)
	if err != nil {
		return err
	}
	transfer, err := c.session.Sandbox.CreateSandboxDeposit(c.r.Context(), c.r.PathValue("transferId"), deposit, key)
	if err != nil {
		return err
	}
	return replyWritten(c, &transfer, transfer.Value.AppendJSON, "")
}

func (c *call) setSandboxTransferState() error {
	change, err := decode[payments.SandboxTransferState](c, nil)
	if err != nil {
		return err
	}
	transfer, err := c.session.Sandbox.SetSandboxTransferState(c.r.Context(), c.r.PathValue("transferId"), change)
	if err != nil {
		return err
	}
	return c.reply(transfer)
}
