package resource

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cliflags"
)

// A Filter is a flag that selects rows. Each row that a service returns is looked at, as the service may not have the
// filter, or ignore it.
type Filter[T any] struct {
	Flag string
	// Matches reports whether the flag selects a row.
	Matches func(T) bool
}

// A Selection has for each flag a function that returns its filter; nil: the flag was not given.
type Selection[T any] []func() *Filter[T]

// Text adds the flag of a member of the table, which selects the rows with a text there; at is where the query of the
// operation has it. Without a command it adds the filter alone.
func (s *Selection[T]) Text(cmd *cobra.Command, at *string, t Table[T], member string) {
	m := t.Member(member)
	if cmd != nil {
		cmd.Flags().StringVar(at, m.Flag, "", m.Filter)
	}
	*s = append(*s, func() *Filter[T] {
		asked := *at
		if asked == "" {
			return nil
		}
		return &Filter[T]{Flag: m.Flag, Matches: func(row T) bool { return Text(row, m.at()) == asked }}
	})
}

// Several adds the flag of a member of the table, which selects the rows with one of several values of the contract.
func Several[T any, V ~string](s *Selection[T], cmd *cobra.Command, at *[]V, t Table[T], member string) {
	m := t.Member(member)
	if cmd != nil {
		cliflags.AddValues(cmd, at, m.Flag, m.Filter)
	}
	*s = append(*s, func() *Filter[T] {
		asked := *at
		if len(asked) == 0 {
			return nil
		}
		return &Filter[T]{Flag: m.Flag, Matches: func(row T) bool { return slices.Contains(asked, V(Text(row, m.at()))) }}
	})
}

// Given are the filters whose flags were given.
func (s Selection[T]) Given() (all Filters[T]) {
	for _, filter := range s {
		if f := filter(); f != nil {
			all = append(all, f)
		}
	}
	return all
}

// Filters select rows together.
type Filters[T any] []*Filter[T]

// Match reports whether all filters select a row.
func (s Filters[T]) Match(row T) bool {
	return !slices.ContainsFunc(s, func(f *Filter[T]) bool { return !f.Matches(row) })
}
