package payments

import "strings"

// first is the thing on the pages of a list, newest first, that was made first among those that are the wanted one, as is
// says by comparing texts so. Where none is exactly, one that is alike counts.
func first[T any](list func(cursor string) ([]T, *string, error), is func(T, func(a, b string) bool) bool) (thing T, found bool, err error) {
	exact := func(a, b string) bool { return a == b }
	var near *T
	var walk Walk
	for cursor := ""; ; {
		page, next, err := list(cursor)
		if err != nil {
			return *new(T), false, err
		}
		for i, t := range page {
			switch {
			case is(t, exact):
				thing, found = t, true
			case is(t, alike):
				near = &page[i]
			}
		}
		switch {
		case next == nil && !found && near != nil:
			return *near, true, nil
		case next == nil:
			return thing, found, nil
		}
		cursor = *next
		if err := walk.Step(len(page), cursor); err != nil {
			return *new(T), false, err
		}
	}
}

// alike says whether texts differ in no more than case and spaces around them, as where a service keeps them in its own form.
func alike(a, b string) bool { return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b)) }
