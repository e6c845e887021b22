package payments

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/money"
)

// Check returns the contact with canonical coordinates, and the missing and wrong coordinates of its rail.
func (c NewSavedContact) Check() (NewSavedContact, FieldErrors) {
	errors := FieldErrors{}
	checkName(errors, "label", c.Label)
	checkName(errors, "holderName", c.HolderName)
	for _, problem := range money.CheckCoordinates(c.PaymentRail, c.coordinates()) {
		errors.Add(problem.Field, problem.Message)
	}
	return c, errors
}

// Rails are the payment rails whose coordinates are known. A service may have others.
func Rails() []string { return money.Rails() }

// MissingCoordinates returns the coordinates of a known rail, for a contact without any. The service decides whether
// some are enough.
func (c NewSavedContact) MissingCoordinates() (missing []string) {
	for _, value := range c.coordinates() {
		if *value != "" {
			return nil
		}
	}
	if slices.Contains(Rails(), c.PaymentRail) {
		for _, problem := range money.CheckCoordinates(c.PaymentRail, c.coordinates()) {
			missing = append(missing, problem.Field)
		}
	}
	return missing
}

// coordinates returns the members that say where the money goes, by name.
func (c *NewSavedContact) coordinates() map[string]*string {
	return map[string]*string{
		"iban": &c.IBAN, "bic": &c.BIC, "routingNumber": &c.RoutingNumber, "accountNumber": &c.AccountNumber,
		"sortCode": &c.SortCode, "clabe": &c.CLABE, "pixKey": &c.PIXKey, "pixKeyType": &c.PIXKeyType,
		"address": &c.Address, "memo": &c.Memo,
	}
}

// MaskedAccount returns the masked account, key or address that the money goes to, and its bank. It is empty if the
// contact shows none.
func (c SavedContact) MaskedAccount() string {
	account := cmp.Or(money.MaskIBAN(c.IBAN), money.MaskAccountNumber(cmp.Or(c.AccountNumber, c.CLABE)),
		money.MaskPIXKey(c.PIXKeyType, c.PIXKey), c.Address)
	return strings.Join(strings.Fields(strings.Join([]string{account, c.BIC, c.RoutingNumber, c.SortCode, c.Memo}, " ")),
		" ")
}

// Saved returns the contact as the service shows it, with its account numbers, IBAN, CLABE and PIX key masked. On-chain
// addresses stay: every block explorer shows them.
func (c NewSavedContact) Saved(id string, at time.Time) SavedContact {
	return SavedContact{
		ID: id, AccountID: c.AccountID, Label: c.Label, ExternalID: c.ExternalID, HolderName: c.HolderName,
		HolderType:  c.HolderType,
		PaymentRail: c.PaymentRail, Currency: c.Currency,
		IBAN: money.MaskIBAN(c.IBAN), BIC: c.BIC, RoutingNumber: c.RoutingNumber, SortCode: c.SortCode,
		AccountNumber: money.MaskAccountNumber(c.AccountNumber), CLABE: money.MaskAccountNumber(c.CLABE),
		PIXKey: money.MaskPIXKey(c.PIXKeyType, c.PIXKey), PIXKeyType: c.PIXKeyType, Address: c.Address, Memo: c.Memo,
		Metadata: c.Metadata, CreatedAt: at,
	}
}
