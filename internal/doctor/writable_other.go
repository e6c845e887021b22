//go:build !unix

package doctor

// unwritable is empty: access lists are not looked at.
func unwritable(string) string { return "" }
