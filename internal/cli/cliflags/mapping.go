package cliflags

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/exit"
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

// Read reads the values of the flags for a file with these members. A mistake is a usage error.
func (m *Mapping) Read(members rows.Members) (*rows.Mapping, error) {
	mapping, err := rows.NewMapping(members, m.columns, m.constants)
	if err == nil {
		mapping.Amounts, err = rows.NewAmountStyle(m.decimalComma, m.thousands)
	}
	if err != nil {
		return nil, exit.Usage("%v", err)
	}
	return mapping, nil
}
