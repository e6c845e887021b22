package payments

import (
	"strings"
	"unicode/utf8"

	"github.com/payctl/payctl/internal/payments/coordinates"
)

// hiddenText stands for what is not shown at all. It has one length, so that it tells none.
const hiddenText = "***"

// Masked is the account as it may be shown to whoever need not know the person: names, e-mail address, date of birth,
// telephone number, tax identifier and postal address give away no more than a first letter or the last digits. What a
// register of companies publishes stays, and so do identifiers, the country and what the client keeps with it.
func (a Account) Masked() Account {
	a.FirstName, a.LastName = maskedName(a.FirstName), maskedName(a.LastName)
	a.Email = coordinates.MaskPIXKey(coordinates.PIXKeyTypeEmail, a.Email)
	a.PhoneNumber = coordinates.MaskPIXKey(coordinates.PIXKeyTypePhone, a.PhoneNumber)
	a.TaxID = coordinates.MaskAccountNumber(a.TaxID)
	if a.BirthDate != "" {
		a.BirthDate = hiddenText
	}
	if a.Address != nil {
		a.Address = &Address{
			Line1: masked(a.Address.Line1), Line2: masked(a.Address.Line2), City: masked(a.Address.City), Region: a.Address.Region,
			PostalCode: masked(a.Address.PostalCode), Country: a.Address.Country,
		}
	}
	return a
}

func masked(text string) string {
	if text == "" {
		return ""
	}
	return hiddenText
}

// maskedName leaves the first letter of each word of a name; of a word of one letter, nothing.
func maskedName(name string) string {
	words := strings.Fields(name)
	for i, word := range words {
		first, size := utf8.DecodeRuneInString(word)
		if size == len(word) || word == hiddenText {
			words[i] = hiddenText
			continue
		}
		words[i] = string(first) + hiddenText
	}
	return strings.Join(words, " ")
}
