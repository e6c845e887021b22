package deps

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"
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
func (in *Input) Read(d *Deps, value any) error {
	if in.path == "" {
		return nil
	}
	source, name := d.In, "standard input"
	if in.path != "-" {
		file, err := os.Open(in.path)
		if err != nil {
			return Usage("the input cannot be read: %v", err)
		}
		defer file.Close()
		source, name = file, in.path
	}
	content, err := io.ReadAll(io.LimitReader(source, maxInput+1))
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", name, err)
	}
	if len(content) > maxInput {
		return Usage("%s is larger than %d bytes", name, maxInput)
	}
	if err := json.Unmarshal(content, value); err != nil {
		line, column, reason := locate(content, err)
		return Usage("%s:%d:%d: %s", name, line, column, reason)
	}
	return nil
}

// locate finds the line and column, counted from one, at which decoding failed.
func locate(content []byte, err error) (line, column int, reason string) {
	offset, reason := int64(len(content)), err.Error()
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset, reason = syntactic.ByteOffset, syntactic.Err.Error()
	} else if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		offset = semantic.ByteOffset
		reason = fmt.Sprintf("%s cannot be a JSON %s here", semantic.JSONPointer, semantic.JSONKind)
		if semantic.Err != nil {
			reason = fmt.Sprintf("%s: %v", semantic.JSONPointer, semantic.Err)
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
