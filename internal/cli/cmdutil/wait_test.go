package cmdutil_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

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

func TestTrouble(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"connection refused": fmt.Errorf("asking: %w", unreachable("connection refused")),
		"The service could not be reached: . Check the base URL.": unreachable(""),
		"too many": errors.New("too many"),
	} {
		var printed bytes.Buffer
		d := cmdutil.Deps{Streams: &ui.Streams{Err: &printed}}
		d.Trouble(err)
		require.Equal(t, "warning: The service does not answer; trying again: "+want+"\n", printed.String())
	}
}
