package service

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/payctl/payctl/internal/payments"
)

// A cursor of the feed is the identifier of the last event before it: a name for this life of the world and the event's
// place in its log, both in the digits of base 32 (RFC 4648 section 7, in lower case), so that identifiers sort as the
// events do.
const (
	placeLength = 10
	placeBits   = 5 * placeLength
)

func cursor(name string, seq uint64) string {
	digits := strconv.FormatUint(seq, 32)
	return prefixEvent + name + strings.Repeat("0", max(placeLength-len(digits), 0)) + digits
}

// parseCursor is the opposite of cursor.
func parseCursor(text string) (name string, seq uint64, ok bool) {
	rest, ok := strings.CutPrefix(text, prefixEvent)
	if !ok || len(rest) != lifeNameLength+placeLength {
		return "", 0, false
	}
	name = rest[:lifeNameLength]
	seq, err := strconv.ParseUint(rest[lifeNameLength:], 32, placeBits)
	return name, seq, err == nil && cursor(name, seq) == text
}

// place finds the place in the log that a request goes on from.
func (l feedLog) place(after string) (uint64, error) {
	switch after {
	case "":
		return l.Pruned, nil
	case payments.LatestEvent:
		return l.Last, nil
	}
	name, seq, ok := parseCursor(after)
	switch {
	case !ok:
		refusal := payments.Invalid(payments.FieldErrors{"after": {fmt.Sprintf(
			"The after field must be the cursor of an earlier answer, the id of an event, or %s.", payments.LatestEvent)}})
		refusal.Detail = "The request's query failed validation."
		return 0, refusal
	case name != l.name || seq > l.Last:
		return 0, payments.Refuse(payments.KindGone, "The cursor %s is of another life of this world, which was reset or whose memory is gone.", after)
	case seq < l.Pruned:
		return 0, payments.Refuse(payments.KindGone, "The cursor %s is older than the events that are kept.", after)
	}
	return seq, nil
}
