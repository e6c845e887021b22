package resource

import (
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cliflags"
)

// CreateFlags adds the flags of a creation whose body is a B: those of the members of the table, and those of every body.
func CreateFlags[T, B any](t Table[T], cmd *cobra.Command, body *cliflags.Body[B]) {
	for _, m := range t {
		if m.Usage != "" {
			body.FlagOfMember(cmd, m.at(), m.Flag, m.Usage)
		}
	}
	body.AddTo(cmd)
}

// Aliases are the names of flags, by which a file may call the columns of members.
func (t Table[T]) Aliases() map[string]string {
	all := map[string]string{}
	for _, m := range t {
		if m.Usage != "" {
			all[m.Flag] = m.at()
		}
	}
	return all
}
