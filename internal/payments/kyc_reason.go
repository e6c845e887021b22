package payments

// Text is a reason in words, with its code behind them; the code alone where it has no words of its own.
func (r KYCReason) Text() string {
	if r.Message == "" || r.Message == r.Code {
		return r.Code
	}
	if r.Code == "" {
		return r.Message
	}
	return r.Message + " (" + r.Code + ")"
}
