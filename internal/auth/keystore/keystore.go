// Package keystore stores logins, in the keyring of the operating system or in a file that only its owner can read.
//
// A login is stored for one profile at one origin and is returned only for these. Every method fails with an [*Error].
// It matches an Err… value of this package if one fits. Its Next method returns the next step for the user.
package keystore

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/payctl/payctl/internal/securefile"
)

// The kinds of store.
const (
	KeyringStore = "keyring"
	FileStore    = "file"
)

// Key names one stored login: a profile at one origin.
type Key struct {
	Profile string // as the configuration spells it
	Origin  string // scheme://host:port, the port always given
}

// String describes the key for messages.
func (k Key) String() string { return fmt.Sprintf("profile %q at %s", k.Profile, k.Origin) }

// name is the name of the stored login. An origin has no @, so two keys never share a name.
func (k Key) name() string { return k.Profile + "@" + k.Origin }

// Store stores logins. Its methods return when their context ends, even if the keyring hangs. Several goroutines may
// call them.
type Store interface {
	// Name is KeyringStore or FileStore.
	Name() string
	// Get returns the login of k. The error is ErrNotFound if there is none, and ErrCorrupt if the stored data is not a
	// login or belongs to another origin.
	Get(ctx context.Context, k Key) (Login, error)
	// Set stores l for k and replaces the previous login. An empty l.Origin becomes k.Origin; any other origin is an
	// error. After ErrTimeout, or when ctx ends, the login may have been stored nevertheless.
	Set(ctx context.Context, k Key, l Login) error
	// Delete removes the login of k. The error is ErrNotFound if there is none.
	Delete(ctx context.Context, k Key) error
	// Lock keeps other processes from renewing a login until release is called. They then find the login that this
	// process has stored. After ten seconds without the lock, Lock returns without it.
	Lock(ctx context.Context) (release func())
}

// Open returns both stores, the one that first names (KeyringStore or FileStore) at index 0. The folder dir has the
// file of the file store and the locks of both stores. Open does not access anything yet.
func Open(first, dir string) []Store {
	ring, file := &keyringStore{folder{dir}, KeyringTimeout}, &fileStore{folder{dir}}
	if first == FileStore {
		return []Store{file, ring}
	}
	return []Store{ring, file}
}

// Files in the state folder.
const (
	fileName    = "credentials.json"
	lockName    = "credentials.lock" // locked while the file changes
	renewalName = "renewal.lock"     // locked while a process renews a login
)

// lockTimeout is how long a process waits for a lock. A renewal takes less time.
const lockTimeout = 10 * time.Second

// A folder is the state folder.
type folder struct{ dir string }

// Lock implements Store.
func (f folder) Lock(ctx context.Context) (release func()) {
	if securefile.MakeFolder(f.dir) == nil {
		if release, err := securefile.Lock(ctx, filepath.Join(f.dir, renewalName), lockTimeout); err == nil {
			return release
		}
	}
	return func() {}
}

// FileRules are the rules for the state folder dir and the files of this package in it.
func FileRules(dir string) []securefile.FileRule {
	rules := []securefile.FileRule{securefile.RuleForFolder(dir, false)}
	for _, name := range []string{fileName, lockName, renewalName} {
		rules = append(rules, securefile.RuleForFile(filepath.Join(dir, name)))
	}
	return rules
}
