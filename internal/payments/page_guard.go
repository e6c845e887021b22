package payments

import (
	"errors"
	"hash/maphash"
)

// ErrEndless is the error of a list whose pages never end: a cursor came back that was seen before, page after page is
// empty, or there are more pages than any list has.
var ErrEndless = errors.New("the list never ends: the service's nextCursor leads back to an earlier page, " +
	"to one empty page after the other, or on and on after 1,000,000 pages")

// ErrCut is the error of a list whose service says that more rows follow, and not how to read them.
var ErrCut = errors.New("the service says that more rows follow, and not where: if a page has a cursor under another name, " +
	"name it in the profile, as in members.list.nextCursor: /page/next")

// maxEmptyPages is how many empty pages in a row are accepted. A service that filters each page after it was cut may
// send many.
const maxEmptyPages = 1000

// maxPages is how many pages are accepted: those of the largest batch, at five rows a page. Their cursors take about
// 20 MiB of memory.
const maxPages = 1_000_000

// A PageGuard notices a list whose pages never end. The zero value is for a list of which no page was read.
type PageGuard struct {
	seed  maphash.Seed
	seen  map[uint64]struct{} // hashes of the cursors, which may be as long as a response
	empty int                 // empty pages since the last one with rows
}

// Step records that a page had so many rows and that the cursor next follows it. The error is ErrEndless.
func (g *PageGuard) Step(rows int, next string) error {
	if g.seen == nil {
		g.seed, g.seen = maphash.MakeSeed(), map[uint64]struct{}{}
	}
	if g.empty++; rows > 0 {
		g.empty = 0
	}
	hash := maphash.String(g.seed, next)
	if _, before := g.seen[hash]; before || g.empty >= maxEmptyPages || len(g.seen) >= maxPages {
		return ErrEndless
	}
	g.seen[hash] = struct{}{}
	return nil
}
