package payments

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/textutil"
)

// hiddenText replaces a text of any length.
const hiddenText = "***"

// Masked returns the account without personal data. Names, e-mail address, date of birth, telephone number, tax
// identifier and postal address keep at most a first letter or the last digits. Entries of a public company register,
// identifiers and country stay.
func (a Account) Masked() Account {
	document := rewriteTexts(a.Document, maskedPersonal)
	a.Document = nil
	if shown, err := Encode(a); err == nil {
		a = Account{}
		// The JSON of an account can always be read.
		_ = json.Unmarshal(rewriteTexts(shown, maskedPersonal), &a, jsontext.AllowInvalidUTF8(true))
	}
	a.Document = document
	return a
}

func masked(text string) string {
	if text == "" {
		return ""
	}
	return hiddenText
}

// maskedName keeps the first letter of each word of a name, but hides a word of one letter.
func maskedName(name string) string {
	return textutil.Regexp(`\S+`).ReplaceAllStringFunc(strings.Join(strings.Fields(name), " "), func(word string) string {
		first, size := utf8.DecodeRuneInString(word)
		if size == len(word) || word == hiddenText {
			return hiddenText
		}
		return string(first) + hiddenText
	})
}

// maskedPersonal hides the personal data of an account: all members but those known to have none.
func maskedPersonal(at Path, text string) string {
	switch FoldMember(at.Name()) {
	case "", "id", "accountid", "externalid", "legalname", "registrationnumber", "region":
		return text
	case "firstname", "lastname", "middlename", "fullname", "givenname", "familyname", "name", "displayname":
		return maskedName(text)
	case "email", "emailaddress":
		return money.MaskPIXKey(money.PIXKeyTypeEmail, text)
	case "phonenumber", "phone", "mobile", "telephone":
		return money.MaskPIXKey(money.PIXKeyTypePhone, text)
	case "taxid", "ssn", "passportnumber", "nationalid":
		return money.MaskAccountNumber(text)
	}
	if slices.Contains(at, "metadata") || IsHarmless(at.Name(), text) {
		return text
	}
	return masked(text)
}

// secretWords end the folded names of members and header fields that hold credentials.
var secretWords = []string{
	"token", "secret", "password", "passwd", "passphrase", "passcode", "apikey", "accesskey",
	"privatekey", "authorization",
	"cookie", "jwt", "bearer", "credential", "credentials", "assertion", "otp", "cvv", "cvc",
}

// IsSecretName reports whether a member or a header field with this name holds a credential.
func IsSecretName(name string) bool {
	folded := FoldMember(name)
	return slices.ContainsFunc(secretWords, func(word string) bool { return strings.HasSuffix(folded, word) })
}

// harmless are the folded names of members and parameters without personal data.
var harmless = strings.Fields(`
	id accountid contactid savedcontactid destinationsavedcontactid transferid batchid eventid subjectid clientid
	externalid requestid traceid correlationid instance reference cursor nextcursor after limit count total page
	hasmore status state kycstatus code errorcode type types kind title currency paymentrail rail country holdertype
	flowtype rejecttype returncode amount amounttype minamount maxamount convertedamount exchangerate rate percent scale decimals
	side provider route routekey operation mode level attempt expiresin tokentype granttype scope version
	createdafter createdbefore estimatedsettlementseconds retryafter`)

// IsHarmless reports whether the value of a member or parameter is a code, an amount or a time. These may be shown.
func IsHarmless(name, value string) bool {
	folded := FoldMember(name)
	_, isTime := ParseTime(value)
	return isTime && strings.HasSuffix(folded, "at") ||
		slices.Contains(harmless, folded) && !strings.ContainsFunc(value, unicode.IsSpace)
}

// WithoutSecrets returns a document without credentials and bank account numbers, by their names. IBANs, card numbers
// and signed tokens are masked under any name. The account that a customer must pay to stays.
func WithoutSecrets(document jsontext.Value) jsontext.Value {
	return rewriteTexts(document, withoutSecret)
}

func withoutSecret(at Path, text string) string {
	folded := FoldMember(at.Name())
	switch {
	case IsSecretName(folded):
		return masked(text)
	case folded == "accountnumber", folded == "clabe":
		return money.MaskAccountNumber(text)
	case folded == "iban":
		return money.MaskIBAN(text)
	case folded == "id", strings.HasSuffix(folded, "id"), folded == "reference", strings.HasSuffix(folded, "hash"):
		return text
	}
	if _, err := time.Parse(time.RFC3339, text); err == nil {
		return text
	}
	return WithoutNumbers(text)
}

// WithoutNumbers returns a text with its IBANs, card numbers and signed tokens masked.
func WithoutNumbers(text string) string {
	const shortest = 13 // characters of a card number; an IBAN and a token have more
	if len(text) < shortest {
		return text
	}
	text = maskedIBANs(textutil.Regexp(likeToken).ReplaceAllString(text, hiddenText))
	return textutil.Regexp(likeCard).ReplaceAllStringFunc(text, func(found string) string {
		digits := strings.NewReplacer(" ", "", "-", "").Replace(found)
		if isCard(digits) {
			return money.MaskAccountNumber(digits)
		}
		return found
	})
}

// maskedIBANs masks the IBANs in a text. Letters may follow them.
func maskedIBANs(text string) string {
	for at := 0; ; at += 2 {
		found := textutil.Regexp(likeIBAN).FindStringIndex(text[at:])
		if found == nil {
			return text
		}
		end := at + found[1]
		for at += found[0]; end > at; end-- {
			if iban, ok := money.IBAN(text[at:end]); ok && text[end-1] != ' ' {
				text = text[:at] + money.MaskIBAN(iban) + text[end:]
				break
			}
		}
	}
}

// The patterns of texts that are masked under any name.
const (
	likeToken = `\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*` //nolint:gosec // the form of one
	likeIBAN  = `\b[A-Za-z]{2}[0-9]{2}(?: ?[A-Za-z0-9]){11,30}`
	likeCard  = `\b[2-6](?:[ -]?[0-9]){12,18}\b`
)

// isCard reports whether digits have the check digit of a card number (ISO/IEC 7812-1 annex B).
func isCard(digits string) bool {
	sum := 0
	for i := range len(digits) {
		n := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return sum%10 == 0
}

// rewriteTexts rewrites each text and number of a document, except deposit instructions: a customer needs these to pay.
// A text that is not JSON stays.
func rewriteTexts(document jsontext.Value, rewrite func(at Path, text string) string) jsontext.Value {
	const toPay = "depositinstructions"
	isToPay := func(name string) bool { return len(name) >= len(toPay) && FoldMember(name) == toPay }
	rename := func(name string) string { return rewrite(nil, name) }
	written, whole := RewriteJSON(document, rename, func(at Path, text string) string {
		if len(at) > 1 && slices.ContainsFunc(at[:len(at)-1], isToPay) {
			return text
		}
		return rewrite(at, text)
	})
	if !whole || len(document) == 0 {
		return document
	}
	return written
}

// FoldMember returns the same text for externalId, external_id and ExternalID.
func FoldMember(name string) string { return strings.ToLower(wordGaps.Replace(name)) }

var wordGaps = strings.NewReplacer("_", "", "-", "")
