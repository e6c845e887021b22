//go:build linux && race

package app

// raced says that the race detector watches, which takes memory of its own for every byte.
const raced = true
