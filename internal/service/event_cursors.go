package service

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/payctl/payctl/internal/payments"
)

// A cursor of the event feed is the identifier of the last event before it. It has the short name of the world's
// instance and the event's number in the log. Both are in base 32 (RFC 4648 section 7, in lower case), so identifiers
// sort like events.
const (
	placeLength = 10
	placeBits   = 5 * placeLength
)

func eventID(instance string, seq uint64) string {
	digits := strconv.FormatUint(seq, 32)
	return prefixEvent + instance + strings.Repeat("0", max(placeLength-len(digits), 0)) + digits
}

// parseEventID is the inverse of eventID.
func parseEventID(text string) (instance string, seq uint64, ok bool) {
	rest, ok := strings.CutPrefix(text, prefixEvent)
	if !ok || len(rest) != instanceNameLength+placeLength {
		return "", 0, false
	}
	instance = rest[:instanceNameLength]
	seq, err := strconv.ParseUint(rest[instanceNameLength:], 32, placeBits)
	return instance, seq, err == nil && eventID(instance, seq) == text
}

// position returns the number of the last event before a page.
func (l eventLog) position(cursor string) (uint64, error) {
	switch cursor {
	case "":
		return l.Pruned, nil
	case payments.LatestEvent:
		return l.Last, nil
	}
	instance, seq, ok := parseEventID(cursor)
	switch {
	case !ok:
		return 0, invalidQuery("after", fmt.Sprintf(
			"must be the cursor of an earlier answer, the id of an event, or %s", payments.LatestEvent))
	case instance != l.instance || seq > l.Last:
		return 0, payments.NewProblem(payments.ProblemGone,
			"The cursor %s is of another instance of this world, which was reset or whose memory is gone.", cursor)
	case seq < l.Pruned:
		return 0, payments.NewProblem(payments.ProblemGone, "The cursor %s is older than the events that are kept.", cursor)
	}
	return seq, nil
}

// invalidQuery returns the problem of a query parameter.
func invalidQuery(field, message string) error {
	problem := payments.NewValidationProblem(payments.FieldErrors{field: {"The " + field + " field " + message + "."}})
	problem.Detail = "The request's query failed validation."
	return problem
}
