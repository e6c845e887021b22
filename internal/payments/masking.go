package payments

import (
	"strings"
	"unicode/utf8"

	"github.com/payctl/payctl/internal/payments/coordinates"
)

// hiddenText replaces a text that is not shown at all. Its length is always the same, so that it reveals none.
const hiddenText = "***"

// Masked returns the account without personal data: of names, e-mail address, date of birth, telephone number, tax
// identifier and postal address at most a first letter or the last digits remain. The entries of a public company
// register stay, and so do identifiers, country and metadata.
func (a Account) Masked() Account {
	a.FirstName, a.LastName = maskedName(a.FirstName), maskedName(a.LastName)
	a.Email = coordinates.MaskPIXKey(coordinates.PIXKeyTypeEmail, a.Email)
	a.PhoneNumber = coordinates.MaskPIXKey(coordinates.PIXKeyTypePhone, a.PhoneNumber)
	a.TaxID = coordinates.MaskAccountNumber(a.TaxID)
	a.BirthDate = masked(a.BirthDate)
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

// maskedName keeps the first letter of each word of a name, and nothing of a word of one letter.
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
