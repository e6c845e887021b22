package deps_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/deps"
)

type unreachable struct{ reason string }

func (u *unreachable) Error() string {
	return "The service could not be reached: " + u.reason + ". Check the base URL."
}
func (u *unreachable) Reason() string { return u.reason }

func TestOutage(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"connection refused": fmt.Errorf("asking: %w", &unreachable{"connection refused"}),
		"The service could not be reached: . Check the base URL.": &unreachable{},
		"too many": errors.New("too many"),
	} {
		require.Equal(t, "The service does not answer; trying again: "+want, deps.Outage(err))
	}
}
