package resource

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
)

// A Filter is a flag that selects rows.
type Filter[T any] struct {
	// Flag is the name of the flag.
	Flag string
	// Parameter is its name in the query of the operation; empty: the contract has none.
	Parameter string
	// Matches reports whether the flag selects a row.
	Matches func(T) bool
	// Drop leaves the parameter out of the pages that are fetched from now on.
	Drop func()
	// Known says that the contract has the value, so that a service which refuses it does not have the parameter as it is.
	Known bool

	// tolerates reports whether a service that applies the filter may show a row that does not match; nil: never.
	tolerates func(T) bool
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
		return &Filter[T]{
			Flag: flag, Parameter: parameter, Drop: func() { *at = "" },
			Matches: func(row T) bool { return Text(row, member) == asked },
		}
	})
}

// Several adds a flag that selects the rows with one of several values of the contract at a member.
func Several[T any, V ~string](s *Selection[T], cmd *cobra.Command, at *[]V, flag, member, usage string) {
	if cmd != nil {
		cmdutil.AddValues(cmd, at, flag, usage)
	}
	*s = append(*s, func() *Filter[T] {
		asked := *at
		if len(asked) == 0 {
			return nil
		}
		return &Filter[T]{
			Flag: flag, Parameter: member, Known: true, Drop: func() { *at = nil },
			Matches: func(row T) bool { return slices.Contains(asked, V(Text(row, member))) },
		}
	})
}

// Given are the filters whose flags were given.
func (s Selection[T]) Given() (all []*Filter[T]) {
	for _, filter := range s {
		if f := filter(); f != nil {
			all = append(all, f)
		}
	}
	return all
}

// Filters are applied to the rows that a service returns, and notes say which of them it does not apply itself.
type Filters[T any] struct {
	notef func(format string, args ...any)
	all   []*Filter[T]
	here  map[string]bool // the flags that are applied here alone
}

// NewFilters notes at once which filters the contract does not have.
func NewFilters[T any](d *cmdutil.Deps, all []*Filter[T]) *Filters[T] {
	s := &Filters[T]{notef: d.Notef, all: all, here: map[string]bool{}}
	for _, filter := range s.all {
		if filter.Parameter == "" {
			s.note(filter, "The service has no filter for")
		}
	}
	return s
}

// Match reports whether all filters select a row.
func (s *Filters[T]) Match(row T) bool {
	for _, f := range s.all {
		if f.Matches(row) {
			continue
		}
		if f.tolerates == nil || !f.tolerates(row) {
			s.note(f, "The service ignores")
		}
		return false
	}
	return true
}

// DropRefused drops the filter whose parameter the service refuses with an error. It reports whether there is one, so
// that the caller asks again.
func (s *Filters[T]) DropRefused(err error) bool {
	refused := slices.IndexFunc(s.all, func(f *Filter[T]) bool { return !s.here[f.Flag] && f.refused(err) })
	if refused < 0 {
		return false
	}
	s.all[refused].Drop()
	s.note(s.all[refused], "The service refuses")
	return true
}

// note says once that a filter is applied here.
func (s *Filters[T]) note(f *Filter[T], what string) {
	if !s.here[f.Flag] {
		s.here[f.Flag] = true
		s.notef("%s --%s; payctl filters the rows itself.", what, f.Flag)
	}
}

// refusals are words with which a service refuses a parameter that it does not have.
var refusals = []string{
	"unknown", "not known", "unrecogni", "unexpected", "unsupported", "not supported", "not allowed", "not a parameter",
	"no such parameter", "additional",
}

// refused reports whether a service refuses the parameter, and not only its value.
func (f *Filter[T]) refused(err error) bool {
	problem, ok := errors.AsType[*payments.ProblemError](err)
	if !ok || problem.Status != 400 || f.Parameter == "" {
		return false
	}
	messages, named := problem.Errors[f.Parameter]
	if named && f.Known {
		return true
	}
	text := strings.ToLower(strings.Join(messages, " "))
	if len(problem.Errors) == 0 {
		text = strings.ToLower(problem.Title + " " + problem.Detail)
		named = slices.Contains(strings.FieldsFunc(problem.Detail, isNoLetter), f.Parameter)
	}
	return named && slices.ContainsFunc(refusals, func(word string) bool { return strings.Contains(text, word) })
}

func isNoLetter(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }
