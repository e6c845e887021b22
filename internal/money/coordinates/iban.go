package coordinates

import (
	"strconv"
	"strings"
)

// ibanLengths lists, by country code, how many characters an IBAN has.
//
// Source: SWIFT, IBAN Registry, release 100 (entries "IBAN length").
const ibanLengths = "" +
	"AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 " +
	"EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 " +
	"KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 " +
	"PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 " +
	"UA29 VA22 VG24 XK20 YE30 "

// sepaCountries are the codes of the countries whose accounts the SEPA schemes reach. Territories without an IBAN code
// of their own have the code of their country.
//
// Source: European Payments Council, EPC409-09, list of SEPA scheme countries.
const sepaCountries = "AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL " +
	"NO PL PT RO RS SE SI SK SM VA"

// ibanForm is an International Bank Account Number (ISO 13616-1), kept in its electronic format: capitals, no spaces.
// sepaForm is one to which SEPA can pay.
var (
	ibanForm = form{
		name: "IBAN", fold: strings.ToUpper, pattern: `^[A-Z]{2}[0-9]{2}[A-Z0-9]+$`,
		words: "a country code, two check digits and the account", check: checkIBAN,
	}
	sepaForm = form{
		name: "IBAN", fold: strings.ToUpper, pattern: ibanForm.pattern, words: ibanForm.words,
		check: func(iban string) (string, string) {
			iban, fault := checkIBAN(iban)
			if fault == "" && !strings.Contains(sepaCountries, iban[:2]) {
				fault = "SEPA does not reach accounts of the country code " + iban[:2] + "; another rail, such as swift, may"
			}
			return iban, fault
		},
	}
)

// IBAN returns a text as an IBAN in its electronic format, and whether it is one.
func IBAN(text string) (iban string, ok bool) {
	iban, fault := ibanForm.read(text)
	return iban, fault == ""
}

// checkIBAN checks the length that the country has registered, and the check digits (ISO 7064, MOD 97-10).
func checkIBAN(iban string) (string, string) {
	country := iban[:2]
	_, length, isKnown := strings.Cut(" "+ibanLengths, " "+country)
	switch {
	case !isKnown:
		return "", "no IBAN is registered for the country code " + country
	case strconv.Itoa(len(iban)) != length[:2]:
		return "", "an IBAN of " + country + " has " + length[:2] + " characters and this one has " + strconv.Itoa(len(iban))
	// The check digits are 98 minus a remainder. So 00, 01 and 99 never occur, although each passes the bare test in place
	// of another.
	case mod97(iban[4:]+iban[:4]) != 1, iban[2:4] < "02", iban[2:4] > "98":
		return "", mistyped
	}
	return iban, ""
}

// mod97 is the remainder modulo 97 of a number in which A stands for 10, B for 11 and so on to Z for 35.
func mod97(s string) int {
	remainder := 0
	for _, r := range s {
		if r <= '9' {
			remainder = (remainder*10 + int(r-'0')) % 97
		} else {
			remainder = (remainder*100 + int(r-'A') + 10) % 97
		}
	}
	return remainder
}
