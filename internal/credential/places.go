package credential

import (
	"path/filepath"

	"github.com/payctl/payctl/internal/safefile"
)

// What this package keeps in the state folder.
const (
	fileName = "credentials.json"
	lockName = "credentials.lock"
	// tempName is one fixed name: its only user holds the lock, and so the next one, to
	// log out too, can take away what a killed process left, which holds secrets.
	tempName = "credentials.json.tmp"

	keyringLockName = "keyring.lock"
	ownersName      = "owners"
	turnsName       = "turns"
)

// Places are the state folder dir and what this package keeps in it, with what it asks of each.
func Places(dir string) []safefile.Place {
	var places []safefile.Place
	for _, path := range []string{dir, filepath.Join(dir, ownersName), filepath.Join(dir, turnsName)} {
		places = append(places, safefile.Place{Path: path, Folder: true, Check: func() error { return safefile.Folder(path) }})
	}
	for _, name := range []string{fileName, lockName, keyringLockName} {
		path := filepath.Join(dir, name)
		places = append(places, safefile.Place{Path: path, Check: func() error { return safefile.File(path, safefile.Anybody, again) }})
	}
	return places
}
