// Package pattern compiles regular expressions at their first use. Most commands need none.
package pattern

import (
	"regexp"
	"sync"
)

var compiled sync.Map // by the text

// Of returns the regular expression of a text, which must be valid.
func Of(text string) *regexp.Regexp {
	if known, ok := compiled.Load(text); ok {
		return known.(*regexp.Regexp)
	}
	made, _ := compiled.LoadOrStore(text, regexp.MustCompile(text))
	return made.(*regexp.Regexp)
}
