package payments_test

import (
	"regexp"
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

// traceparent is the grammar of the header, but for what must not be zero.
var traceparent = regexp.MustCompile(`^(?:00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}|` +
	`(?:0[1-9a-f]|[1-9a-e][0-9a-f]|f[0-9a-e])-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-[\s\S]*)?)$`)

// FuzzTraceparent compares the parser with the grammar.
func FuzzTraceparent(f *testing.F) {
	for _, seed := range []string{
		"", "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-\x1b[31m\r\n",
		"cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
		"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-",
		"00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
		"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
		"ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
		"00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
		"00-00000000000000000000000000000000-00f067aa0ba902b7-01",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found, ok := payments.ParseTraceparent(text)
		match := traceparent.FindStringSubmatch(text)
		expected := ""
		if match != nil && strings.Trim(match[1]+match[3], "0") != "" && strings.Trim(match[2]+match[4], "0") != "" {
			expected = match[1] + match[3]
		}
		require.Equal(t, expected, found)
		require.Equal(t, expected != "", ok)
	})
}
