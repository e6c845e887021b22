package postgres

import (
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestEscapedTexts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		text := string(rapid.SliceOf(rapid.OneOf(rapid.Byte(), rapid.SampledFrom([]byte("\x00\x01\x02ff0\xc3\xa9")))).Draw(r, "text"))
		escaped := escape(text)
		require.True(r, utf8.ValidString(escaped))
		require.False(r, strings.Contains(escaped, "\x00"))
		require.Equal(r, text, unescape(escaped), "so different texts stay different")
	})
}

func TestClockReadings(t *testing.T) {
	t.Parallel()
	var c clock
	require.True(t, c.due())
	require.False(t, c.isExact())
	require.WithinDuration(t, time.Now(), c.now(), time.Minute, "without a reading, it is this machine's clock")

	local := time.Now()
	remote := local.Add(time.Hour)
	read := func(remote time.Time, roundTrip time.Duration) time.Duration {
		c.read(local, local.Add(roundTrip), remote.Add(roundTrip/2))
		now := c.now()
		return now.Sub(remote.Add(time.Since(local))).Abs()
	}
	require.Less(t, read(remote, 2*time.Millisecond), time.Second)
	require.False(t, c.due())
	exact := c.reading.Load()
	read(remote.Add(10*time.Millisecond), 100*time.Millisecond)
	require.Equal(t, exact, c.reading.Load(), "a less exact one that does not contradict")
	read(remote.Add(time.Second), 100*time.Millisecond)
	require.NotEqual(t, exact, c.reading.Load(), "another server's clock")
	require.False(t, c.isExact())
	read(remote.Add(time.Second), 0)
	require.True(t, c.isExact())

	before := c.now()
	read(remote.Add(-time.Second), 0)
	require.False(t, c.now().Before(before), "it stands still rather than to run backwards")
	require.Less(t, read(remote.Add(-time.Hour), 0), time.Second, "a clock that was set back")
}

// What PgBouncer and other engines report, and this PostgreSQL does not.
func TestMayHaveCommitted(t *testing.T) {
	t.Parallel()
	reported := func(severity, code string) error {
		return &pgconn.PgError{Severity: severity, SeverityUnlocalized: severity, Code: code}
	}
	for _, c := range []struct {
		err           error
		before, after bool // of the response to a statement before COMMIT, and of that to COMMIT
	}{
		{reported("ERROR", "23505"), false, false},
		{reported("ERROR", "40001"), false, false},
		{reported("ERROR", "40003"), false, true},
		{reported("FATAL", "57P01"), false, true},
		{reported("FATAL", "08P01"), true, true},
		{io.ErrUnexpectedEOF, true, true},
	} {
		require.Equal(t, c.before, mayHaveCommitted(c.err, false), c.err)
		require.Equal(t, c.after, mayHaveCommitted(c.err, true), c.err)
	}
}
