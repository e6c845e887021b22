package coordinates

import (
	"strconv"
	"unicode"
	"unicode/utf8"
)

// StellarMemo checks a text memo, by which a custodian tells its customers apart on one address: 1 to 28 bytes of
// UTF-8. It is returned exactly as given, since every byte of it counts.
//
// Source: Stellar documentation, "Memos" (MEMO_TEXT).
func StellarMemo(value string) (string, error) {
	const kind = "Stellar memo"
	if value == "" {
		return "", Required
	}
	if len(value) > 28 {
		return "", invalid(kind, "it has %d bytes in UTF-8 and a text memo holds 28", len(value))
	}
	if !utf8.ValidString(value) {
		return "", invalid(kind, "it is not UTF-8 text")
	}
	for _, r := range value {
		if unicode.IsControl(r) {
			return "", invalid(kind, "it contains the control character %s", strconv.QuoteToASCII(string(r)))
		}
	}
	return value, nil
}
