package ui

import "strconv"

// Thousands formats a number that is not negative with commas between its thousands, such as 12,345.
func Thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
