//go:build !linux

package app

// protectMemory does nothing: Go writes core files only with GOTRACEBACK=crash. Child processes would inherit the other
// protections of these systems.
func protectMemory() {}

// hidePasswords does nothing: other systems keep copies of the arguments.
func hidePasswords() {}
