package ui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/itchyny/gojq"
)

// JQError is a --jq expression that cannot be parsed, or that failed on a value.
type JQError struct {
	Expression string
	Err        error
}

func (e *JQError) Error() string {
	return Sanitize(fmt.Sprintf("--jq expression %q: %v", e.Expression, e.Err))
}

func (e *JQError) Unwrap() error { return e.Err }

// jqProgram is a compiled expression. It sees no environment and no files. Printer runs it on a value or a line, and
// Stream.end on a whole list.
type jqProgram struct {
	expression string
	code       *gojq.Code
}

func compileJQ(expression string) (*jqProgram, error) {
	query, err := gojq.Parse(expression)
	if err != nil {
		return nil, &JQError{Expression: expression, Err: err}
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, &JQError{Expression: expression, Err: err}
	}
	return &jqProgram{expression: expression, code: code}, nil
}

// run appends each result of the expression over value to out, one a line. Strings are raw, everything else is compact
// JSON. After a failure, earlier results stay in out, as with jq itself. Function text makes raw strings harmless.
func (p *jqProgram) run(ctx context.Context, out *bytes.Buffer, value any, text func(string) string) error {
	input, err := jqInput(value)
	if err != nil {
		return err
	}
	results := p.code.RunWithContext(ctx, input)
	for {
		result, ok := results.Next()
		if !ok {
			return nil
		}
		switch result := result.(type) {
		case error:
			if halt := (*gojq.HaltError)(nil); errors.As(result, &halt) && halt.Value() == nil {
				return nil
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return &JQError{Expression: p.expression, Err: result}
		case string:
			out.WriteString(text(result))
		default:
			encoded, err := gojq.Marshal(result)
			if err != nil {
				return &JQError{Expression: p.expression, Err: err}
			}
			out.Write(HarmlessJSON(encoded))
		}
		out.WriteByte('\n')
	}
}

// jqInput is the JSON form for gojq. Numbers stay json.Number, so they keep all digits unless the expression calculates
// with them.
func jqInput(value any) (any, error) {
	doc, err := compactJSON(value)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	var input any
	if err := dec.Decode(&input); err != nil {
		return nil, fmt.Errorf("cannot read the value for --jq: %w", err)
	}
	return input, nil
}
