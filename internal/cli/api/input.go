package api

import (
	"context"

	"github.com/payctl/payctl/internal/cli/deps"
)

// maxInput is the most bytes that are read of one file or of standard input.
const maxInput = 64 << 20

// A reader reads what the command line refers to.
type reader struct {
	ctx   context.Context //nolint:containedctx // of the command that reads
	deps  *deps.Deps
	stdin bool // was read
}

// content is a file's, or standard input's with the name -.
func (r *reader) content(name string) ([]byte, error) {
	switch {
	case name == "":
		return nil, deps.Usage("a file's name is missing")
	case name == "-" && r.stdin:
		return nil, deps.Usage("standard input can be read once only")
	}
	r.stdin = r.stdin || name == "-"
	return r.deps.Content(r.ctx, name, maxInput)
}

// body is the content of --input, as it is.
func (o *options) body(in *reader) ([]byte, error) {
	if o.input == "" {
		return nil, nil
	}
	return in.content(o.input)
}
