package testkit

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/stretchr/testify/require"
)

// patience is how long a test waits for the screen that it expects.
const patience = 5 * time.Minute

// A Terminal is a terminal with a keyboard. Like newer terminals it has synchronized output: text between its begin and
// end sequences is shown at once.
type Terminal struct {
	device
	t testing.TB

	held sync.Mutex // locked while the terminal must not read

	mu      sync.Mutex
	shown   *vt.Emulator
	raw     bytes.Buffer
	unshown []byte // part of raw: the beginning of a synchronized output
	changed chan struct{}
	closed  chan struct{}
}

// The escape sequences of synchronized output (mode 2026): the query and its answer, which is off, and its begin and
// end.
var (
	syncQuery, syncAnswer = []byte("\x1b[?2026$p"), "\x1b[?2026;2$y"
	syncBegin, syncEnd    = []byte("\x1b[?2026h"), []byte("\x1b[?2026l")
)

// OpenTerminal opens a terminal of the given size and closes it when the test ends. It skips the test if no terminal is
// available.
func OpenTerminal(t testing.TB, columns, rows int) *Terminal {
	t.Helper()
	s := &Terminal{
		t: t, shown: vt.NewEmulator(columns, rows),
		changed: make(chan struct{}, 1), closed: make(chan struct{}),
	}
	t.Cleanup(dropAnswers(s.shown))
	s.open(columns, rows)
	return s
}

// dropAnswers discards the emulator's answers to queries until end is called. Otherwise the emulator would block.
func dropAnswers(shown *vt.Emulator) (end func()) {
	go func() { _, _ = io.Copy(io.Discard, shown) }()
	return func() { _ = shown.InputPipe().(io.Closer).Close() }
}

// Display returns what a terminal of the given size shows after a text is written to it. Lines have no trailing blanks.
func Display(columns, rows int, text string) string {
	shown := vt.NewEmulator(columns, rows)
	defer dropAnswers(shown)()
	_, _ = shown.WriteString(text) // it fails only when it is closed
	return shown.String()
}

// Resize changes the size and tells the program.
func (s *Terminal) Resize(columns, rows int) {
	s.t.Helper()
	s.mu.Lock()
	s.shown.Resize(columns, rows)
	s.mu.Unlock()
	s.setSize(columns, rows)
}

// showAll shows the program's output until it ends.
func (s *Terminal) showAll(output io.Reader) {
	chunk := make([]byte, 64<<10)
	for {
		n, err := output.Read(chunk)
		s.write(chunk[:n])
		s.held.Lock()
		s.held.Unlock() //nolint:staticcheck // waits
		if err != nil { // io.EOF, or EIO on Linux when the other end is closed
			return
		}
	}
}

func (s *Terminal) write(p []byte) {
	s.mu.Lock()
	s.raw.Write(p)
	s.unshown = append(s.unshown, p...)
	for s.showNext() {
	}
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// showNext shows the next complete part of the output: the text before a synchronized output, or a whole one. It
// reports whether there may be more.
func (s *Terminal) showNext() bool {
	if begin := bytes.Index(s.unshown, syncBegin); begin > 0 {
		s.show(begin)
		return true
	} else if begin == 0 {
		end := bytes.Index(s.unshown, syncEnd)
		if end < 0 {
			return false
		}
		s.show(end + len(syncEnd))
		return true
	}
	n := len(s.unshown)
	if escape := bytes.LastIndexByte(s.unshown, 0x1b); escape >= 0 && bytes.HasPrefix(syncBegin, s.unshown[escape:]) {
		n = escape // the rest of the sequence may follow
	}
	s.show(n)
	return false
}

func (s *Terminal) show(n int) {
	if n == 0 {
		return
	}
	if bytes.Contains(s.unshown[:n], syncQuery) {
		s.answer(syncAnswer)
	}
	_, err := s.shown.Write(s.unshown[:n])
	require.NoError(s.t, err)
	s.unshown = s.unshown[n:]
}

// Hold makes the terminal read at most once more until resume is called. The program cannot write when the buffer of
// the pseudo-terminal is full.
func (s *Terminal) Hold() (resume func()) {
	s.held.Lock()
	return s.held.Unlock
}

// Text returns the text of the screen. Lines have no trailing blanks.
func (s *Terminal) Text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.String()
}

// Wrote returns everything that was written.
func (s *Terminal) Wrote() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raw.String()
}

// Await waits for a condition, which it checks whenever the screen changes. It returns false if the program ends first.
func (s *Terminal) Await(what string, is func() bool) bool {
	s.t.Helper()
	over := time.After(patience)
	for !is() {
		select {
		case <-s.changed:
		case <-s.closed:
			return is()
		case <-over:
			s.t.Fatalf("never saw %s, but\n%s", what, s.Text())
		}
	}
	return true
}

// WaitFor is Await for a program that must not end first.
func (s *Terminal) WaitFor(what string, is func() bool) {
	s.t.Helper()
	if !s.Await(what, is) {
		s.t.Fatalf("the program ended without %s:\n%s", what, s.Text())
	}
}

// WaitForText waits until the screen has a text.
func (s *Terminal) WaitForText(text string) {
	s.t.Helper()
	s.WaitFor(text, func() bool { return strings.Contains(s.Text(), text) })
}

// Press presses keys.
func (s *Terminal) Press(keys string) {
	s.t.Helper()
	require.NoError(s.t, s.typeKeys(keys))
}

var privateMode = regexp.MustCompile(`\x1b\[\?([0-9;]+)([hl])`)

// LeftOver lists the terminal modes that a program did not restore, given everything that it wrote. Examples are the
// mouse, the alternate screen, bracketed paste and a hidden cursor.
func LeftOver(wrote string) (left []string) {
	modes := map[string]bool{}
	for _, match := range privateMode.FindAllStringSubmatch(wrote, -1) {
		for mode := range strings.SplitSeq(match[1], ";") {
			modes[mode] = match[2] == "h"
		}
	}
	for mode, isSet := range modes {
		isUsual := mode == "7" || mode == "25" // line wrapping and a visible cursor
		switch {
		case isSet && !isUsual:
			left = append(left, "mode "+mode)
		case !isSet && isUsual:
			left = append(left, "not mode "+mode)
		}
	}
	return left
}
