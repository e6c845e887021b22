package shell

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestQuote(t *testing.T) {
	t.Parallel()
	require.Equal(t, "/home/a/.config/x", Quote("/home/a/.config/x"))
	require.Equal(t, `'/a b/it'\''s'`, Quote("/a b/it's"))
	require.Equal(t, `''`, Quote(""))
}
