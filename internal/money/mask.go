package money

import "strings"

// maskVisible is how many characters of a masked number stay readable, so that its owner can tell it from another.
const maskVisible = 4

// MaskAccountNumber replaces all but the last four characters with asterisks, one for one. Of a number shorter than
// eight it shows half, since four would give most of it away.
func MaskAccountNumber(value string) string {
	runes := []rune(value)
	hidden := len(runes) - min(maskVisible, len(runes)/2)
	return strings.Repeat("*", hidden) + string(runes[hidden:])
}

const capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// MaskIBAN masks an IBAN like an account number and leaves its country code.
func MaskIBAN(value string) string {
	if len(value) < 2 || strings.Trim(value[:2], capitals) != "" {
		return MaskAccountNumber(value)
	}
	return value[:2] + MaskAccountNumber(value[2:])
}

// MaskPIXKey masks a key of a type of PIXKey: of an e-mail address the first character and the domain stay, of a telephone
// number the plus sign, and of this and any other key the last four characters.
func MaskPIXKey(keyType, value string) string {
	switch at := strings.LastIndexByte(value, '@'); {
	case keyType == PIXKeyTypeEmail && at >= 0:
		return maskLocalPart(value[:at]) + value[at:]
	case keyType == PIXKeyTypePhone && strings.HasPrefix(value, "+"):
		return "+" + MaskAccountNumber(value[1:])
	}
	return MaskAccountNumber(value)
}

// maskLocalPart has one length for every name, and shows nothing of a name that a single letter would tell.
func maskLocalPart(local string) string {
	runes := []rune(local)
	if len(runes) < 2 {
		return "****"
	}
	return string(runes[0]) + "***"
}
