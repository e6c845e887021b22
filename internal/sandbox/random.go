package sandbox

import (
	"crypto/rand"
	"io"
)

// What randomness is drawn for.
const (
	purposeIDs      = "identifiers"
	purposeInstance = "instance"
)

// random is a source of randomness for one purpose of one world.
func (ws *Worlds) random(string, string, int) io.Reader { return rand.Reader }

// instance names one life of a world.
func (ws *Worlds) instance(string, int) string { return "wld_" + rand.Text() }
