package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/ui"
)

// An asked is a dialog without a terminal.
type asked struct {
	t      *testing.T
	m      *model
	cancel context.CancelCauseFunc
	ended  chan error
}

// ask runs a dialog in the bubble of a test, until it asks.
func ask(t *testing.T, width, height int, dialog func(ctx context.Context, d *Dialog) error) *asked {
	v := New(Config{Streams: &ui.Streams{UTF8: true}, Now: time.Now})
	v.model.width, v.model.height = width, height
	ctx, cancel := context.WithCancelCause(t.Context())
	a := &asked{t, v.model, cancel, make(chan error, 1)}
	go func() { a.ended <- dialog(ctx, &Dialog{view: v}) }()
	a.settle()
	return a
}

// settle has the loop do what it would do.
func (a *asked) settle() {
	synctest.Wait()
	a.m.apply(a.m.view.receive())
}

// special are the keys that no character stands for.
var special = map[string]tea.KeyPressMsg{
	"⏎": {Code: tea.KeyEnter}, "⎋": {Code: tea.KeyEscape}, "⇥": {Code: tea.KeyTab}, "⌫": {Code: tea.KeyBackspace}, "⌦": {Code: tea.KeyDelete},
	"←": {Code: tea.KeyLeft}, "→": {Code: tea.KeyRight}, "↑": {Code: tea.KeyUp}, "↓": {Code: tea.KeyDown}, "⇤": {Code: tea.KeyHome},
	"⇲": {Code: tea.KeyEnd}, "Ⓤ": {Code: 'u', Mod: tea.ModCtrl}, "Ⓦ": {Code: 'w', Mod: tea.ModCtrl}, "Ⓚ": {Code: 'k', Mod: tea.ModCtrl},
}

// press presses keys as long as there is a question.
func (a *asked) press(keys string) {
	for _, r := range keys {
		key, ok := special[string(r)]
		if !ok {
			key = tea.KeyPressMsg{Code: r, Text: string(r)}
		}
		if a.m.question == nil {
			return
		}
		a.m.question.press(key)
		a.settle()
	}
}

// lines is what the screen shows.
func (a *asked) lines() string {
	require.NotNil(a.t, a.m.question)
	return ansi.Strip(strings.Join(a.m.question.lines(a.m, a.m.height/2), "\n"))
}

// answer is the text for which a line is entered by some keys.
func answer(t *testing.T, initial, keys string, complete func(string) []string) (text string, err error) {
	synctest.Test(t, func(t *testing.T) {
		a := ask(t, 80, 24, func(ctx context.Context, d *Dialog) (err error) {
			text, err = d.Line(ctx, initial, complete, "Title")
			return err
		})
		a.press(keys)
		require.Nil(t, a.m.question, "it is answered")
		err = <-a.ended
	})
	return text, err
}

func TestLine(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]string{
		"abc⏎":              "abc",
		"abc←←x⏎":           "axbc",
		"abc⇤x⇲y⏎":          "xabcy",
		"abc⌫⌫x⏎":           "ax",
		"abc⇤⌦⏎":            "bc",
		"ab cdⓌx⏎":          "ab x",
		"/a/b/cⓌⓌx⏎":        "/a/x",
		"abcⓊx⏎":            "x",
		"abc←←Ⓚ⏎":           "a",
		"←⌫→⌦⏎":             "",
		"e\u0301f←⌫x⏎":      "xf", // an accent goes with its letter
		"👩‍👩‍👧⌫⏎":           "",   // so do the parts of an emoji
		"a\u202eb⏎":         "a\u202eb",
		"a b\tc⏎":           "a b c",
		"a\x1b\u0085\x00b⏎": "ab",
	} {
		text, err := answer(t, "", keys, nil)
		require.NoError(t, err, "%q", keys)
		require.Equal(t, want, text, "%q", keys)
	}
	text, err := answer(t, "before", "⌫x⏎", nil)
	require.NoError(t, err)
	require.Equal(t, "beforx", text)
	_, err = answer(t, "before", "x⎋", nil)
	require.ErrorIs(t, err, ErrCancelled)
}

