package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	xterm "golang.org/x/term"
)

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
