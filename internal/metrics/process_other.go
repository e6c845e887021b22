//go:build !linux

package metrics

// residentBytes is not known: these systems tell it only by libraries of their own.
func residentBytes() (float64, bool) { return 0, false }

// openFiles is not known, likewise.
func openFiles() (float64, bool) { return 0, false }
