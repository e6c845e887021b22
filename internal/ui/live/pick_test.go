package live

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/golden"
	"github.com/payctl/payctl/internal/ui"
)

// A testPicker is a picker without a terminal.
type testPicker struct {
	*pickModel
	t *testing.T
}

func newTestPicker(t *testing.T, columns, rows int, s *ui.Streams, options ...string) *testPicker {
	m := &pickModel{picker: Picker{Streams: s, Title: "Source \x1b[31m", Options: options}}
	m.match()
	p := &testPicker{m, t}
	p.Update(tea.WindowSizeMsg{Width: columns, Height: rows})
	return p
}

// press presses keys and reports whether the picker ended.
func (p *testPicker) press(keys string) (ended bool) {
	pages := map[string]tea.KeyPressMsg{
		"⇞": {Code: tea.KeyPgUp}, "⇟": {Code: tea.KeyPgDown}, "Ⓒ": {Code: 'c', Mod: tea.ModCtrl}, "Ⓓ": {Code: 'd', Mod: tea.ModCtrl},
	}
	for _, r := range keys {
		key, ok := special[string(r)]
		if !ok {
			key, ok = pages[string(r)]
		}
		if !ok {
			key = tea.KeyPressMsg{Code: r, Text: string(r)}
		}
		if _, cmd := p.Update(key); cmd != nil {
			ended = true
		}
	}
	return ended
}

// screen is what is shown, each line within the width of the screen.
func (p *testPicker) screen() string {
	p.t.Helper()
	view := p.View()
	lines := strings.Split(view.Content, "\n")
	require.LessOrEqual(p.t, len(lines), p.height)
	for i, line := range lines {
		require.LessOrEqual(p.t, ansi.StringWidth(line), p.width, "%q", line)
		lines[i] = strings.TrimRight(ansi.Strip(line), " ")
	}
	if view.Cursor != nil {
		require.Less(p.t, view.Cursor.X, p.width)
		require.Less(p.t, view.Cursor.Y, p.height)
	}
	return strings.Join(lines, "\n") + "\n"
}

// selected is the option under the cursor, which must be on the screen.
func (p *testPicker) selected() string {
	p.t.Helper()
	for line := range strings.SplitSeq(p.screen(), "\n") {
		if option, ok := strings.CutPrefix(line, "▸ "); ok {
			return option
		}
	}
	return ""
}

func someRoutes(n int) (options []string) {
	options = []string{"ach:USD (northbank)", "sepa:EUR (europay)", "ethereum:USDC (chainline)", "ethereum:EURC (chainline)", "日本:JPY (山田銀行)", hostile}
	for i := len(options); i < n; i++ {
		options = append(options, fmt.Sprintf("rail%d:USD (bank %d)", i, i))
	}
	return options
}

func TestPickerScreens(t *testing.T) {
	t.Parallel()
	for _, utf8 := range []bool{true, false} {
		s := &ui.Streams{UTF8: utf8}
		var all bytes.Buffer
		for _, state := range []struct{ name, keys string }{
			{"first", ""}, {"scrolled", "⇟↓"}, {"end", "⇲"}, {"filtered", "eur chain"}, {"moved in what is filtered", "usd↓↓"}, {"nothing", "no such"},
		} {
			p := newTestPicker(t, 60, 10, s, someRoutes(48)...)
			require.False(t, p.press(state.keys))
			fmt.Fprintf(&all, "=== %s\n%s", state.name, p.screen())
		}
		name := "picker/60x10.txt"
		if !utf8 {
			name = "picker/60x10-ascii.txt"
		}
		golden.Require(t, name, all.Bytes())
	}
}

func TestPickerKeys(t *testing.T) {
	t.Parallel()
	p := newTestPicker(t, 60, 10, &ui.Streams{UTF8: true}, someRoutes(48)...)
	for _, step := range []struct{ keys, selected, count string }{
		{"", "ach:USD (northbank)", "48 of 48"},
		{"↑", "ach:USD (northbank)", "48 of 48"},
		{"↓↓", "ethereum:USDC (chainline)", "48 of 48"},
		{"⇟", "rail9:USD (bank 9)", "48 of 48"},
		{"⇞", "ethereum:USDC (chainline)", "48 of 48"},
		{"⇲", "rail47:USD (bank 47)", "48 of 48"},
		{"⇟", "rail47:USD (bank 47)", "48 of 48"},
		{"⇤", "ach:USD (northbank)", "48 of 48"},
		{"EUR", "sepa:EUR (europay)", "2 of 48"},
		{" chain", "ethereum:EURC (chainline)", "1 of 48"},
		{"Ⓦ", "ethereum:EURC (chainline)", "2 of 48"}, // stays where it was
		{"⌫⌫⌫", "ethereum:EURC (chainline)", "4 of 48"},
		{"⎋", "ethereum:EURC (chainline)", "48 of 48"},
		{"山", "日本:JPY (山田銀行)", "1 of 48"},
		{"xyz", "", "0 of 48"},
		{"⏎", "", "0 of 48"}, // there is nothing to pick
		{"Ⓤ", "ach:USD (northbank)", "48 of 48"},
	} {
		require.False(t, p.press(step.keys), step.keys)
		require.Equal(t, step.selected, p.selected(), "after %s", step.keys)
		require.Contains(t, p.screen(), step.count, "after %s", step.keys)
	}
	p.Update(tea.PasteMsg{Content: "ethereum\n eurc\r\n"})
	require.Equal(t, "ethereum:EURC (chainline)", p.selected(), "what is pasted only filters")
	require.True(t, p.press("⏎"))
	require.True(t, p.picked)
	require.Equal(t, 3, p.matches[p.index])
	for keys, want := range map[string]error{"⎋": ErrCancelled, "x⎋⎋": ErrCancelled, "Ⓒ": ui.ErrInterrupted, "Ⓓ": ui.ErrNoAnswer} {
		p := newTestPicker(t, 60, 10, &ui.Streams{}, "a")
		require.True(t, p.press(keys))
		require.ErrorIs(t, p.err, want)
	}
}

// On every screen there is an option, and nothing is wider or higher than the screen. What was selected stays selected.
func TestPickerOnScreensOfAllSizes(t *testing.T) {
	t.Parallel()
	s := &ui.Streams{UTF8: true, OutTTY: true, ColorOut: true}
	p := newTestPicker(t, 80, 24, s, someRoutes(48)...)
	p.press("⇲↑")
	for _, filter := range []string{"", "bank 46", strings.Repeat("山x", 100)} {
		p.setFilter(filter)
		for columns := range 70 {
			for rows := range 12 {
				p.Update(tea.WindowSizeMsg{Width: columns, Height: rows})
				if columns == 0 || rows == 0 {
					require.Empty(t, p.View().Content)
					continue
				}
				shown := p.screen()
				if columns >= 20 && len(p.matches) > 0 {
					require.Contains(t, shown, "▸ rail46:USD")
				}
			}
		}
	}
	require.NotContains(t, p.View().Content, "\x1b[31m", "the title is foreign text, too")
}

func TestPickerEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(ui.ErrInterrupted)
	_, err := Pick(ctx, Picker{})
	require.ErrorIs(t, err, ui.ErrInterrupted)
}
