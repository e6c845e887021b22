package payments

import "strings"

// The places of the fields in a traceparent: two digits of the version, 32 of the trace id, 16 of the parent id and two
// of the flags, with a hyphen between each two.
const (
	traceIDAt, parentIDAt, flagsAt = 3, 36, 53
	traceparentLength              = 55
)

// ParseTraceparent returns the trace id of a traceparent (W3C Trace Context level 2, section 3.2), which is 32
// hexadecimal digits in lower case. Ok reports whether the text is valid. Version 00 has four fields; a later one may have
// more, which are not read.
func ParseTraceparent(text string) (traceID string, ok bool) {
	if len(text) < traceparentLength || len(text) > traceparentLength && text[traceparentLength] != '-' {
		return "", false
	}
	version := text[:traceIDAt-1]
	if !isLowerHex(version) || version == "ff" || version == "00" && len(text) > traceparentLength {
		return "", false
	}
	if text[traceIDAt-1] != '-' || text[parentIDAt-1] != '-' || text[flagsAt-1] != '-' {
		return "", false
	}
	traceID, parentID := text[traceIDAt:parentIDAt-1], text[parentIDAt:flagsAt-1]
	if !isLowerHex(traceID) || !isLowerHex(parentID) || !isLowerHex(text[flagsAt:traceparentLength]) ||
		strings.Trim(traceID, "0") == "" || strings.Trim(parentID, "0") == "" {
		return "", false
	}
	return traceID, true
}

func isLowerHex(text string) bool { return strings.Trim(text, "0123456789abcdef") == "" }
