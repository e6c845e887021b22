package money

import "strings"

// maskVisible is how many characters of a masked number stay readable, so that its owner recognises it.
const maskVisible = 4

// MaskAccountNumber replaces each character but the last four with an asterisk. If the number has fewer than eight,
// only half of them stay.
func MaskAccountNumber(value string) string {
	runes := []rune(value)
	hidden := len(runes) - min(maskVisible, len(runes)/2)
	return strings.Repeat("*", hidden) + string(runes[hidden:])
}

const capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// MaskIBAN masks an IBAN like an account number, but keeps its country code.
func MaskIBAN(value string) string {
	if len(value) < 2 || strings.Trim(value[:2], capitals) != "" {
		return MaskAccountNumber(value)
	}
	return value[:2] + MaskAccountNumber(value[2:])
}

// MaskPIXKey masks a PIX key. An e-mail address keeps its first character and its domain. Other keys keep the last four
// characters, and a phone number its plus sign too.
func MaskPIXKey(keyType, value string) string {
	switch at := strings.LastIndexByte(value, '@'); {
	case keyType == PIXKeyTypeEmail && at >= 0:
		return maskLocalPart(value[:at]) + value[at:]
	case keyType == PIXKeyTypePhone && strings.HasPrefix(value, "+"):
		return "+" + MaskAccountNumber(value[1:])
	}
	return MaskAccountNumber(value)
}

// maskLocalPart hides the length of a name. It shows nothing of a name with one letter.
func maskLocalPart(local string) string {
	runes := []rune(local)
	if len(runes) < 2 {
		return "****"
	}
	return string(runes[0]) + "***"
}
