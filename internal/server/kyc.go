package server

import "github.com/payctl/payctl/internal/payments"

func (x *exchange) handleGetKYCStatus() error {
	options := x.readOptions()
	result, err := x.session.Service.GetKYCStatus(x.ctx, x.r.PathValue("accountId"), options)
	return replyRead(x, options, result, err)
}

func (x *exchange) handleSubmitKYC() error {
	account := x.r.PathValue("accountId")
	submission, key, err := decodeWrite(x, func(submission payments.KYCSubmission) payments.FieldErrors {
		return x.session.Checks.CheckKYCSubmission(x.ctx, account, submission)
	})
	if err != nil {
		return err
	}
	kyc, err := x.session.Service.SubmitKYC(x.ctx, account, submission, key)
	return replyWrite(x, &kyc, "", err)
}
