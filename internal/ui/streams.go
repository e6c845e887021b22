// Package ui is where the program meets its user: the standard streams, output formats, tables,
// prompts, notices, and the sanitiser that every foreign text passes before a terminal sees it.
//
// Data goes to Out, everything else to Err. Nothing here asks the terminal a question (no background
// or cursor query), so a terminal that never answers cannot hold a command up.
package ui

import (
	"io"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/charmbracelet/colorprofile"
	xterm "golang.org/x/term"
)

// defaultWidth is the width of a terminal whose size is unknown, in columns.
const defaultWidth = 80

// Streams are the standard streams of a process and what is known about them. The zero value with In,
// Out and Err set is a process without a terminal. Use it by pointer; notices may be written from
// several goroutines, prompts are asked one at a time.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer

	// InTTY, OutTTY and ErrTTY tell which of the streams are terminals.
	InTTY, OutTTY, ErrTTY bool
	// ColorOut and ColorErr permit colour, for each stream by itself. A --no-color flag clears both.
	ColorOut, ColorErr bool
	// ManyColors tells that the terminal has 256 colours or more, and not only the 16 basic ones.
	ManyColors bool
	// UTF8 tells whether marks outside ASCII may be written to a terminal.
	UTF8 bool
	// Dumb is a terminal that cannot move its cursor (TERM=dumb, or a console before Windows 10): no redrawing in
	// place.
	Dumb bool
	// Foreground reports whether the program may draw on the terminal behind Err, and a shell does not use it
	// meanwhile; nil: it always may.
	Foreground func() bool
	// Quiet suppresses Notef and Successf, never Warnf or Problem.
	Quiet bool
	// Screen is the terminal behind Out, for a live view. Nil means there is none.
	Screen *os.File
	// Pipe is the pipe behind Out. Nil means there is none.
	Pipe *os.File
	// Columns asks for the width of the terminal in columns; nil, or an answer below 1, means unknown.
	Columns func() int

	mu     sync.Mutex // of what is written to a terminal
	status *statusLine
}

// System returns the streams of this process. The environment is read through getenv:
//
//   - NO_COLOR, not empty, switches colour off (https://no-color.org);
//   - CLICOLOR_FORCE, not empty and not 0, switches it on even where a stream is no terminal, and
//     CLICOLOR=0 switches it off (https://bixense.com/clicolors);
//   - TERM and COLORTERM, and on Windows its version, tell how many colours the terminal has;
//   - TERM=dumb, or outside Windows no TERM at all, means no colour and no cursor movement;
//   - LC_ALL, LC_CTYPE, LANG, the first that is set, tell if the terminal shows UTF-8 (POSIX 8.2). A Windows console
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
	// Views and the status line need escape sequences even where colours are not wanted.
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

// writeErr writes one piece to Err in one Write. Its error is dropped, because there is no other place
// to report it.
func (s *Streams) writeErr(text string) { _ = s.writeAbove(s.Err, []byte(text)) }

// Log writes lines to Err, sanitised and not broken into others. Quiet does not suppress them.
func (s *Streams) Log(text string) { s.writeErr(SanitizeLines(text) + "\n") }

// surface is what rendering needs to know of the stream it draws for.
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

// outStyle is the part of outSurface that needs no system call.
func (s *Streams) outStyle() style { return style{s.ColorOut, s.ManyColors, s.UTF8} }

// ColorProfile returns the colours that Paint uses for Out, for a library that draws what Paint has written: it must
// not reduce them further. It is ASCII, which permits attributes such as reverse video, if Out has no colours.
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

// systemColumns measures standard output, or standard error where output is redirected.
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

// hasManyColors tells from the environment, without a question to the terminal, how many colours it has. Whether any
// are used is decided by wantsColor.
func hasManyColors(getenv func(string) string) bool {
	environment := []string{"CLICOLOR_FORCE=1"} // the colours are those of COLORTERM also where Out is no terminal
	for _, name := range []string{"TERM", "COLORTERM", "WT_SESSION", "ConEmuANSI"} {
		if value := getenv(name); value != "" {
			environment = append(environment, name+"="+value)
		}
	}
	return colorprofile.Env(environment) >= colorprofile.ANSI256
}

func localeIsUTF8(getenv func(string) string) bool {
	// Go writes to a Windows console in UTF-16, whatever its code page. There the variables are those of programs from
	// Unix, and a language without an encoding says nothing about the console.
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
