// Package shell writes words of command lines, for people to copy.
package shell

import "strings"

// Quote returns text as one word of a POSIX shell (XCU section 2.2.2), and of fish: as it stands where no character of it
// is special, else in single quotes.
func Quote(text string) string {
	// zsh and fish expand these at the beginning of a word.
	expands := strings.HasPrefix(text, "=") || strings.HasPrefix(text, "%")
	if text != "" && !expands && !strings.ContainsFunc(text, isSpecial) {
		return text
	}
	// A backslash has no meaning between single quotes, except in fish before a quote or another backslash.
	return "'" + strings.NewReplacer(`'`, `'\''`, `\`, `'\\'`).Replace(text) + "'"
}

func isSpecial(c rune) bool {
	letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	return !letter && (c < '0' || c > '9') && !strings.ContainsRune("-_./:,%+@=", c)
}
