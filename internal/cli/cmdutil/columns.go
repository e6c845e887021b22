package cmdutil

import (
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/rows"
)

// Columns are the flags that read a file whose columns have other names: --map, --set and --ignore.
type Columns struct{ from, set, ignored []string }

// AddTo adds the flags. Example names a member and a column, such as external_id=email, and constant a member and its value.
func (c *Columns) AddTo(cmd *cobra.Command, example, constant string) {
	f := cmd.Flags()
	f.StringArrayVar(&c.from, "map", nil, "read a member from another column: `MEMBER=COLUMN`, such as "+example+
		"; may be repeated")
	f.StringArrayVar(&c.set, "set", nil, "give every row the same `MEMBER=VALUE`, such as "+constant+"; may be repeated")
	f.StringSliceVar(&c.ignored, "ignore", nil, "leave out the `COLUMNS` that payctl has no use for, separated by commas")
}

// Mapping returns what the flags describe.
func (c *Columns) Mapping() (rows.Mapping, error) {
	mapping, err := rows.NewMapping(c.from, c.set, c.ignored)
	if err != nil {
		return mapping, Usage("--map and --set: %v", err)
	}
	return mapping, nil
}
