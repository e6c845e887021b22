package store

import "time"

// An Observer is told what happens in a store, for metrics. Its methods return at once, and are called from many
// goroutines.
type Observer interface {
	// Committed is called after each commit, with how long the database took to write it, and how many updates it had.
	Committed(took time.Duration, updates int)
}

// An ObservableStore is a Store that tells what happens in it. A store in memory has nothing to tell.
type ObservableStore interface {
	Store
	// SetObserver names the observer of all commits from now on.
	SetObserver(Observer)
	// Stats describes the store at this moment.
	Stats() Stats
}

// Stats describe a store at a moment.
type Stats struct {
	Connections ConnectionStats
	// WatchLag is how long ago the store last learnt whether other processes have changed a world that is watched; zero if
	// none is watched.
	WatchLag time.Duration
}

// ConnectionStats describe the connections to a database.
type ConnectionStats struct {
	// Max is the most connections that there may be; zero if the database needs none.
	Max int
	// InUse and Idle are the connections that there are.
	InUse, Idle int
	// Waits counts how often a connection was asked for and none was idle, Waited is how long these took altogether.
	Waits  int64
	Waited time.Duration
}
