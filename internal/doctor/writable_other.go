//go:build !unix

package doctor

// unwritable is always empty: access lists are not checked.
func unwritable(string) string { return "" }
