package api

import (
	"fmt"
	"io"
	"os"

	"github.com/payctl/payctl/internal/cli/deps"
)

// maxInput is the most bytes that are read of one file or of standard input.
const maxInput = 64 << 20

// A reader reads what the command line refers to.
type reader struct {
	deps  *deps.Deps
	stdin bool // was read
}

// content is a file's, or standard input's with the name -.
func (r *reader) content(name string) ([]byte, error) {
	var source io.Reader
	switch name {
	case "":
		return nil, deps.Usage("a file's name is missing")
	case "-":
		if r.stdin {
			return nil, deps.Usage("standard input can be read once only")
		}
		r.stdin, source, name = true, r.deps.In, "standard input"
	default:
		file, err := os.Open(name)
		if err != nil {
			return nil, deps.Usage("the input cannot be read: %v", err)
		}
		defer file.Close()
		source = file
	}
	content, err := io.ReadAll(io.LimitReader(source, maxInput+1))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", name, err)
	}
	if len(content) > maxInput {
		return nil, deps.Usage("%s is larger than %d bytes", name, maxInput)
	}
	return content, nil
}

// body is the content of --input, as it is.
func (o *options) body(in *reader) ([]byte, error) {
	if o.input == "" {
		return nil, nil
	}
	return in.content(o.input)
}