func TestLineIsCompleted(t *testing.T) {
	t.Parallel()
	complete := func(text string) (fit []string) {
		for _, path := range []string{"in/passport.jpg", "in/passport-2.jpg", "in/päss", "other/"} {
			if strings.HasPrefix(path, text) {
				fit = append(fit, path)
			}
		}
		return fit
	}
	for keys, want := range map[string]string{
		"o⇥⏎":               "other/",
		"i⇥⏎":               "in/p",
		"i⇥⇥a⇥.⇥⏎":          "in/passport.jpg",
		"zzz⇥⏎":             "zzz",
		"in/pass.jpg←←←←⇥⏎": "in/passport.jpg", // before the cursor
	} {
		text, err := answer(t, "", keys, complete)
		require.NoError(t, err, keys)
		require.Equal(t, want, text, keys)
	}
	synctest.Test(t, func(t *testing.T) { // the disk is slow
		a := ask(t, 60, 10, func(ctx context.Context, d *Dialog) error {
			_, err := d.Line(ctx, "", func(text string) []string {
				<-time.After(time.Second)
				return complete(text)
			}, "File")
			return err
		})
		a.press("i⇥⇥")
		<-time.After(2 * time.Second)
		a.settle()
		<-time.After(2 * time.Second)
		a.settle()
		require.Contains(t, a.lines(), "passport.jpg  passport-2.jpg  päss", "Tab has been pressed twice")
		a.press("⎋")
		<-a.ended
	})
	synctest.Test(t, func(t *testing.T) {
		a := ask(t, 60, 10, func(ctx context.Context, d *Dialog) error {
			_, err := d.Line(ctx, "", complete, "File")
			return err
		})
		a.press("i⇥")
		require.NotContains(t, a.lines(), "päss")
		a.press("⇥")
		require.Contains(t, a.lines(), "passport.jpg  passport-2.jpg  päss")
		a.press("x")
		require.NotContains(t, a.lines(), "päss")
		a.press("⇥")
		require.Contains(t, a.lines(), "nothing begins like this")
		a.press("⎋")
		require.ErrorIs(t, <-a.ended, ErrCancelled)
	})
}

// A text that is longer than the screen is shown around its cursor.
func TestLineIsScrolled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := ask(t, 20, 10, func(ctx context.Context, d *Dialog) error {
			_, err := d.Line(ctx, strings.Repeat("0123456789", 10)+"end", nil, "Title")
			return err
		})
		require.Contains(t, a.lines(), "< 67890123456789end ")
		a.press("⇤")
		require.Contains(t, a.lines(), "> 012345678901234567")
		a.m.question.paste(strings.Repeat("long ", longestAnswer) + "\xff\n")
		require.LessOrEqual(t, len(a.m.question.editor.text), longestAnswer)
		a.press("⎋")
		<-a.ended
	})
}

func TestChoose(t *testing.T) {
	t.Parallel()
	few := []Option{{"i", "identifier"}, {"e", "e-mail"}, {"", "q is no key of this one"}}
	many := make([]Option, 40)
	for i := range many {
		many[i] = Option{Key: "x", Label: fmt.Sprintf("Option %d", i)}
	}
	for _, c := range []struct {
		options []Option
		keys    string
		want    int
		err     error
	}{
		{few, "e", 1, nil}, {few, "⏎", 0, nil}, {few, "↓↓↓↓⏎", 2, nil}, {few, "↓↑↑⏎", 0, nil}, {few, "⎋", 0, ErrCancelled},
		{few, "zq⇲⏎", 2, nil}, {few, "⇲⇤⏎", 0, nil},
		{many, "3 TION↓⏎", 13, nil}, {many, "zz⏎⌫⌫7⏎", 7, nil}, {many, "39⏎", 39, nil}, {many, "zzⓌ⏎", 0, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			chosen := -1
			a := ask(t, 60, 10, func(ctx context.Context, d *Dialog) (err error) {
				chosen, err = d.Choose(ctx, c.options, "Copy what?")
				return err
			})
			a.press(c.keys)
			require.Nil(t, a.m.question, c.keys)
			require.Equal(t, c.err, <-a.ended, c.keys)
			require.Equal(t, c.want, chosen, c.keys)
		})
	}
}

// The selected option is on the screen, however many there are, and the title as far as there is room.
func TestOptionsAreScrolled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		options := make([]Option, 100)
		for i := range options {
			options[i].Label = fmt.Sprintf("option %d.", i)
		}
		a := ask(t, 60, 10, func(ctx context.Context, d *Dialog) error {
			_, err := d.Choose(ctx, options, "Which one?")
			return err
		})
		for i := range options {
			shown := a.lines()
			require.Contains(t, shown, fmt.Sprintf("▸ option %d.", i))
			require.Contains(t, shown, "Which one?")
			require.LessOrEqual(t, strings.Count(shown, "\n")+1, 5)
			a.press("↓")
		}
		a.press("⎋")
		<-a.ended
	})
}

