package memory

import (
	"slices"
	"sort"
)

// blocks are items without pointers in an order that the caller knows. They are kept in blocks of at most blockSize
// items, none of which is empty: adding and removing one moves a part of one block, and a million of them are a few
// thousand objects for the garbage collector.
type blocks[E any] struct{ list [][]E }

// blockSize makes a block of identifiers a kilobyte, which is moved in some 50 ns. With larger blocks the list of them
// would be shorter than it need be: a million items have a list of 100 kB.
const blockSize = 256

// A place is where an item is or would be: the block, and the item in it. After the last item the block is the number
// of blocks.
type place struct{ block, item int }

// find returns the place of the first item for which reached returns true; it does so for all that follow. Most items
// are looked for at the end, so that the last one is asked first.
func (b *blocks[E]) find(reached func(E) bool) place {
	n := len(b.list)
	if n == 0 || !reached(b.list[n-1][len(b.list[n-1])-1]) {
		return place{n, 0}
	}
	i := sort.Search(n-1, func(i int) bool { return reached(b.list[i][len(b.list[i])-1]) })
	return place{i, sort.Search(len(b.list[i])-1, func(j int) bool { return reached(b.list[i][j]) })}
}

// get returns the item at a place; ok is false after the last one.
func (b *blocks[E]) get(at place) (item E, ok bool) {
	if at.block == len(b.list) {
		return item, false
	}
	return b.list[at.block][at.item], true
}

// insert adds an item before the one at a place.
func (b *blocks[E]) insert(at place, item E) {
	if at.block == len(b.list) { // then the last block has room at its end, or a new one follows it
		switch {
		case at.block == 0:
			b.list = append(b.list, []E{item})
			return
		case len(b.list[at.block-1]) == blockSize:
			b.list = append(b.list, append(make([]E, 0, blockSize), item))
			return
		}
		at = place{at.block - 1, len(b.list[at.block-1])}
	}
	if block := b.list[at.block]; len(block) == blockSize {
		// Items that come in their order may have to stay before a last one: then they leave full blocks behind.
		first := max(blockSize/2, at.item)
		b.list[at.block] = block[:first]
		b.list = slices.Insert(b.list, at.block+1, append(make([]E, 0, blockSize), block[first:]...))
	}
	b.list[at.block] = slices.Insert(b.list[at.block], at.item, item)
}

// remove removes the item at a place. A block of which little is left is joined with its neighbor.
func (b *blocks[E]) remove(at place) {
	block := b.list[at.block]
	if at.item == 0 {
		block = block[1:] // the usual one of jobs, of which nothing need be moved
	} else {
		block = slices.Delete(block, at.item, at.item+1)
	}
	b.list[at.block] = block
	switch after := at.block + 1; {
	case len(block) == 0:
		b.list = slices.Delete(b.list, at.block, after)
	case len(block) > blockSize/4:
	case after < len(b.list) && len(block)+len(b.list[after]) <= blockSize:
		b.join(at.block)
	case at.block > 0 && len(block)+len(b.list[at.block-1]) <= blockSize:
		b.join(at.block - 1)
	}
}

// join joins a block with the next one.
func (b *blocks[E]) join(block int) {
	joined := append(make([]E, 0, blockSize), b.list[block]...)
	b.list[block] = append(joined, b.list[block+1]...)
	b.list = slices.Delete(b.list, block+1, block+2)
}

// ascend visits the items from the first on, while visit returns true.
func (b *blocks[E]) ascend(visit func(E) (more bool)) {
	for _, block := range b.list {
		for _, item := range block {
			if !visit(item) {
				return
			}
		}
	}
}

// descend visits the items before a place, from the last one down, while visit returns true.
func (b *blocks[E]) descend(before place, visit func(E) (more bool)) {
	for i := before.block; i >= 0; i-- {
		if i == len(b.list) {
			continue
		}
		block := b.list[i]
		if i == before.block {
			block = block[:before.item]
		}
		for _, item := range slices.Backward(block) {
			if !visit(item) {
				return
			}
		}
	}
}

// end is the place after the last item.
func (b *blocks[E]) end() place { return place{len(b.list), 0} }
