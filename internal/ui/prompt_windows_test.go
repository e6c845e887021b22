package ui

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// An interruptedConsole behaves like a console at Ctrl-C: a read ends as if the input had ended, and the program is
// told of Ctrl-C at the same time.
type interruptedConsole struct{ interrupt func() }

func (c interruptedConsole) Read([]byte) (int, error) {
	go c.interrupt()
	return 0, io.EOF
}

// Ctrl-C at a question is neither an answer nor the end of the input.
func TestInterruptedQuestion(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := &Streams{In: interruptedConsole{cancel}, Out: io.Discard, Err: io.Discard, InTTY: true, ErrTTY: true}
	_, err := s.Confirm(ctx, "Send it?")
	require.ErrorIs(t, err, context.Canceled)

	s.In = interruptedConsole{func() {}}
	yes, err := s.Confirm(t.Context(), "Send it?")
	require.NoError(t, err, "the end of the input means no")
	require.False(t, yes)
}
