package pictures

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hinshun/vt10x"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/terminal"
)

// The colours of what is typed: commands are bold, comments are grey.
const commentColor = vt10x.Color(0x9aa0a8)

// How fast a recording is. These times are drawn, and nothing waits for them: a recording is the same however long the
// programs take.
const (
	perKey      = 38 * time.Millisecond
	beforeEnter = 350 * time.Millisecond
	untilOutput = 250 * time.Millisecond
	perLine     = 60 * time.Millisecond
	perState    = 700 * time.Millisecond // of a transfer
)

// keysAtOnce is how many letters appear in one frame of typing.
const keysAtOnce = 2

// A shell is a shell at a terminal, in which commands are typed. It records frames. The terminal has a row for each line
// of the recording: nothing scrolls.
type shell struct {
	*terminal.Terminal
	t      *testing.T
	frames []frame
	typed  []typedLine
	recent []string // the lines of the command that was typed last
}

// A typedLine is a row of the screen with what the user has typed there.
type typedLine struct{ y, x, end int }

// The prompts: that of the shell is behind an empty line.
const prompt, continued = "$ ", "> "

// openShell runs a shell with an environment in a folder.
func openShell(t *testing.T, columns, rows int, env []string, folder string) *shell {
	t.Helper()
	path, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh")
	}
	s := &shell{Terminal: terminal.Open(t, columns, rows), t: t}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), path, "-i")
	cmd.Env, cmd.Dir = append(slices.Clone(env), "PS1=\n"+prompt, "PS2="+continued, "ENV="), folder
	s.Start(cmd)
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	s.awaitPrompt(prompt)
	return s
}

// awaitPrompt waits until the cursor is behind a prompt and nothing else.
func (s *shell) awaitPrompt(prompt string) {
	s.t.Helper()
	s.WaitFor("the prompt "+prompt, func() bool {
		screen := s.Screen()
		return screen.CursorX == len(prompt) && strings.TrimRight(lineOf(screen, screen.CursorY), " ")+" " == prompt
	})
}

// run types a command, whose lines are continued by a \ each. Each line begins as that of the last command does, as if
// the user had called that back. It records how the command is typed and what it prints; the last frame is shown for a
// time. While the command runs, during is called, which may be nil.
func (s *shell) run(command string, read time.Duration, during func()) {
	s.t.Helper()
	lines := strings.Split(command, "\n")
	for i, line := range lines {
		known := 0
		if i < len(s.recent) {
			known = commonPrefix(line, s.recent[i])
		}
		s.enter(line, known)
		if i+1 < len(lines) {
			s.awaitPrompt(continued)
		}
	}
	s.recent = lines
	if during != nil {
		during()
	}
	typedTo := s.typed[len(s.typed)-1].y
	s.awaitPrompt(prompt)
	final := s.screen()
	require.Less(s.t, final.CursorY, len(final.Rows)-1, "the screen would scroll: give the terminal more rows")
	for y := typedTo + 1; y < final.CursorY; y++ {
		pause := perLine
		switch {
		case strings.HasPrefix(lineOf(final, y), "trf_"):
			pause = perState
		case y == typedTo+1:
			pause = untilOutput
		}
		s.frames[len(s.frames)-1].shown += pause
		s.frames = append(s.frames, frame{upTo(final, y), 0})
	}
	s.frames = append(s.frames, frame{final, read})
}

// enter types a line, records it letter by letter from those on that are known, and presses Enter.
func (s *shell) enter(line string, known int) {
	s.t.Helper()
	before := s.screen()
	require.Less(s.t, before.CursorX+len(line), len(before.Rows[0]), "the line %q is too long", line)
	s.Press(line)
	s.WaitFor("what is typed", func() bool { return s.Screen().CursorX == before.CursorX+len(line) })
	s.typed = append(s.typed, typedLine{before.CursorY, before.CursorX, before.CursorX + len(line)})
	after := s.screen()
	for n := max(known, keysAtOnce); n < len(line); n += keysAtOnce {
		part := upTo(after, after.CursorY)
		part.CursorX, part.CursorY = before.CursorX+n, after.CursorY
		for x := part.CursorX; x < len(part.Rows[part.CursorY]); x++ {
			part.Rows[part.CursorY][x] = blank
		}
		s.frames = append(s.frames, frame{part, keysAtOnce * perKey})
	}
	s.frames = append(s.frames, frame{after, beforeEnter})
	s.Press("\r")
}

func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// screen is the screen with what was typed in its colours.
func (s *shell) screen() terminal.Screen {
	screen := s.Screen()
	for _, typed := range s.typed {
		isComment := false
		for x, cell := range screen.Rows[typed.y][typed.x:typed.end] {
			if isComment = isComment || cell.Char == '#'; isComment {
				cell.FG = commentColor
			} else {
				cell.Mode |= bold
			}
			screen.Rows[typed.y][typed.x+x] = cell
		}
	}
	return screen
}

var blank = vt10x.Glyph{Char: ' ', FG: vt10x.DefaultFG, BG: vt10x.DefaultBG}

// upTo is a screen with its rows up to one, behind which the cursor is.
func upTo(screen terminal.Screen, last int) terminal.Screen {
	shown := terminal.Screen{CursorX: 0, CursorY: last + 1}
	for y, cells := range screen.Rows {
		cells = slices.Clone(cells)
		if y > last {
			cells = slices.Repeat([]vt10x.Glyph{blank}, len(cells))
		}
		shown.Rows = append(shown.Rows, cells)
	}
	return shown
}

func lineOf(screen terminal.Screen, y int) string {
	var text strings.Builder
	for _, cell := range screen.Rows[y] {
		text.WriteRune(cell.Char)
	}
	return text.String()
}

// picture is the picture of what was recorded. It begins below the empty line before the first prompt.
func (s *shell) picture(title, description string) picture {
	last := s.frames[len(s.frames)-1].CursorY + 1
	for i := range s.frames {
		s.frames[i].Rows = s.frames[i].Rows[1:last]
		s.frames[i].CursorY--
	}
	return picture{title, description, s.frames}
}

// still is the picture of what was recorded last, without the prompt for the next command, and as wide as the text.
func (s *shell) still(title, description string) picture {
	s.frames = s.frames[len(s.frames)-1:]
	s.frames[0].CursorY -= 2
	s.frames[0].CursorHidden = true
	p := s.picture(title, description)
	rows, width := p.frames[0].Rows, 0
	for y := range rows {
		width = max(width, utf8.RuneCountInString(strings.TrimRight(lineOf(p.frames[0].Screen, y), " ")))
	}
	for y := range rows {
		rows[y] = rows[y][:width]
	}
	return p
}
