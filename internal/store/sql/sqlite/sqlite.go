// Package sqlite keeps worlds in a folder, in a database of SQLite translated to Go. What an update wrote is on the
// disk when it returns. Several processes may use one folder at the same time.
//
// What was committed is at first only in SQLite's write-ahead log. checkpoint.go copies it into the database soon.
// SQLite drops what follows the first damaged frame of a log without a word, and all if the log is gone. So each commit
// counts itself in the database (progress.go) and, outside of it, in a state file (state.go). The first process to open
// a folder compares both and reads the log (wal.go) before SQLite does; loss.go decides whether anything is missing.
package sqlite

import storesql "github.com/payctl/payctl/internal/store/sql"

// Store is a store.Store in a folder.
type Store struct {
	*storesql.Store
	db *folderDB
}
