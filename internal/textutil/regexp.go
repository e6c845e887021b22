package textutil

import (
	"regexp"
	"sync"
)

var compiled sync.Map // by the text

// Regexp returns the regular expression with a text, which must be valid. It compiles each one once.
func Regexp(text string) *regexp.Regexp {
	if known, ok := compiled.Load(text); ok {
		return known.(*regexp.Regexp)
	}
	made, _ := compiled.LoadOrStore(text, regexp.MustCompile(text))
	return made.(*regexp.Regexp)
}
