// Package terminal is a terminal for tests of full-screen programs: a pseudo-terminal, with an emulator that knows what
// a user would see. Windows has none.
package terminal
