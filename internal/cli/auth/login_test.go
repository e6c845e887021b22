package auth

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// A login that waits for a secret on standard input can be interrupted.
func TestWaitingForASecretEndsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	read, write := io.Pipe()
	defer write.Close()
	interrupt := errors.New("interrupted")
	go func() {
		_, _ = write.Write([]byte("half a sec")) // which returns when it is read
		cancel(interrupt)
	}()
	_, err := readSecret(ctx, read)
	require.ErrorIs(t, err, interrupt)
}
