package coordinates

import "strings"

// iso3166 is every alpha-2 code of ISO 3166-1, and XK, which ISO 9362 and the
// IBAN registry use for Kosovo.
const iso3166 = "" +
	"AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ " +
	"CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR " +
	"GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP " +
	"KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT " +
	"MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW " +
	"SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ " +
	"UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW XK"

// BIC checks a Business Identifier Code: four letters or digits for the party,
// an ISO 3166 country code, two for the location, and optionally three for the
// branch. It returns the code in capitals, as long as it was given.
//
// Source: ISO 9362:2022; ISO 20022 data type BICFIDec2014Identifier.
func BIC(value string) (string, error) {
	const kind = "BIC"
	s, err := tidy(kind, value, "")
	if err != nil {
		return "", err
	}
	s = upper(s)
	if err := onlyOf(kind, s, isUpperOrDigit, "a letter or a digit"); err != nil {
		return "", err
	}
	if len(s) != 8 && len(s) != 11 {
		return "", invalid(kind, "it has %s and needs 8 or 11", count(len(s), "character"))
	}
	// The list's separators keep two letters from matching across two codes.
	if country := s[4:6]; !strings.Contains(iso3166, country) {
		return "", invalid(kind, "characters 5 and 6 must be a country code, and %s is none", country)
	}
	return s, nil
}
