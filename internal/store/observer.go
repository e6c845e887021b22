package store

import "time"

// An Observer is told what happens in a store, for metrics. Its methods return at once, and are called from many
// goroutines.
type Observer interface {
	// Committed is called after each commit, with how long the database took to confirm it, and how many updates it had.
	Committed(took time.Duration, updates int)
}

// An ObservableStore is a Store that tells what happens in it. A store in memory has nothing to tell.
type ObservableStore interface {
	Store
	// SetObserver is called before anything else.
	SetObserver(Observer)
	// Stats describes the store at this moment.
	Stats() Stats
}

// Stats describe a store at a moment.
type Stats struct {
	// MaxConnections is the most connections to the database; zero if it needs none. InUse and Idle are those that there
	// are, and Waiting is how many callers wait for one.
	MaxConnections, InUse, Idle, Waiting int
	// WatchLag is how long ago the store last learnt whether other processes have changed a world that is watched; zero if
	// none is watched.
	WatchLag time.Duration
}
