package ui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	xterm "golang.org/x/term"

	"github.com/payctl/payctl/internal/wait"
)

// Confirm asks a question on Err whose default is No. The answers y and yes, in any letter case, mean yes. Anything
// else, also the end of the input, means no. Errors: ErrNoTTY, ctx's error.
func (s *Streams) Confirm(ctx context.Context, question string) (bool, error) {
	answer, err := s.Ask(ctx, question+" [y/N]")
	if errors.Is(err, ErrNoAnswer) {
		return false, nil
	}
	return err == nil && (strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes")), err
}

// Ask writes a prompt and reads one line, without the blanks around it. Errors: ErrNoTTY, ErrNoAnswer,
// ErrAnswerTooLong, ctx's error.
func (s *Streams) Ask(ctx context.Context, prompt string) (string, error) {
	if err := s.canAsk(ctx); err != nil {
		return "", err
	}
	s.writeErr(Sanitize(prompt) + " ")
	line, err := s.readLine(ctx)
	if err != nil {
		s.writeErr("\n") // the cursor still stands behind the prompt
		return "", err
	}
	return strings.TrimSpace(line), nil
}

func (s *Streams) canAsk(ctx context.Context) error {
	if !s.InTTY || !s.ErrTTY {
		return ErrNoTTY
	}
	return ctx.Err()
}

// maxAnswer bounds one answer to a prompt, in bytes. It is also the line length of a Unix terminal.
const maxAnswer = 4096

var (
	// ErrNoTTY is the error of a question without a terminal to ask it on.
	ErrNoTTY = errors.New("cannot ask: standard input or standard error is not a terminal")
	// ErrNoAnswer is input that ended (Ctrl-D, or on Windows Ctrl-Z and Enter) before an answer.
	ErrNoAnswer = errors.New("the input ended before an answer was given")
	// ErrAnswerTooLong is an answer of 4,096 bytes or more.
	ErrAnswerTooLong = errors.New("the answer is too long: 4,095 bytes at most")
)

// readByte reads one byte of In or ends with ctx. It leaves everything after the line to the next reader of In.
func (s *Streams) readByte(ctx context.Context) (byte, error) {
	var b [1]byte
	_, err := io.ReadFull(Interruptible(ctx, s.In), b[:])
	// On Windows, Ctrl-C ends a read like the end of input. The context may end a moment later.
	if s.InTTY && errors.Is(err, io.EOF) && interruptDelay > 0 {
		err = cmp.Or(wait.Sleep(ctx, interruptDelay), err)
	}
	return b[0], err
}

// readLine reads a line without its end. Input that ends within a line ends the line.
func (s *Streams) readLine(ctx context.Context) (string, error) {
	var line strings.Builder
	for {
		b, err := s.readByte(ctx)
		switch {
		case errors.Is(err, io.EOF) && line.Len() == 0:
			return "", ErrNoAnswer
		case errors.Is(err, io.EOF), err == nil && b == '\n':
			return strings.TrimSuffix(line.String(), "\r"), nil
		case err != nil:
			return "", err
		case line.Len() == maxAnswer-1:
			return "", ErrAnswerTooLong
		}
		line.WriteByte(b)
	}
}

// Interruptible reads from another reader until a context ends. Then the error is the context's cause. A read that is
// waiting is abandoned, and its bytes are lost. It is for one goroutine.
func Interruptible(ctx context.Context, from io.Reader) io.Reader {
	return &interruptible{ctx, from, nil}
}

type interruptible struct {
	ctx    context.Context //nolint:containedctx // io.Reader has no place for one
	from   io.Reader
	buffer []byte
}

// Read implements io.Reader.
func (r *interruptible) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	if len(r.buffer) < len(p) {
		r.buffer = make([]byte, len(p))
	}
	buffer := r.buffer[:len(p)] // the caller may use p after the context ends
	n, err := wait.For(r.ctx, func() (int, error) { return r.from.Read(buffer) })
	return copy(p, buffer[:n]), err
}

