package cmdutil

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// An amount above a limit must be typed, even with --yes. Without a terminal, the error shows the line to run.
func TestConfirmPayment(t *testing.T) {
	t.Parallel()
	confirm := func(kind payments.ProblemType, answer string) error {
		streams := &ui.Streams{In: strings.NewReader(answer), Out: io.Discard, Err: io.Discard, ErrTTY: true}
		streams.InTTY = answer != ""
		d := &Deps{
			Streams: streams,
			Options: &Options{Yes: true}, Args: []string{"transfer", "resolve", "--resend", "--", "-r"},
		}
		return d.ConfirmPayment(t.Context(), payments.NewLocalProblem(kind, nil, "no", "no"), "7.00")
	}
	for answer, isRight := range map[string]bool{"7\n": true, "7.00\n": true, "y\n": false, "70\n": false, "\n": false} {
		err := confirm(payments.ProblemAboveLimit, answer)
		require.Equal(t, isRight, err == nil, "%q: %v", answer, err)
	}
	require.NoError(t, confirm(payments.ProblemPayeeChanged, "y\n"))
	require.Error(t, confirm(payments.ProblemPayeeChanged, "7\n"))
	problem, _ := errors.AsType[*payments.ProblemError](confirm(payments.ProblemPayeeChanged, ""))
	// -r is quoted on Windows.
	require.Contains(t, problem.Next[0].String(), "payctl transfer resolve --resend --accept-payee -- ")
}
