//go:build !linux

package app

// keepMemory does nothing: Go writes no core file unless GOTRACEBACK=crash asks for one, and what these systems offer beyond
// that would be passed on to the programs that this one starts.
func keepMemory(bool) {}
