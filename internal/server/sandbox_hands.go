package server

import "github.com/payctl/payctl/internal/payments"

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
