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

	isHere bool // the contract has no parameter for it
}

// A Selection has for each flag a function that returns its filter; nil: the flag was not given.
type Selection[T any] []func() *Filter[T]

// Text adds a flag that selects the rows with a text at a member; at is where the query of the operation has it. Without a
// command it adds the filter alone, and without a parameter one that is applied here.
func (s *Selection[T]) Text(cmd *cobra.Command, at *string, flag, parameter, member, usage string) {
	if cmd != nil {
		cmd.Flags().StringVar(at, flag, "", usage)
	}
	*s = append(*s, func() *Filter[T] {
		asked := *at
		if asked == "" {
			return nil
		}
		return &Filter[T]{Flag: flag, isHere: parameter == "", Matches: func(row T) bool { return Text(row, member) == asked }}
	})
}

// Several adds a flag that selects the rows with one of several values of the contract at a member.
func Several[T any, V ~string](s *Selection[T], cmd *cobra.Command, at *[]V, flag, member, usage string) {
	if cmd != nil {
		cliflags.AddValues(cmd, at, flag, usage)
	}
	*s = append(*s, func() *Filter[T] {
		asked := *at
		if len(asked) == 0 {
			return nil
		}
		return &Filter[T]{Flag: flag, Matches: func(row T) bool { return slices.Contains(asked, V(Text(row, member))) }}
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
