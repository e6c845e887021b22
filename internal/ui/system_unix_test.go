//go:build !windows

package ui

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhileRead(t *testing.T) {
	t.Parallel()
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	defer writer.Close()
	ctx, end := (&Streams{Pipe: writer}).WhileRead(t.Context())
	defer end()
	_, err = writer.WriteString("x")
	require.NoError(t, err)
	require.NoError(t, ctx.Err())
	require.NoError(t, reader.Close())
	<-ctx.Done()
	require.True(t, IsBrokenPipe(context.Cause(ctx)))

	same, end := (&Streams{}).WhileRead(t.Context())
	defer end()
	require.Equal(t, t.Context(), same, "there is no pipe")
}
