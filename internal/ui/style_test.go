package ui

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSelectedLines(t *testing.T) {
	t.Parallel()
	s := &Streams{ColorOut: true, ManyColors: true}
	require.Equal(t, "\x1b[7m plain \x1b[0m", s.PaintSelected(Plain, " plain "))
	require.Equal(t, "\x1b[1;38;5;231;48;5;163mstaff\x1b[0m", s.PaintSelected(Reviewer, "staff"))
	require.Empty(t, s.PaintSelected(Plain, ""))
	line := "acc_1  " + s.Paint(Bad, "rejected") + "  " + s.Paint(Dim, "3d")
	require.Equal(t, "\x1b[7macc_1  rejected  3d\x1b[0m", s.PaintSelected(Plain, line), "no inner reset ends the bar")

	s.ColorOut = false
	require.Equal(t, "staff", s.Paint(Reviewer, "staff"))
	require.Equal(t, "\x1b[7mstaff\x1b[0m", s.PaintSelected(Reviewer, "staff"), "reverse video is no colour")
}
