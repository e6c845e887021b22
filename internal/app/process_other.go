//go:build !linux

package app

// protectMemory does nothing: Go writes no core file unless GOTRACEBACK=crash asks for one, and the other protections
// of these systems would be inherited by the programs that this one starts.
func protectMemory() {}

// hidePasswords does nothing: other systems keep copies of the arguments.
func hidePasswords() {}
