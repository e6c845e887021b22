package client

import "strings"

// A finder tells whether a text holds one of some words, without looking at each of its bytes: answers are many, and hardly
// any has a secret. It looks at the last two bytes of a window as wide as the shortest word, which tell how far the next window
// may be (S. Wu, U. Manber: A Fast Algorithm for Multi-Pattern Searching, 1994). A nil one finds nothing.
type finder struct {
	words []string
	width int            // of the shortest word
	skip  [1 << 12]uint8 // by the hash of two bytes; zero: a word may end its first part here
}

func newFinder(words []string) *finder {
	const longest = 255 // of a skip
	f := &finder{words: words}
	for i, word := range words {
		if i == 0 || len(word) < f.width {
			f.width = len(word)
		}
	}
	f.width = min(f.width, longest)
	if f.width < 2 {
		return f
	}
	for i := range f.skip {
		f.skip[i] = uint8(f.width - 1)
	}
	for _, word := range words {
		for end := 1; end < f.width; end++ {
			at := &f.skip[pair(word[end-1], word[end])]
			*at = min(*at, uint8(f.width-1-end))
		}
	}
	return f
}

func pair(a, b byte) int { return (int(a)<<5 ^ int(b)) & (1<<12 - 1) }

// holds says whether a text has one of the words.
func holds[T string | []byte](f *finder, text T) bool {
	switch {
	case f == nil:
		return false
	case f.width < 2:
		for _, word := range f.words {
			if strings.Contains(string(text), word) {
				return true
			}
		}
		return false
	}
	for end := f.width - 1; end < len(text); {
		skip := f.skip[pair(text[end-1], text[end])]
		if skip > 0 {
			end += int(skip)
			continue
		}
		rest := text[end-f.width+1:]
		for _, word := range f.words {
			if len(word) <= len(rest) && string(rest[:len(word)]) == word {
				return true
			}
		}
		end++
	}
	return false
}
