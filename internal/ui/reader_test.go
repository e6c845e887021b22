package ui_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/ui"
)

func TestReadingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789", 1000)
	all, err := io.ReadAll(ui.Interruptible(t.Context(), iotest.HalfReader(strings.NewReader(text))))
	require.NoError(t, err)
	require.Equal(t, text, string(all))
	_, err = io.ReadAll(ui.Interruptible(t.Context(), iotest.ErrReader(io.ErrNoProgress)))
	require.ErrorIs(t, err, io.ErrNoProgress)

	stop := errors.New("Ctrl-C")
	ctx, cancel := context.WithCancelCause(t.Context())
	silent, writer := io.Pipe()
	defer writer.Close()
	go func() {
		_, _ = writer.Write([]byte("begun"))
		cancel(stop)
	}()
	all, err = io.ReadAll(ui.Interruptible(ctx, silent))
	require.ErrorIs(t, err, stop)
	require.Contains(t, "begun", string(all))
	_, err = ui.Interruptible(ctx, silent).Read(make([]byte, 1))
	require.ErrorIs(t, err, stop)
}
