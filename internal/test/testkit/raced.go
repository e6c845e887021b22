//go:build race

package testkit

// Raced says that the race detector watches, which takes many times the memory and the time.
const Raced = true
