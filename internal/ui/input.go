package ui

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"
)

// maxAnswer bounds one answer to a prompt, in bytes; it is also what a Unix terminal's line holds.
const maxAnswer = 4096

var (
	// ErrNoTTY is the error of a question without a terminal to ask it on.
	ErrNoTTY = errors.New("cannot ask: standard input or standard error is not a terminal")
	// ErrNoAnswer is input that ended (Ctrl-D, or on Windows Ctrl-Z and Enter) before an answer.
	ErrNoAnswer = errors.New("the input ended before an answer was given")
	// ErrAnswerTooLong is an answer of 4,096 bytes or more.
	ErrAnswerTooLong = errors.New("the answer is too long: 4,095 bytes at most")
)

type byteRead struct {
	b   byte
	err error
}

// readByte reads one byte of In or ends with ctx. A read cannot be called back, so one that outlives its
// context is left waiting and its byte goes to the next call. Reading single bytes leaves everything
// after the line to the next reader of In.
func (s *Streams) readByte(ctx context.Context) (byte, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	s.inMu.Lock()
	if s.pending == nil {
		s.pending = make(chan byteRead, 1)
		go func(in io.Reader, result chan<- byteRead) {
			var b [1]byte
			_, err := io.ReadFull(in, b[:])
			result <- byteRead{b[0], err}
		}(s.In, s.pending)
	}
	pending := s.pending
	s.inMu.Unlock()
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case r := <-pending:
		s.inMu.Lock()
		s.pending = nil
		s.inMu.Unlock()
		// Where Ctrl-C ends a read as if the input had ended, the context may end a moment later.
		if s.InTTY && errors.Is(r.err, io.EOF) && interruptDelay > 0 {
			select {
			case <-ctx.Done():
				return 0, ctx.Err()
			case <-time.After(interruptDelay):
			}
		}
		return r.b, r.err
	}
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
