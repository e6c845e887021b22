package cmdutil

import (
	"context"
	"fmt"
	"io"

	"github.com/payctl/payctl/internal/rows"
	"github.com/payctl/payctl/internal/textutil"
	"github.com/payctl/payctl/internal/ui"
)

// InputName is the name of a file at the beginning of a message; - is standard input.
func InputName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// TheInput is the name of a file in a sentence, where its first letter must not be made a capital.
func TheInput(path string) string {
	if path == "-" {
		return InputName(path)
	}
	return "the file " + path
}

// OpenInput opens a file, or standard input with -. A file that cannot be opened is a usage error. Opening and
// reading end with the context, also where a person has to type or a program to write into a pipe.
func (d *Deps) OpenInput(ctx context.Context, path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(ui.Interruptible(ctx, d.In)), nil
	}
	file, err := ui.Open(ctx, path)
	switch {
	case ctx.Err() != nil:
		return nil, err
	case err != nil:
		return nil, Usage("the input cannot be read: %v", err)
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		_ = file.Close() // nothing was read
		return nil, Usage("%s cannot be read: it is a directory", TheInput(path))
	}
	return struct {
		io.Reader
		io.Closer
	}{ui.Interruptible(ctx, file), file}, nil
}

// Content reads a text as UTF-8, without byte order mark, from a file or, with -, from standard input. The limits and
// errors are those of [Deps.Bytes].
func (d *Deps) Content(ctx context.Context, path string, most int64) ([]byte, error) {
	content, err := d.Bytes(ctx, path, most)
	return textutil.Decode(content), err
}

// Bytes reads a file, or standard input with -, of at most that many bytes. One that cannot be read is a usage error.
func (d *Deps) Bytes(ctx context.Context, path string, most int64) ([]byte, error) {
	source, err := d.OpenInput(ctx, path)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	content, err := io.ReadAll(io.LimitReader(source, most+1))
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", TheInput(path), err)
	case err != nil:
		return nil, Usage("%s cannot be read: %v", TheInput(path), err)
	case int64(len(content)) > most:
		return nil, Usage("%s is larger than %d bytes", TheInput(path), most)
	}
	return content, nil
}

// mostErrors is how many errors of a file are printed: more than a person corrects one by one.
const mostErrors = 100

// RowErrors prints the errors of a file, and returns the error of the command. Consequence says what was not done
// because of them.
func (d *Deps) RowErrors(path string, all rows.Errors, consequence string) error {
	all = d.ListRowErrors(path, all)
	count := Count(len(all), "error(s)")
	err := Usage("%s has %s, the first at %s; %s", TheInput(path), count, all[0].Position, consequence).
		WithNote("correct the file or the flags, and run the command again")
	for _, wrong := range all {
		err.Rows = append(err.Rows, RowError{
			Line: wrong.Line, Column: wrong.Column, Flag: wrong.Flag, Member: wrong.Member, Detail: wrong.Reason,
		})
	}
	return err
}

// ListRowErrors prints the errors of a file, each with its position, in their order, which it returns. The first ones
// are printed, and the others counted.
func (d *Deps) ListRowErrors(path string, all rows.Errors) rows.Errors {
	all.Sort()
	for _, wrong := range all[:min(len(all), mostErrors)] {
		d.Errorf("%s: %s", wrong.In(InputName(path)), wrong.Reason)
	}
	if more := len(all) - mostErrors; more > 0 {
		d.Warnf("and %d more", more)
	}
	return all
}
