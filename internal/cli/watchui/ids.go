package watchui

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/rows"
	"github.com/payctl/payctl/internal/ui"
)

// Bounds of --from: no service has longer identifiers, and a watch of more subjects does not fit a usual rate or
// memory.
const (
	longestID = 256 // bytes
	mostIDs   = 1_000_000
)

// readIDs reads an identifier from each row of a file; - is standard input. Names are those of the columns and JSON
// members that hold an identifier, the best first. It returns when the context ends, also while it waits for a pipe.
func readIDs(ctx context.Context, d *invocation.Deps, path string, names []string) ([]string, error) {
	source, err := d.OpenInput(ctx, path)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	ids, err := parseIDs(source, names)
	wrong, isWrong := errors.AsType[*rows.Error](err)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case isWrong:
		return nil, exit.Usage("%s:%v", invocation.InputName(path), wrong)
	case err != nil:
		return nil, exit.Usage("%s cannot be read: %v", invocation.TheInput(path), err)
	case len(ids) == 0:
		return nil, exit.Usage("%s holds no identifier", invocation.TheInput(path))
	}
	return ids, nil
}

// parseIDs reads an identifier from each row. The error is a *rows.Error for a row that has none.
func parseIDs(source io.Reader, names []string) (ids []string, err error) {
	text, err := rows.Read("", source)
	if err != nil {
		return nil, err
	}
	at := func(columns []string) int { // where the column with the identifier is; -1: nowhere
		for _, name := range names {
			isNamed := func(column string) bool { return strings.EqualFold(strings.TrimSpace(column), name) }
			if i := slices.IndexFunc(columns, isNamed); i >= 0 {
				return i
			}
		}
		return -1
	}
	all, err := rows.List(text, func(columns []string) bool { return at(columns) >= 0 })
	switch {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, err
	}
	for row, wrong := range all {
		if wrong != nil {
			return nil, wrong
		}
		var field rows.Field
		reason := ""
		if !row.Named {
			field = row.Fields[0]
		} else {
			field.Position, reason = row.Position, "there is no "+strings.Join(names, " or ")
			var columns []string
			for _, f := range row.Fields {
				columns = append(columns, f.Name)
			}
			if i := at(columns); i >= 0 {
				field, reason = row.Fields[i], ""
			}
		}
		switch text := field.Text; {
		case reason != "":
		case text == "" || field.Kind != '"' || len(text) > longestID:
			reason = "the identifier is not a text of 1 to 256 bytes"
		case strings.ContainsFunc(text, unicode.IsSpace) || ui.Sanitize(text) != text:
			reason = "the identifier has spaces or invisible characters"
		case len(ids) == mostIDs:
			reason = "there are more than 1,000,000 identifiers"
		}
		if reason != "" {
			return nil, &rows.Error{Position: field.Position, Reason: reason}
		}
		ids = append(ids, field.Text)
	}
	return ids, nil
}
