package payments

import (
	"errors"
	"hash/maphash"
)

// ErrEndless is the error of a list whose pages never end. A cursor or rows come back, too many pages are empty, or
// there are too many pages.
var ErrEndless = errors.New("the list never ends: its next page is an earlier one, one empty page follows the other, " +
	"or there are 1,000,000 pages; the profile may have another name for the parameter: pages: {cursor: NAME}")

// ErrCut is the error of a list if more rows follow, but the service does not say how to read them.
var ErrCut = errors.New("the service says that more rows follow, but not where: if a page has a cursor " +
	"under another name, the profile says where: pages: {next: /page/next}")

// maxEmptyPages is how many empty pages in a row are accepted. A service that filters each page may send many.
const maxEmptyPages = 1000

// maxRepeated is how many pages in a row may have only known rows. A list that grows repeats some.
const maxRepeated = 5

// maxPages is how many pages are accepted: the largest batch at five rows a page. Their cursors take about 20 MiB of
// memory.
const maxPages = 1_000_000

// A PageGuard notices a list whose pages never end. The zero value is ready for a new list.
type PageGuard struct {
	seed            maphash.Seed
	cursors, ids    map[uint64]struct{} // hashes of texts that may be as long as a response
	empty, repeated int                 // pages since the last one with rows, and with new ones
}

// Step records the ids of a page's rows and the cursor after it. A row without an id is new. The error is ErrEndless.
func (g *PageGuard) Step(next string, ids []string) error {
	if g.cursors == nil {
		g.seed, g.cursors, g.ids = maphash.MakeSeed(), map[uint64]struct{}{}, map[uint64]struct{}{}
	}
	hasNew := false
	for _, id := range ids {
		hash := maphash.String(g.seed, id)
		_, before := g.ids[hash]
		g.ids[hash] = struct{}{}
		hasNew = hasNew || !before || id == ""
	}
	g.empty, g.repeated = g.empty+1, g.repeated+1
	if len(ids) > 0 {
		g.empty = 0
	}
	if len(ids) == 0 || hasNew {
		g.repeated = 0
	}
	hash := maphash.String(g.seed, next)
	_, before := g.cursors[hash]
	if before || g.empty >= maxEmptyPages || g.repeated >= maxRepeated || len(g.cursors) >= maxPages {
		return ErrEndless
	}
	g.cursors[hash] = struct{}{}
	return nil
}
