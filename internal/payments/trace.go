package payments

import (
	"strings"

	"github.com/payctl/payctl/internal/textutil"
)

// traceparent has the four fields of a traceparent (W3C Trace Context level 2, section 3.2). Later versions may add
// more.
const traceparent = `^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$`

// ParseTraceparent returns the trace id of a traceparent: 32 hexadecimal digits in lower case. Ok reports whether the
// text is valid.
func ParseTraceparent(text string) (traceID string, ok bool) {
	fields := textutil.Regexp(traceparent).FindStringSubmatch(text)
	if fields == nil || fields[1] == "ff" || fields[1] == "00" && fields[4] != "" ||
		strings.Trim(fields[2], "0") == "" || strings.Trim(fields[3], "0") == "" {
		return "", false
	}
	return fields[2], true
}
