// Package keystore stores logins between two runs of the program: in the keyring of the operating system, or in a file
// that only its owner can read.
//
// A login is stored for one profile at one origin and is returned for nothing else. Every method fails with an
// [*Error], which matches one of the Err… values of this package where one of them fits, and whose Next method returns
// what the user can do.
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
	KindKeyring = "keyring"
	KindFile    = "file"
)

// Key names one stored login: a profile at one origin.
type Key struct {
	Profile string // as the configuration spells it
	Origin  string // scheme://host:port, the port always given
}

// String describes the key for messages.
func (k Key) String() string { return fmt.Sprintf("profile %q at %s", k.Profile, k.Origin) }

// name is the name under which the login of k is stored. No origin has an @, so that two keys never share a name.
func (k Key) name() string { return k.Profile + "@" + k.Origin }

// Store stores logins. Its methods return when their context ends, even if the service behind them hangs, and may be
// called from several goroutines.
type Store interface {
	// Name is KindKeyring or KindFile.
	Name() string
	// Get returns the login of k. It returns ErrNotFound when there is none, and ErrCorrupt when what is stored cannot
	// be read or belongs to another origin.
	Get(ctx context.Context, k Key) (Login, error)
	// Set stores l for k and replaces the login that was stored before. An empty l.Origin becomes k.Origin; any other
	// origin is an error. After ErrTimeout, or when ctx ends, the login may have been stored all the same.
	Set(ctx context.Context, k Key, l Login) error
	// Delete removes the login of k, and returns ErrNotFound when there is none.
	Delete(ctx context.Context, k Key) error
	// Lock keeps other processes from renewing a login until release is called: of several processes one renews, and the
	// others find the login that it stored. A lock that cannot be had within ten seconds is done without.
	Lock(ctx context.Context) (release func())
}

// Open returns the stores, the one of a kind (KindKeyring or KindFile) first. The file store keeps its file in the folder
// dir, and both stores their lock. Nothing is opened yet.
func Open(first, dir string) []Store {
	ring, file := &keyringStore{folder{dir}, KeyringTimeout}, &fileStore{folder{dir}}
	if first == KindFile {
		return []Store{file, ring}
	}
	return []Store{ring, file}
}

// What this package keeps in the state folder.
const (
	fileName    = "credentials.json"
	lockName    = "credentials.lock" // is held while the file changes
	renewalName = "renewal.lock"     // is held while a process renews a login
)

// lockTimeout is how long a process waits for another one's lock: longer than a renewal takes.
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
