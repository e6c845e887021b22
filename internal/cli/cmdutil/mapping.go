package cmdutil

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/rows"
)

// Mapping are the flags of commands that read a file of rows: --map and --set, and those of amounts.
type Mapping struct {
	columns, constants []string
	decimalComma       bool
	thousands          string
}

// AddTo adds the flags. Example is a member of the rows.
func (m *Mapping) AddTo(cmd *cobra.Command, example string) {
	f := cmd.Flags()
	f.StringArrayVar(&m.columns, "map", nil, "take a member from a column of another name, `MEMBER=COLUMN`; may be repeated")
	f.StringArrayVar(&m.constants, "set", nil, "give a member one value in all rows, `MEMBER=VALUE`, such as "+example+"; may be repeated")
}

// AddAmountsTo adds the flags of a file that has amounts.
func (m *Mapping) AddAmountsTo(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&m.decimalComma, "decimal-comma", false, "amounts have a decimal comma, such as 12,50")
	f.StringVar(&m.thousands, "thousands", "", "amounts have thousands separated by `CHAR`: a point, a comma, an apostrophe or a space")
}

// Allows reports whether the user has said that a member may be left out: its --set has no value.
func (m *Mapping) Allows(member string) bool { return slices.Contains(m.constants, member+"=") }

// ReadFile reads the rows of a file, of at most so many, with these members; - is standard input. A mistake in the
// flags or in the form of the file is a usage error; errors in rows are part of the result.
func (m *Mapping) ReadFile(
	ctx context.Context, d *Deps, path string, members rows.Members, most int,
) (*rows.File, error) {
	mapping, err := rows.NewMapping(members, m.columns, m.constants)
	if err == nil {
		mapping.Amounts, err = rows.NewAmountStyle(m.decimalComma, m.thousands)
	}
	if err != nil {
		return nil, Usage("%v", err)
	}
	from, err := d.OpenInput(ctx, path)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	file, err := rows.Parse(from, mapping, most)
	if wrong, ok := errors.AsType[*rows.Error](err); ok {
		return nil, Usage("%s:%v", InputName(path), wrong)
	}
	if err == nil && len(file.Unused) > 0 {
		d.Notef("%s not used: %s", Count(len(file.Unused), "column(s)"), strings.Join(file.Unused, ", "))
	}
	return file, err
}
