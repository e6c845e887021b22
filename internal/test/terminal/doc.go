// Package terminal is a terminal for tests of full-screen programs: a pseudo-terminal, or a pseudo console of Windows,
// with an emulator that knows what a user would see.
package terminal
