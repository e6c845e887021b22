package watchui

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/rows"
	"github.com/payctl/payctl/internal/ui"
)

// longestID bounds an identifier, in bytes: no service has longer ones.
const longestID = 256

// readIDs reads an identifier from each row of a file; - is standard input. Names are those of the columns and JSON
// members that hold an identifier, the best first. It returns when the context ends, also while it waits for a pipe.
func readIDs(ctx context.Context, d *cmdutil.Deps, path string, names []string) (ids []string, err error) {
	source, err := d.OpenInput(ctx, path)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	ids, err = parseIDs(source, names)
	wrong, isWrong := errors.AsType[*rows.Error](err)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case isWrong:
		return nil, cmdutil.Usage("%s:%v", cmdutil.InputName(path), wrong)
	case err != nil:
		return nil, cmdutil.Usage("%s cannot be read: %v", cmdutil.TheInput(path), err)
	case len(ids) == 0:
		return nil, cmdutil.Usage("%s holds no identifier", cmdutil.TheInput(path))
	}
	return ids, nil
}

// parseIDs reads an identifier from each row. The error is a *rows.Error for a row that has none.
func parseIDs(source io.Reader, names []string) (ids []string, err error) {
	isNamed := func(f rows.Field) bool { return rankOf(names, f.Name) >= 0 }
	all, err := rows.List(source, func(header []rows.Field) bool { return slices.ContainsFunc(header, isNamed) })
	if err != nil {
		return nil, err
	}
	for row, wrong := range all {
		if wrong != nil {
			return nil, wrong
		}
		fields := row.Fields
		if row.Named && len(fields) > 0 && strings.HasPrefix(fields[0].Name, "summary.") { // the last line of a batch
			continue
		}
		if row.Named {
			fields = slices.DeleteFunc(slices.Clone(fields), func(f rows.Field) bool { return !isNamed(f) })
			slices.SortStableFunc(fields, func(a, b rows.Field) int { return rankOf(names, a.Name) - rankOf(names, b.Name) })
		}
		if len(fields) == 0 {
			return nil, rows.Errorf(row.Position, "there is no %s", strings.Join(names, " or "))
		}
		switch id := fields[0]; {
		case id.Text == "" || id.Kind != '"' || len(id.Text) > longestID:
			return nil, rows.Errorf(id.Position, "the identifier is not a text of 1 to %d bytes", longestID)
		case strings.ContainsFunc(id.Text, unicode.IsSpace) || ui.Sanitize(id.Text) != id.Text:
			return nil, rows.Errorf(id.Position, "the identifier has spaces or invisible characters")
		default:
			ids = append(ids, id.Text)
		}
	}
	return ids, nil
}

// rankOf is the index of the name that a column has; -1: none of them.
func rankOf(names []string, column string) int {
	return slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(strings.TrimSpace(column), name) })
}
