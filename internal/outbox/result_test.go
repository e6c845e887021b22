package outbox

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// A write that was sent once is unknown, even if a later attempt, or the renewal of the token for it, was not sent.
func TestResultOfALostWriteThatWasNotSentAgain(t *testing.T) {
	t.Parallel()
	notSent := &payments.NotSentError{Err: &expiredError{"it is too late"}}
	require.Equal(t, journal.OutcomeNotSent, resultOf(notSent).Outcome)
	require.Equal(t, journal.OutcomeUnknown, resultOf(errors.New("of an unknown kind")).Outcome)
	lost := payments.NewLocalProblem(payments.KindOutcomeUnknown, errors.Join(errors.New("hung up"), notSent), "It was lost.", "")
	require.Equal(t, journal.OutcomeUnknown, resultOf(lost).Outcome)
}
