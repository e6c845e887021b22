package server

import "github.com/payctl/payctl/internal/payments"

func (c *call) getKYCStatus() error {
	since := c.condition()
	reading, err := c.session.Service.GetKYCStatus(c.r.Context(), c.r.PathValue("accountId"), since)
	if err != nil {
		return err
	}
	return replyReading(c, reading, since)
}

func (c *call) submitKYC() error {
	submission, key, err := decodeKeyed(c, func(submission payments.KYCSubmission) payments.FieldErrors {
		return c.session.Checks.CheckKYCSubmission(c.r.Context(), c.r.PathValue("accountId"), submission)
	})
	if err != nil {
		return err
	}
	kyc, err := c.session.Service.SubmitKYC(c.r.Context(), c.r.PathValue("accountId"), submission, key)
	if err != nil {
		return err
	}
	return replyWritten(c, &kyc, kyc.Value.AppendJSON, "")
}
