package cmdutil

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/plaintext"
	"github.com/payctl/payctl/internal/rows"
	"github.com/payctl/payctl/internal/ui"
)

// maxInput is the most bytes of a JSON body that are read: far more than the service accepts.
const maxInput = 1 << 20

// Input are the flags --input, a file, or - for standard input, with the JSON body of a request, and --set, members of it.
type Input struct {
	path string
	set  []string
}

// AddTo adds the flags.
func (in *Input) AddTo(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&in.set, "set", nil, "set any other text of the body, `MEMBER=VALUE`; may be repeated")
	f.StringVar(&in.path, "input", "", "read the JSON request body from `FILE`; - is standard input")
}

// Members are the members of --set.
func (in *Input) Members() (map[string]string, error) {
	members := map[string]string{}
	for _, text := range in.set {
		member, value, ok := strings.Cut(text, "=")
		if _, twice := members[member]; !ok || member == "" || value == "" || twice {
			return nil, Usage("--set %s is not written as MEMBER=VALUE, or its member is given twice", text)
		}
		members[member] = value
	}
	return members, nil
}

// Read decodes the body into value. Without the flag it does nothing. A mistake in the file is a usage error that
// names file, line and column.
func (in *Input) Read(ctx context.Context, d *Deps, value any) error {
	if in.path == "" {
		return nil
	}
	content, err := d.Content(ctx, in.path, maxInput)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(content, value); err != nil {
		return Usage("%s:%v", InputName(in.path), decodingError(content, err))
	}
	return nil
}

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
	return plaintext.Bytes(content), err
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

// decodingError returns the error of decoding a JSON body with its position.
func decodingError(content []byte, err error) error {
	offset, reason := int64(len(content)), err.Error()
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset, reason = syntactic.ByteOffset, syntactic.Err.Error()
	} else if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		offset = semantic.ByteOffset
		reason = fmt.Sprintf("%s cannot be a %s", cmp.Or(string(semantic.JSONPointer), "the body"), semantic.JSONKind)
		if semantic.Err != nil {
			reason = fmt.Sprintf("%s: %v", semantic.JSONPointer, semantic.Err)
		}
	}
	return &rows.Error{Position: rows.PositionOf(content, offset), Reason: reason}
}

// RowErrors prints the errors of a file, each with its position, and returns the error of the command. The first ones are
// printed, and the others counted. Consequence says what was not done because of them.
func (d *Deps) RowErrors(path string, all rows.Errors, consequence string) error {
	for _, wrong := range all.First {
		d.Errorf("%s: %s", wrong.In(InputName(path)), wrong.Reason)
	}
	if all.More > 0 {
		d.Warnf("and %d more", all.More)
	}
	count := Count(len(all.First)+all.More, "error(s)")
	return Usage("%s has %s, the first at %s; %s", TheInput(path), count, all.First[0].Position, consequence).
		WithHint("correct the file or the flags, and run the command again")
}
