package payments

import (
	"errors"
	"hash/maphash"
)

// ErrEndless says that a list has no end: its pages lead back to one that was there before, or go on and have no rows.
var ErrEndless = errors.New("the list would never end: the service's nextCursor leads back to a page that was there before, or to empty ones for ever")

// mostEmpty is how many pages in a row may have no rows: where a service filters behind its pages, many may.
const mostEmpty = 1000

// A Walk goes through the pages of one list, and knows one that has no end. The zero value stands before the first page.
type Walk struct {
	seed  maphash.Seed
	seen  map[uint64]struct{} // of cursors, which may be as long as an answer
	empty int                 // pages since the last with rows
}

// Step goes from a page with so many rows to the one at the cursor next. The error is ErrEndless.
func (w *Walk) Step(rows int, next string) error {
	if w.seen == nil {
		w.seed, w.seen = maphash.MakeSeed(), map[uint64]struct{}{}
	}
	if w.empty++; rows > 0 {
		w.empty = 0
	}
	place := maphash.String(w.seed, next)
	if _, before := w.seen[place]; before || w.empty >= mostEmpty {
		return ErrEndless
	}
	w.seen[place] = struct{}{}
	return nil
}
