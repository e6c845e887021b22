package ui

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// asked returns streams that claim to be terminals and answer with input, and their screen.
func asked(input string) (*Streams, *bytes.Buffer) {
	var screen bytes.Buffer
	return &Streams{In: strings.NewReader(input), Out: io.Discard, Err: &screen, InTTY: true, ErrTTY: true}, &screen
}

func TestConfirm(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]bool{
		"y\n": true, "YES\r\n": true, " y \n": true, "y": true,
		"\n": false, "n\n": false, "yep\n": false, "": false, "no\ny\n": false,
	} {
		s, screen := asked(input)
		ok, err := s.Confirm(t.Context(), "Send to \x1b[1mZoë?")
		require.NoError(t, err)
		require.Equal(t, want, ok, "%q", input)
		require.Contains(t, screen.String(), `Send to \x1b[1mZoë? [y/N] `)
	}
}

func TestAsk(t *testing.T) {
	t.Parallel()
	s, screen := asked("  sepa \nrest")
	got, err := s.Ask(t.Context(), "Rail:")
	require.NoError(t, err)
	require.Equal(t, "sepa", got)
	require.Equal(t, "Rail: ", screen.String())
	rest, err := io.ReadAll(s.In)
	require.NoError(t, err)
	require.Equal(t, "rest", string(rest), "nothing after the line is read")

	_, err = s.Ask(t.Context(), "Rail:")
	require.ErrorIs(t, err, ErrNoAnswer)

	s, _ = asked(strings.Repeat("x", maxAnswer) + "\n")
	_, err = s.Ask(t.Context(), "Rail:")
	require.ErrorIs(t, err, ErrAnswerTooLong)
	s, _ = asked(strings.Repeat("x", maxAnswer-1) + "\n")
	got, err = s.Ask(t.Context(), "Rail:")
	require.NoError(t, err)
	require.Len(t, got, maxAnswer-1)
	s, _ = asked("s3cret\n")
	got, err = s.AskSecret(t.Context(), "Secret")
	require.NoError(t, err)
	require.Equal(t, "s3cret", got, "also without a descriptor")
}

func TestNobodyToAsk(t *testing.T) {
	t.Parallel()
	for _, s := range []*Streams{
		{In: strings.NewReader("y\n"), Err: io.Discard, InTTY: true},
		{In: strings.NewReader("y\n"), Err: io.Discard, ErrTTY: true},
	} {
		_, err := s.Confirm(t.Context(), "?")
		require.ErrorIs(t, err, ErrNoTTY)
		_, err = s.Ask(t.Context(), "?")
		require.ErrorIs(t, err, ErrNoTTY)
		_, err = s.AskSecret(t.Context(), "?")
		require.ErrorIs(t, err, ErrNoTTY)
	}
}

func TestPromptEndsWithItsContext(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	defer w.Close()
	var screen bytes.Buffer
	s := &Streams{In: r, Err: &screen, InTTY: true, ErrTTY: true}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := s.Confirm(ctx, "Send?")
		done <- err
	}()
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)

	_, err := s.Ask(ctx, "Rail:")
	require.ErrorIs(t, err, context.Canceled)
	require.NotContains(t, screen.String(), "Rail", "an ended context asks nothing")
}

func TestReadingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789", 1000)
	all, err := io.ReadAll(Interruptible(t.Context(), iotest.HalfReader(strings.NewReader(text))))
	require.NoError(t, err)
	require.Equal(t, text, string(all))
	_, err = io.ReadAll(Interruptible(t.Context(), iotest.ErrReader(io.ErrNoProgress)))
	require.ErrorIs(t, err, io.ErrNoProgress)

	stop := errors.New("Ctrl-C")
	ctx, cancel := context.WithCancelCause(t.Context())
	silent, writer := io.Pipe()
	defer writer.Close()
	go func() {
		_, _ = writer.Write([]byte("begun"))
		cancel(stop)
	}()
	all, err = io.ReadAll(Interruptible(ctx, silent))
	require.ErrorIs(t, err, stop)
	require.Contains(t, "begun", string(all))
	_, err = Interruptible(ctx, silent).Read(make([]byte, 1))
	require.ErrorIs(t, err, stop)
}
