package deps

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/term"
)

// maxInput is the most bytes of a JSON body that are read.
const maxInput = 1 << 20

// Input is the --input flag: a file, or - for standard input, with the JSON body of a request.
type Input struct{ path string }

// AddTo adds the flag.
func (in *Input) AddTo(cmd *cobra.Command) {
	cmd.Flags().StringVar(&in.path, "input", "", "read the JSON request body from `FILE`, or from standard input with -")
}

// Read decodes the body into value, which flags may change afterwards. Without the flag it does nothing. A mistake in the
// file is a UsageError that names file, line and column.
func (in *Input) Read(ctx context.Context, d *Deps, value any) error {
	if in.path == "" {
		return nil
	}
	name := InputName(in.path)
	content, err := d.Content(ctx, in.path, maxInput)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(content, value); err != nil {
		line, column, reason := locate(content, err)
		return Usage("%s:%d:%d: %s", name, line, column, reason)
	}
	return nil
}

// InputName is what messages call a file, or standard input with -.
func InputName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// TheInput is what a sentence calls it: one that begins with a mere name would make another one of it, with a capital.
func TheInput(path string) string {
	if path == "-" {
		return InputName(path)
	}
	return "the file " + path
}

// Content is what a file holds, or standard input with -. One that cannot be read, or is larger than most bytes, is a
// UsageError. Opening and reading end with the context, also where somebody has to type or to write into a pipe.
func (d *Deps) Content(ctx context.Context, path string, most int64) ([]byte, error) {
	source := d.In
	if path != "-" {
		file, err := term.Open(ctx, path)
		if ctx.Err() != nil {
			return nil, err
		}
		if err != nil {
			return nil, Usage("the input cannot be read: %v", err)
		}
		defer file.Close()
		source = file
	}
	content, err := io.ReadAll(io.LimitReader(term.Interruptible(ctx, source), most+1))
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", TheInput(path), err)
	}
	if err != nil {
		return nil, Usage("%s cannot be read: %v", TheInput(path), err)
	}
	if int64(len(content)) > most {
		return nil, Usage("%s is larger than %d bytes", TheInput(path), most)
	}
	return content, nil
}

// kinds are the kinds of a JSON value in words.
var kinds = map[jsontext.Kind]string{
	'n': "null", 'f': "false", 't': "true", '"': "a string", '0': "a number", '{': "an object", '[': "an array",
}

// locate finds the line and column, counted from one, at which decoding failed.
func locate(content []byte, err error) (line, column int, reason string) {
	offset, reason := int64(len(content)), err.Error()
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset, reason = syntactic.ByteOffset, syntactic.Err.Error()
	} else if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		offset = semantic.ByteOffset
		switch {
		case semantic.Err != nil:
			reason = fmt.Sprintf("%s: %v", semantic.JSONPointer, semantic.Err)
		case semantic.JSONPointer == "":
			reason = kinds[semantic.JSONKind] + " cannot stand here, where an object is wanted"
		default:
			reason = fmt.Sprintf("%s cannot be %s", semantic.JSONPointer, kinds[semantic.JSONKind])
		}
	}
	before := content[:min(offset, int64(len(content)))]
	return 1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n'), reason
}

// Override sets a member of the body to the flag's value, where the flag was given.
func Override(member *string, flag string) {
	if flag != "" {
		*member = flag
	}
}
