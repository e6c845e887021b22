package store

import (
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// WorldID is the identifier of the one record of Worlds.
const WorldID = "world"

// A World is what a world knows about itself.
type World struct {
	// Instance identifies this life of the world.
	Instance string
	// Life counts the lives: resets and restores begin a new one.
	Life int
	// Generation tells apart the streams of randomness that the world's identifiers are drawn from.
	Generation int
	Clock      Clock
	// Version counts the changes of this record, whichever process made them.
	Version int
	At      time.Time // when the world was first entered, by its clock
}

// A Clock is how a world's clock runs: it showed Shown when the machine's clock showed Since.
type Clock struct {
	Mode         payments.ClockMode
	Scale        int // seconds that it runs in one second
	Shown, Since time.Time
}

// RecordID implements Record.
func (*World) RecordID() string { return WorldID }

// Created implements Record.
func (w *World) Created() time.Time { return w.At }

// Indexed implements Record.
func (*World) Indexed(string) string { return "" }
