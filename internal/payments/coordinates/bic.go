package coordinates

// kosovo is the country code of Kosovo in BICs and IBANs. ISO 3166 has none.
const kosovo = "XK"

// BIC checks a Business Identifier Code: four letters or digits for the party, an ISO 3166 country code, two characters for
// the location, and optionally three for the branch. It returns the code in capitals.
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
	if country := s[4:6]; !IsCountry(country) && country != kosovo {
		return "", invalid(kind, "characters 5 and 6 must be a country code, and %s is none", country)
	}
	return s, nil
}
