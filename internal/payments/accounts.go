package payments

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/payctl/payctl/internal/money"
)

// adultAge is the minimum age of an individual, in years.
const adultAge = 18

// Check returns the account with canonical country codes and phone number, and its faults beyond the schema.
func (a NewAccount) Check(now time.Time) (NewAccount, FieldErrors) {
	errors := FieldErrors{}
	a.Country = strings.ToUpper(strings.TrimSpace(a.Country))
	if a.Address != nil {
		address := *a.Address
		address.Country = strings.ToUpper(strings.TrimSpace(address.Country))
		a.Address = &address
	}
	a.PhoneNumber = strings.NewReplacer(" ", "", "-", "", ".", "", "(", "", ")", "", "/", "").Replace(a.PhoneNumber)
	const fewest, most = 7, 15 // digits (ITU-T E.164)
	if digits := len(a.PhoneNumber) - 1; a.PhoneNumber != "" && (digits < fewest || digits > most) {
		errors.Add("phoneNumber", "The phoneNumber field must be an E.164 phone number such as +442079460000.")
	}
	checkName(errors, "firstName", a.FirstName)
	checkName(errors, "lastName", a.LastName)
	checkName(errors, "legalName", a.LegalName)
	if a.Country != "" && !money.IsCountry(a.Country) {
		errors.Add("country", "The country field must be an ISO 3166-1 alpha-2 country code such as GB.")
	}
	if a.Address != nil && a.Address.Country != "" && !money.IsCountry(a.Address.Country) {
		errors.Add("address.country", "The address.country field must be an ISO 3166-1 alpha-2 country code such as GB.")
	}
	if born, err := time.Parse(time.DateOnly, a.BirthDate); err == nil && born.AddDate(adultAge, 0, 0).After(now) {
		errors.Add("birthDate", "The birthDate field must be at least 18 years ago.")
	}
	return a, errors
}

// checkName refuses an invisible name. The schema checks an empty one.
func checkName(errors FieldErrors, field, name string) {
	isShown := func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }
	if name != "" && !strings.ContainsFunc(name, isShown) {
		errors.Add(field, "The "+field+" field must have a visible character.")
	}
}

// Complete reports whether the identity check can start. A business needs its registration number for that.
func (a NewAccount) Complete() bool {
	return a.Type != AccountTypeBusiness || a.RegistrationNumber != ""
}

// Opened returns the account as the service shows it, with its tax identifier masked.
func (a NewAccount) Opened(id string, status KYCStatus, at time.Time) Account {
	return Account{
		ID: id, KYCStatus: status, Type: a.Type, FirstName: a.FirstName, LastName: a.LastName, LegalName: a.LegalName,
		RegistrationNumber: a.RegistrationNumber, Email: a.Email, Country: a.Country, ExternalID: a.ExternalID,
		BirthDate: a.BirthDate, PhoneNumber: a.PhoneNumber, Address: a.Address, TaxID: money.MaskAccountNumber(a.TaxID),
		Metadata: a.Metadata, CreatedAt: at, UpdatedAt: at,
	}
}

// Name returns the legal name of a business, or the first and last name of an individual.
func (a Account) Name() string {
	return cmp.Or(a.LegalName, strings.TrimSpace(a.FirstName+" "+a.LastName))
}

// Open returns the requirements that the applicant has not answered.
func (k KYC) Open() []KYCRequirement {
	isAnswered := func(r KYCRequirement) bool { return r.Status != "open" }
	return slices.DeleteFunc(slices.Clone(k.Requirements), isAnswered)
}

// Deadline returns the first deadline of the open requirements, or the zero time.
func (k KYC) Deadline() (first time.Time) {
	for _, r := range k.Open() {
		if r.Deadline != nil && (first.IsZero() || r.Deadline.Before(first)) {
			first = *r.Deadline
		}
	}
	return first
}

// Text returns a reason's message and code.
func (r KYCReason) Text() string {
	if r.Message == "" || r.Code == "" || r.Message == r.Code {
		return cmp.Or(r.Message, r.Code)
	}
	return r.Message + " (" + r.Code + ")"
}
