package payments_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

const (
	traceID  = "4bf92f3577b34da6a3ce929d0e0e4736"
	parentID = "00f067aa0ba902b7"
)

func TestParseTraceparent(t *testing.T) {
	t.Parallel()
	for _, valid := range []string{
		"00-" + traceID + "-" + parentID + "-01",
		"00-" + traceID + "-" + parentID + "-00",
		"00-" + traceID + "-" + parentID + "-ff", // flags of later levels
		"01-" + traceID + "-" + parentID + "-01",
		"cc-" + traceID + "-" + parentID + "-01-what-the-future-will-be-like",
		"fe-" + traceID + "-" + parentID + "-01-",
	} {
		found, ok := payments.ParseTraceparent(valid)
		require.True(t, ok, valid)
		require.Equal(t, traceID, found, valid)
	}
	for _, wrong := range []string{
		"", "00", "-", traceID,
		"ff-" + traceID + "-" + parentID + "-01",
		"0-" + traceID + "-" + parentID + "-001",
		"0G-" + traceID + "-" + parentID + "-01",
		"00-" + traceID + "-" + parentID + "-01-more",
		"00-" + traceID + "-" + parentID + "-01-",
		"00-" + traceID + "-" + parentID + "-1",
		"00-" + traceID + "-" + parentID + "-0g",
		"cc-" + traceID + "-" + parentID + "-01.more",
		"00-" + strings.ToUpper(traceID) + "-" + parentID + "-01",
		"00-" + strings.Repeat("0", 32) + "-" + parentID + "-01",
		"00-" + traceID + "-" + strings.Repeat("0", 16) + "-01",
		"00-" + traceID[1:] + "--" + parentID + "-01",
		"00_" + traceID + "_" + parentID + "_01",
		"00-" + traceID + "-" + parentID[1:] + "\x1b-01",
		" 00-" + traceID + "-" + parentID + "-01",
		"00-" + traceID + "-" + parentID + "-01\n",
		"00-" + traceID + "-" + parentID + "-01,00-" + traceID + "-" + parentID + "-01",
	} {
		found, ok := payments.ParseTraceparent(wrong)
		require.False(t, ok, "%q", wrong)
		require.Empty(t, found)
	}
}
