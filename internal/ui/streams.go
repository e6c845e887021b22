// Package ui has the standard streams, output formats, tables, prompts and notices. Its sanitiser makes every foreign
// text harmless before a terminal sees it.
//
// Data goes to Out, everything else to Err. Nothing here queries the terminal, for example for its background: a
// terminal that never answers cannot hold up a command.
package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/charmbracelet/colorprofile"
	xterm "golang.org/x/term"
)

// defaultWidth is the width of a terminal whose size is unknown, in columns.
const defaultWidth = 80

// Streams are the standard streams of a process and their properties. The zero value with In, Out and Err set is a
// process without a terminal. Use it by pointer. Notices may be written from several goroutines. Prompts are asked one
// at a time.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer

	// InTTY, OutTTY and ErrTTY report which streams are terminals.
	InTTY, OutTTY, ErrTTY bool
	// ColorOut and ColorErr permit colour on each stream. A --no-color flag clears both.
	ColorOut, ColorErr bool
	// ManyColors reports that the terminal has 256 colours or more, not only the 16 basic ones.
	ManyColors bool
	// UTF8 reports whether a terminal shows UTF-8.
	UTF8 bool
	// Dumb reports that the terminal cannot move its cursor (TERM=dumb, or a console before Windows 10).
	Dumb bool
	// Foreground reports whether the program may draw on the terminal behind Err, and not a shell. Nil means always.
	Foreground func() bool
	// Quiet suppresses Notef and Successf, never Warnf or Problem.
	Quiet bool
	// Screen is the terminal behind Out, for a live view, or nil.
	Screen *os.File
	// Pipe is the pipe behind Out, or nil.
	Pipe *os.File
	// Columns returns the width of the terminal. Nil, or a width below 1, means unknown.
	Columns func() int

	mu     sync.Mutex // of output to a terminal
	status *statusLine
}

// System returns the streams of this process. The environment is read through getenv:
//
//   - NO_COLOR, not empty, switches colour off (https://no-color.org);
//   - CLICOLOR_FORCE, not empty and not 0, switches it on even without a terminal, and
//     CLICOLOR=0 switches it off (https://bixense.com/clicolors);
//   - TERM and COLORTERM, and on Windows its version, decide how many colours the terminal has;
//   - TERM=dumb, or outside Windows no TERM at all, means no colour and no cursor movement;
//   - LC_ALL, LC_CTYPE, LANG, the first that is set, decide if the terminal shows UTF-8 (POSIX 8.2). A Windows console
//     does, unless that is C or POSIX.
func System(getenv func(string) string) *Streams {
	s := &Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTTY:  isTerminal(os.Stdin),
		OutTTY: isTerminal(os.Stdout),
		ErrTTY: isTerminal(os.Stderr),
		UTF8:   localeIsUTF8(getenv),

		ManyColors: hasManyColors(getenv),
		Columns:    systemColumns,
		Foreground: func() bool { return inForeground(os.Stderr) },
	}
	if s.OutTTY {
		s.Screen = os.Stdout
	} else if about, err := os.Stdout.Stat(); err == nil && about.Mode()&os.ModeNamedPipe != 0 {
		s.Pipe = os.Stdout
	}
	// Views and the status line need escape sequences even without colours.
	escapesOut, escapesErr := !s.OutTTY || enableEscapes(os.Stdout), !s.ErrTTY || enableEscapes(os.Stderr)
	s.Dumb = isDumb(getenv) || !escapesOut || !escapesErr
	if s.OutTTY && !s.UTF8 {
		s.Out = asciiTerminal{s.Out}
	}
	if s.ErrTTY && !s.UTF8 {
		s.Err = asciiTerminal{s.Err}
	}
	s.ColorOut = wantsColor(getenv, s.OutTTY && !s.Dumb) && escapesOut
	s.ColorErr = wantsColor(getenv, s.ErrTTY && !s.Dumb) && escapesErr
	return s
}

// Width returns the columns of the terminal at this moment, 80 when unknown.
func (s *Streams) Width() int {
	if s.Columns != nil {
		if w := s.Columns(); w > 0 {
			return w
		}
	}
	return defaultWidth
}

// Height returns the lines of the terminal behind Out, 24 when unknown.
func (s *Streams) Height() int {
	const usual = 24
	if s.Screen != nil {
		if _, h, err := xterm.GetSize(int(s.Screen.Fd())); err == nil && h > 0 {
			return h
		}
	}
	return usual
}

