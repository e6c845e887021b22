package payments

import (
	"context"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments/coordinates"
)

// adultAge is the least age of an individual in years.
const adultAge = 18

// Check reports what a schema cannot say of a new account, at a moment now.
func (a NewAccount) Check(now time.Time) FieldErrors {
	errors := FieldErrors{}
	if a.Country != "" && !isCountry(a.Country) {
		errors.Add("country", "The country field must be an ISO 3166-1 alpha-2 country code such as GB.")
	}
	if a.Address != nil && a.Address.Country != "" && !isCountry(a.Address.Country) {
		errors.Add("address.country", "The address.country field must be an ISO 3166-1 alpha-2 country code such as GB.")
	}
	if born, err := time.Parse(time.DateOnly, a.BirthDate); err == nil && born.AddDate(adultAge, 0, 0).After(now) {
		errors.Add("birthDate", "The birthDate field must be at least 18 years ago.")
	}
	return errors
}

// Complete says whether the identity check can start: the required members do for an individual, a business also needs
// its registration number.
func (a NewAccount) Complete() bool {
	return a.Type != AccountTypeBusiness || a.RegistrationNumber != ""
}

// Opened is the account as it is shown once created: with its identifier, its tax identifier masked.
func (a NewAccount) Opened(id string, status KYCStatus, at time.Time) Account {
	return Account{
		ID: id, KYCStatus: status, Type: a.Type, FirstName: a.FirstName, LastName: a.LastName, LegalName: a.LegalName,
		RegistrationNumber: a.RegistrationNumber, Email: a.Email, Country: a.Country, ExternalID: a.ExternalID,
		BirthDate: a.BirthDate, PhoneNumber: a.PhoneNumber, Address: a.Address, TaxID: coordinates.MaskAccountNumber(a.TaxID),
		Metadata: a.Metadata, CreatedAt: at, UpdatedAt: at,
	}
}

// Name is the account's name as people say it.
func (a Account) Name() string {
	if a.LegalName != "" {
		return a.LegalName
	}
	return strings.TrimSpace(a.FirstName + " " + a.LastName)
}

// countries are the officially assigned codes of ISO 3166-1 alpha-2, side by side.
const countries = "" +
	"AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ " +
	"CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR " +
	"GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP " +
	"KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT " +
	"MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW " +
	"SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG " +
	"UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW "

func isCountry(code string) bool {
	return len(code) == 2 && strings.Contains(countries, code+" ")
}

// FirstAccount is the account that its maker gave an external id, by the same rule as FirstTransfer.
func FirstAccount(ctx context.Context, service Accounts, externalID string) (account Account, found bool, err error) {
	filter := AccountFilter{ExternalID: externalID}
	return first(func(cursor string) ([]Account, *string, error) {
		filter.Cursor = cursor
		page, err := service.ListAccounts(ctx, filter)
		return page.Data, page.NextCursor, err
	}, func(a Account, same func(a, b string) bool) bool { return same(a.ExternalID, externalID) })
}
