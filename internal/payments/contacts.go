package payments

import (
	"slices"
	"time"

	"github.com/payctl/payctl/internal/payments/coordinates"
)

// Check returns the contact with its coordinates in canonical form, and each coordinate of its rail that is missing or
// wrong.
func (c NewSavedContact) Check() (NewSavedContact, FieldErrors) {
	errors := FieldErrors{}
	checkName(errors, "label", c.Label)
	checkName(errors, "holderName", c.HolderName)
	checked, problems := coordinates.Check(c.PaymentRail, c.coordinates())
	for _, problem := range problems {
		errors.Add(problem.Field, problem.Message)
	}
	return c.with(checked), errors
}

// Rails are the payment rails whose coordinates are known. A service may have others.
func Rails() []string { return coordinates.Rails() }

// MissingCoordinates are the coordinates of a known rail, for a contact that has none at all. Whether some are enough,
// the service decides.
func (c NewSavedContact) MissingCoordinates() (missing []string) {
	if c.coordinates() != (coordinates.Coordinates{}) || !slices.Contains(Rails(), c.PaymentRail) {
		return nil
	}
	_, problems := coordinates.Check(c.PaymentRail, coordinates.Coordinates{})
	for _, problem := range problems {
		missing = append(missing, problem.Field)
	}
	return missing
}

func (c NewSavedContact) coordinates() coordinates.Coordinates {
	return coordinates.Coordinates{
		IBAN: c.IBAN, BIC: c.BIC, RoutingNumber: c.RoutingNumber, AccountNumber: c.AccountNumber, SortCode: c.SortCode,
		CLABE: c.CLABE, PIXKey: c.PIXKey, PIXKeyType: c.PIXKeyType, Address: c.Address, Memo: c.Memo,
	}
}

func (c NewSavedContact) with(k coordinates.Coordinates) NewSavedContact {
	c.IBAN, c.BIC, c.RoutingNumber, c.AccountNumber, c.SortCode = k.IBAN, k.BIC, k.RoutingNumber, k.AccountNumber, k.SortCode
	c.CLABE, c.PIXKey, c.PIXKeyType, c.Address, c.Memo = k.CLABE, k.PIXKey, k.PIXKeyType, k.Address, k.Memo
	return c
}

// Saved returns the contact as the service shows it after its creation, with its bank coordinates masked.
func (c NewSavedContact) Saved(id string, at time.Time) SavedContact {
	c = c.with(coordinates.MaskAll(c.coordinates()))
	return SavedContact{
		ID: id, AccountID: c.AccountID, Label: c.Label, ExternalID: c.ExternalID, HolderName: c.HolderName, HolderType: c.HolderType,
		PaymentRail: c.PaymentRail, Currency: c.Currency,
		IBAN: c.IBAN, BIC: c.BIC, RoutingNumber: c.RoutingNumber, AccountNumber: c.AccountNumber, SortCode: c.SortCode,
		CLABE: c.CLABE, PIXKey: c.PIXKey, PIXKeyType: c.PIXKeyType, Address: c.Address, Memo: c.Memo,
		Metadata: c.Metadata, CreatedAt: at,
	}
}
