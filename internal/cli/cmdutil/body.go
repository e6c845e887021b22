package cmdutil

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/rows"
)

// maxInput is the most bytes of a JSON body that are read: far more than the service accepts.
const maxInput = 1 << 20

// Input are the flags --input, a file, or - for standard input, with the JSON body of a request, and --set, members of
// it.
type Input struct {
	path string
	set  []string
}

// AddTo adds the flags.
func (in *Input) AddTo(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&in.set, "set", nil, "set any other member of the body, `MEMBER=TEXT` or MEMBER:=JSON; may be repeated")
	f.StringVar(&in.path, "input", "", "read the JSON request body from `FILE`; - is standard input")
}

// Members are the members of --set: texts, or JSON values. Known are those that --set takes.
func (in *Input) Members(known []string) (map[string]any, error) {
	members := map[string]any{}
	isKnown := func(name string) bool { return slices.Contains(known, name) }
	for _, text := range rows.SplitPairs(in.set, isKnown) {
		member, value, ok := strings.Cut(text, "=")
		if _, twice := members[member]; !ok || member == "" || value == "" || twice {
			return nil, Usage("--set %s is not written as MEMBER=TEXT or MEMBER:=JSON, or its member is given twice", text)
		}
		members[member] = value
		if name, isJSON := strings.CutSuffix(member, ":"); isJSON {
			delete(members, member)
			if members[name] = jsontext.Value(value); !jsontext.Value(value).IsValid() || name == "" {
				return nil, Usage("--set %s: what follows := is not JSON", text)
			}
		}
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