// writeErr writes to Err in one Write. Its error is dropped, because it cannot be reported elsewhere.
func (s *Streams) writeErr(text string) { _ = s.writeAbove(s.Err, []byte(text)) }

// Log writes sanitised lines to Err, not interrupted by others. Quiet does not suppress them.
func (s *Streams) Log(text string) { s.writeErr(SanitizeLines(text) + "\n") }

// surface has the properties of a stream for rendering.
type surface struct {
	style
	tty   bool
	width int
}

func (s *Streams) outSurface() surface {
	return surface{style: s.outStyle(), tty: s.OutTTY, width: s.Width()}
}

func (s *Streams) errSurface() surface {
	style := style{color: s.ColorErr, manyColors: s.ManyColors, utf8: s.UTF8}
	return surface{style: style, tty: s.ErrTTY, width: s.Width()}
}

// outStyle is the part of outSurface without system calls.
func (s *Streams) outStyle() style { return style{s.ColorOut, s.ManyColors, s.UTF8} }

// ColorProfile returns the colours of Paint for Out. A library that draws painted text must not reduce them. Without
// colours it is ASCII, which still permits attributes such as reverse video.
func (s *Streams) ColorProfile() colorprofile.Profile {
	switch {
	case !s.ColorOut:
		return colorprofile.ASCII
	case s.ManyColors:
		return colorprofile.ANSI256
	}
	return colorprofile.ANSI
}

func isTerminal(f *os.File) bool { return xterm.IsTerminal(int(f.Fd())) }

// systemColumns measures standard output, or standard error if output is redirected.
func systemColumns() int {
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		if w, _, err := xterm.GetSize(int(f.Fd())); err == nil && w > 0 {
			return w
		}
	}
	return 0
}

func isDumb(getenv func(string) string) bool {
	name := getenv("TERM")
	return name == "dumb" || name == "" && runtime.GOOS != "windows"
}

func wantsColor(getenv func(string) string, capable bool) bool {
	if getenv("NO_COLOR") != "" {
		return false
	}
	if force := getenv("CLICOLOR_FORCE"); force != "" && force != "0" {
		return true
	}
	return capable && getenv("CLICOLOR") != "0"
}

// hasManyColors reports from the environment, without a query, whether the terminal has many colours. wantsColor
// decides whether they are used.
func hasManyColors(getenv func(string) string) bool {
	environment := []string{"CLICOLOR_FORCE=1"} // COLORTERM also counts without a terminal
	for _, name := range []string{"TERM", "COLORTERM", "WT_SESSION", "ConEmuANSI"} {
		if value := getenv(name); value != "" {
			environment = append(environment, name+"="+value)
		}
	}
	return colorprofile.Env(environment) >= colorprofile.ANSI256
}

func localeIsUTF8(getenv func(string) string) bool {
	// Go writes to a Windows console in UTF-16, with any code page. There the variables come from Unix programs, and a
	// language without an encoding says nothing about the console.
	isWindows := runtime.GOOS == "windows"
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		v := strings.ToLower(getenv(name))
		switch {
		case v == "":
		case isWindows:
			return v != "c" && v != "posix"
		default:
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return isWindows
}

// IsBrokenPipe reports whether err means that the reader of an output has gone away: EPIPE, Windows' ERROR_BROKEN_PIPE
// and ERROR_NO_DATA, or a closed io.Pipe. On Unix the Go runtime turns EPIPE on descriptors 1 and 2 into a fatal
// SIGPIPE unless the program handles that signal.
func IsBrokenPipe(err error) bool {
	return slices.ContainsFunc(brokenPipes, func(broken error) bool { return errors.Is(err, broken) })
}

// errUnread is a broken pipe that was found before anything was written to it.
var errUnread = fmt.Errorf("nobody reads the output any more: %w", io.ErrClosedPipe)

// WhileRead returns a context that ends when the reader of a pipe on Out closes it. IsBrokenPipe recognises the cause.
// So a command that waits also ends. The function releases the resources.
func (s *Streams) WhileRead(ctx context.Context) (context.Context, func()) {
	if s.Pipe == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		if awaitUnread(ctx, s.Pipe) {
			cancel(errUnread)
		}
	}()
	return ctx, func() { cancel(nil) }
}
