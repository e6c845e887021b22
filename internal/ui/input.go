package ui

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/payctl/payctl/internal/wait"
)

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
