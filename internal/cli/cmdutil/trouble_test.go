package cmdutil_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

func unreachable(reason string) error {
	problem := payments.NewLocalProblem(payments.KindUnreachable, nil, "The service could not be reached.", "%s. Check the base URL.", reason)
	problem.Reason = reason
	return problem
}

func answered(status int, kind payments.Kind, reason string) *payments.ProblemError {
	problem := payments.NewProblem(kind, "Detail.")
	problem.Status, problem.Reason = status, reason
	return problem
}

func TestTrouble(t *testing.T) {
	t.Parallel()
	limited := answered(429, payments.KindRateLimited, "")
	limited.RetryAfter = 90 * time.Second
	rejected := answered(401, payments.KindUnauthenticated, "")
	for want, err := range map[string]error{
		"does not answer; trying again: connection refused":                                      fmt.Errorf("asking: %w", unreachable("connection refused")),
		"does not answer; trying again: The service could not be reached: . Check the base URL.": unreachable(""),
		"does not answer; trying again: too many":                                                errors.New("too many"),
		"refuses the credential; trying again: status 401, Authentication is required":           rejected,
		"does not answer; trying again: no connection":                                           errors.Join(rejected, unreachable("no connection")), // the token cannot be renewed
		"asks to wait 1m30s; trying again: status 429, Too many requests":                        limited,
		"fails; trying again: status 503, The service is unavailable":                            answered(503, payments.KindUnavailable, ""),
		"fails; trying again: status 502":                                                        answered(502, payments.KindUnusable, "a page of a proxy"),
		"gives an answer that cannot be used; trying again: it is no JSON":                       answered(200, payments.KindUnusable, "it is no JSON"),
		"does not answer; trying again: there was no complete answer (reset)":                    answered(0, payments.KindUnusable, "there was no complete answer (reset)"),
		"refuses access; trying again: status 403, The token does not allow this":                answered(403, payments.KindInsufficientScope, ""),
	} {
		var printed bytes.Buffer
		d := cmdutil.Deps{Streams: &ui.Streams{Err: &printed}}
		d.Trouble(err)
		require.Equal(t, "warning: The service "+want+"\n", printed.String())
	}
}
