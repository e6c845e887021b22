package store

import (
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// WorldID is the identifier of the one record of Worlds.
const WorldID = "world"

// A World is the record that a world keeps about itself.
type World struct {
	// Instance names the current life of the world's data. A reset or a restore begins a new instance.
	Instance string
	// Number counts the instances.
	Number int
	// Generation selects the random stream of the world's identifiers.
	Generation int
	Clock      Clock
	// Version counts the changes of this record by all processes.
	Version int
	At      time.Time // when this instance began, by its clock
	// Faults are tried in order. Their Times count down.
	Faults []payments.SandboxFault
}

// A Clock is the state of a world's clock. It showed Shown when the machine's clock showed Since.
type Clock struct {
	Mode         payments.ClockMode
	Scale        int // seconds that it runs in one second
	Shown, Since time.Time
}

// DocumentID implements Document.
func (*World) DocumentID() string { return WorldID }

// Indexed implements Document.
func (*World) Indexed(string) string { return "" }

// DueAt implements Document.
func (*World) DueAt() time.Time { return time.Time{} }
