//go:build !windows

package profile

// systemEditor is the editor that every system has: there is none.
const systemEditor = ""
