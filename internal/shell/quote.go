// Package shell writes words of POSIX shell command lines, for people to copy.
package shell

import "strings"

// Quote returns text as one word of a POSIX shell (XCU section 2.2.2): as it stands where no character of it is special, else in
// single quotes.
func Quote(text string) string {
	special := func(c rune) bool {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		return !letter && (c < '0' || c > '9') && !strings.ContainsRune("-_./:,%+@", c)
	}
	if text != "" && !strings.ContainsFunc(text, special) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
