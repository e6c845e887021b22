// Package keystore stores logins between two runs of the program: in the keyring of the operating system, or in a file
// that only its owner can read.
//
// A login is stored for one profile at one origin and is returned for nothing else. Every method fails with an
// [*Error], which matches one of the Err… values of this package where one of them fits, and whose Next method returns
// what the user can do.
package keystore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/securefile"
)

// The kinds of store that [Open] knows.
const (
	KindKeyring = "keyring"
	KindFile    = "file"
)

// Key names one stored login: a profile at one origin.
type Key struct {
	// Profile is the profile's name, as the configuration spells it.
	Profile string
	// Origin is scheme://host:port, the port always given (RFC 6454, section 6.2, but with default ports spelled out).
	Origin string
}

// String describes the key for messages.
func (k Key) String() string { return fmt.Sprintf("profile %q at %s", k.Profile, k.Origin) }

// fileName is the name of a file about the login of k that does not reveal profile and origin.
func (k Key) fileName() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q", k.Profile, k.Origin))
	return hex.EncodeToString(sum[:16])
}

// Kinds lists the kinds of store, the default first.
func Kinds() []string { return []string{KindKeyring, KindFile} }

// Store stores logins. Its methods return when their context ends, even if the service behind them hangs, and may be
// called from several goroutines.
type Store interface {
	// Name is KindKeyring or KindFile.
	Name() string
	// Get returns the login of k. It returns ErrNotFound when there is none, and ErrCorrupt when what is stored cannot
	// be read or belongs to another origin.
	Get(ctx context.Context, k Key) (Login, error)
	// Set stores l for k and replaces the login that was stored before. An empty l.Origin becomes k.Origin; any other
	// origin that differs from it is refused with ErrOrigin. After ErrTimeout, or when ctx ends, the login may have
	// been stored all the same.
	Set(ctx context.Context, k Key, l Login) error
	// Delete removes the login of k, and returns ErrNotFound when there is none.
	Delete(ctx context.Context, k Key) error
}

// A Locker is a store whose logins can be locked against other processes.
type Locker interface {
	// Lock locks the login of k until release is called. A process that renews a login locks it first: of several
	// processes one renews, and the others find the login that it stored. It waits for another process for at most ten
	// seconds. After an error the login may be used all the same.
	Lock(ctx context.Context, k Key) (release func(), err error)
}

// LockLogin locks the login of k if the store is a [Locker] and the lock can be had. release is never nil.
func LockLogin(ctx context.Context, store Store, k Key) (release func()) {
	if locker, ok := store.(Locker); ok {
		if release, err := locker.Lock(ctx, k); err == nil {
			return release
		}
	}
	return func() {}
}

// Open returns the store of that kind, KindKeyring or KindFile. The file store keeps its file in the folder dir, and
// both stores their locks. Nothing is opened yet. Any other kind is ErrKind.
func Open(kind, dir string) (Store, error) {
	switch kind {
	case KindKeyring:
		return NewKeyring(dir, KeyringTimeout), nil
	case KindFile:
		return NewFile(dir), nil
	}
	return nil, &Error{
		Op: "open", Store: kind, Kind: ErrKind,
		next: "pass --credential-store " + strings.Join(Kinds(), " or "),
	}
}

// OpenAll returns the stores of all kinds, the one of the first kind first, as [Open] makes them.
func OpenAll(first, dir string) ([]Store, error) {
	kinds := slices.DeleteFunc(Kinds(), func(kind string) bool { return kind == first })
	var all []Store
	for _, kind := range append([]string{first}, kinds...) {
		store, err := Open(kind, dir)
		if err != nil {
			return nil, err
		}
		all = append(all, store)
	}
	return all, nil
}

// What this package keeps in the state folder.
const (
	fileName    = "credentials.json"
	lockName    = "credentials.lock"
	locksFolder = "turns" // a lock file for each login
)

// lockTimeout is how long a process waits for another one's lock: longer than a renewal takes.
const lockTimeout = 10 * time.Second

// logInAgain is the next step after a file that is not a regular one has been removed.
const logInAgain = "log in again"

// lockLogin locks the login of k by a file below the folder dir.
func lockLogin(ctx context.Context, dir string, k Key) (release func(), err error) {
	if err := securefile.MakeFolder(dir); err != nil {
		return nil, err
	}
	dir = filepath.Join(dir, locksFolder)
	if err := securefile.MakeFolder(dir); err != nil {
		return nil, err
	}
	return securefile.Lock(ctx, filepath.Join(dir, k.fileName()), lockTimeout)
}

// Places lists the state folder dir and what this package keeps in it, each with its check.
func Places(dir string) []securefile.Place {
	var places []securefile.Place
	for _, path := range []string{dir, filepath.Join(dir, locksFolder)} {
		check := func() error { return securefile.CheckFolder(path) }
		places = append(places, securefile.Place{Path: path, Folder: true, Check: check})
	}
	for _, name := range []string{fileName, lockName} {
		path := filepath.Join(dir, name)
		check := func() error { return securefile.CheckFile(path, securefile.GroupAndOthers, logInAgain) }
		places = append(places, securefile.Place{Path: path, Check: check})
	}
	return places
}