// Open opens a file for reading. It ends with the context: opening a named pipe waits for a writer.
func Open(ctx context.Context, path string) (*os.File, error) {
	return wait.For(ctx, func() (*os.File, error) { return os.Open(path) })
}

// ErrInterrupted is Ctrl-C at a prompt that does not echo. errors.Is(err, context.Canceled) is true for it.
var ErrInterrupted error = interruptedError{}

type interruptedError struct{}

func (interruptedError) Error() string        { return "interrupted at the prompt" }
func (interruptedError) Is(target error) bool { return target == context.Canceled }

// AskSecret asks for a secret on Err and reads it from In without echo. It always restores the terminal. An empty
// answer is an empty secret. Errors: ErrNoTTY, ErrInterrupted, ErrNoAnswer, ErrAnswerTooLong, ctx's error.
func (s *Streams) AskSecret(ctx context.Context, label string) (secret string, err error) {
	if err := s.canAsk(ctx); err != nil {
		return "", err
	}
	in, ok := s.In.(interface{ Fd() uintptr })
	if !ok {
		// A terminal without a descriptor has no echo to turn off.
		return s.Ask(ctx, label+":")
	}
	fd := int(in.Fd())
	// Raw mode begins before the read. With term.ReadPassword, a context could end and the terminal be restored just
	// before an abandoned reader silences it again.
	before, err := xterm.MakeRaw(fd)
	if err != nil {
		return "", fmt.Errorf("cannot turn the terminal's echo off, so the secret was not asked for: %w", err)
	}
	defer func() {
		// The line break comes after the restore, when it also returns the cursor.
		if restoreErr := xterm.Restore(fd, before); restoreErr != nil && err == nil {
			secret, err = "", fmt.Errorf("cannot restore the terminal (%s): %w", restoreTerminal, restoreErr)
		}
		s.writeErr("\n")
	}()
	prompt := Sanitize(label) + ": "
	s.writeErr(prompt)
	return s.readSecret(ctx, func() error { // at Ctrl-Z
		if err := xterm.Restore(fd, before); err != nil {
			return err
		}
		s.writeErr("\n")
		suspend(ctx)
		_, err := xterm.MakeRaw(fd)
		s.writeErr(prompt)
		return err
	})
}

// readSecret lets x/term edit the line (backspace, Ctrl-U, arrows) without echo. It drops blanks around the secret,
// from a paste.
func (s *Streams) readSecret(ctx context.Context, stop func() error) (string, error) {
	keys := &keyboard{s: s, ctx: ctx, stop: stop}
	secret, err := xterm.NewTerminal(keys, "").ReadPassword("")
	switch {
	case keys.last == ctrlC && errors.Is(err, io.EOF):
		return "", ErrInterrupted
	case errors.Is(err, io.EOF):
		return "", ErrNoAnswer
	case err != nil && !errors.Is(err, xterm.ErrPasteIndicator):
		return "", err
	case len(secret) >= maxAnswer:
		return "", ErrAnswerTooLong
	}
	return strings.TrimSpace(secret), nil
}

// Keys that a terminal in raw mode leaves to the program.
const (
	ctrlC = 0x03
	ctrlU = 0x15
	ctrlZ = 0x1a
)

// keyboard feeds x/term one byte at a time until ctx ends, and shows nothing.
type keyboard struct {
	s    *Streams
	ctx  context.Context
	last byte
	stop func() error // stops the program at Ctrl-Z, until it is continued
}

func (k *keyboard) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	b, err := k.s.readByte(k.ctx)
	if err == nil && b == ctrlZ {
		b, err = ctrlU, k.stop() // a terminal that is not raw also drops the typed text
	}
	if err != nil {
		return 0, err
	}
	k.last, p[0] = b, b
	return 1, nil
}

func (k *keyboard) Write(p []byte) (int, error) { return len(p), nil }