// Enter confirms nothing. What has more lines than there is room for is scrolled.
func TestConfirm(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]error{"y": nil, "⏎⏎n": ErrCancelled, "⎋": ErrCancelled, "xqY": nil} {
		synctest.Test(t, func(t *testing.T) {
			a := ask(t, 60, 10, func(ctx context.Context, d *Dialog) error { return d.Confirm(ctx, "Send this?", "a", "b") })
			require.Contains(t, a.lines(), "Send this?")
			a.press(keys)
			require.Nil(t, a.m.question, keys)
			require.Equal(t, want, <-a.ended, keys)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		lines := make([]string, 12)
		for i := range lines {
			lines[i] = fmt.Sprintf("line %d.", i)
		}
		a := ask(t, 60, 10, func(ctx context.Context, d *Dialog) error { return d.Confirm(ctx, lines...) })
		require.Contains(t, a.lines(), "line 0.")
		require.Contains(t, a.lines(), "lines 1-4 of 12")
		a.press("↑↓↓↓↓↓↓↓↓↓↓↓↓↓↓↓↓")
		require.Contains(t, a.lines(), "line 11.")
		a.press("n")
		require.ErrorIs(t, <-a.ended, ErrCancelled)
	})
}

// The end of the view ends its question.
func TestDialogEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := ask(t, 60, 10, func(ctx context.Context, d *Dialog) error {
			_, err := d.Line(ctx, "", nil, "Title")
			return err
		})
		closed := errors.New("closed")
		a.cancel(closed)
		require.Equal(t, closed, <-a.ended)
		a.settle()
		require.Nil(t, a.m.question)
	})
}

// Whatever a question holds and whichever keys are pressed, its lines fit the screen, and nothing on them controls the
// terminal.
func TestQuestionsFit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{hostile, "👩‍👩‍👧 e\u0301 漢字", "a\nb\nc\nd\ne\nf"}))
		v := New(Config{Streams: &ui.Streams{UTF8: rapid.Bool().Draw(t, "UTF-8")}, Now: time.Now})
		m := v.model
		m.width, m.height = rapid.IntRange(1, 100).Draw(t, "width"), rapid.IntRange(1, 40).Draw(t, "height")
		q := &question{titles: []string{text.Draw(t, "title"), hostile}, model: m, answered: make(chan error, 1)}
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			q.editor = &editor{}
			q.editor.insert(text.Draw(t, "initial"))
			q.complete = func(before string) []string { return []string{before + hostile, before + "x"} }
		case 1:
			q.confirms = true
		case 2:
			q = newNotice(m, q.titles[0])
		default:
			for range rapid.IntRange(1, 20).Draw(t, "options") {
				q.options = append(q.options, Option{Label: text.Draw(t, "label")})
			}
			q.match()
		}
		m.question = q
		names := []string{"⇥", "⌫", "⌦", "←", "→", "↑", "↓", "⇤", "⇲", "Ⓤ", "Ⓦ", "Ⓚ", "a", "é", "漢", "\u0301", "\u202e"}
		for range rapid.IntRange(0, 20).Draw(t, "keys") {
			name := rapid.SampledFrom(names).Draw(t, "key")
			key, ok := special[name]
			if !ok {
				r, _ := utf8.DecodeRuneInString(name)
				key = tea.KeyPressMsg{Code: r, Text: name}
			}
			if q.press(key); q.completing {
				q.offer(q.editor.text[:q.editor.at], q.complete(q.editor.text[:q.editor.at]))
			}
			if q.editor != nil && (q.editor.at > len(q.editor.text) || !utf8.ValidString(q.editor.text)) {
				t.Fatalf("%q, %d", q.editor.text, q.editor.at)
			}
			height := max(m.height/2, 1)
			lines := q.lines(m, height)
			if len(lines) > height || len(lines) == 0 {
				t.Fatalf("%d lines of %d: %q", len(lines), height, lines)
			}
			for _, line := range lines {
				line = strings.NewReplacer(reverse, "", upright, "").Replace(line)
				if ansi.StringWidth(line) > m.width {
					t.Fatalf("%d columns of %d: %q", ansi.StringWidth(line), m.width, line)
				}
				if ui.Sanitize(line) != line {
					t.Fatalf("%q", line)
				}
			}
		}
	})
}

func TestCommonPrefix(t *testing.T) {
	t.Parallel()
	for want, texts := range map[string][]string{
		"": {"a", "b"}, "a": {"a", "ab", "ac"}, "p": {"pä", "pö"}, "same": {"same", "same"}, "one": {"one"},
	} {
		require.Equal(t, want, commonPrefix(texts))
		slices.Reverse(texts)
		require.Equal(t, want, commonPrefix(texts))
	}
	require.Empty(t, commonPrefix(nil))
}
