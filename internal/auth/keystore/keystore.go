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
	Profile string // as the configuration spells it
	Origin  string // scheme://host:port, the port always given
}

// String describes the key for messages.
func (k Key) String() string { return fmt.Sprintf("profile %q at %s", k.Profile, k.Origin) }

// name is the name under which the login of k is stored. Capital letters are escaped, since the Credential Manager of
// Windows ignores case: two keys never share a name.
func (k Key) name() string {
	var b strings.Builder
	for _, c := range []byte(k.Profile) {
		if c >= 'A' && c <= 'Z' || c == '%' || c == '@' {
			fmt.Fprintf(&b, "%%%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String() + "@" + k.Origin
}

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
	// Lock locks the login of k against other processes until release is called. A process that renews a login locks it
	// first: of several processes one renews, and the others find the login that it stored. A lock that cannot be had
	// within ten seconds is done without.
	Lock(ctx context.Context, k Key) (release func())
}

// Open returns the store of that kind, KindKeyring or KindFile. The file store keeps its file in the folder dir, and
// both stores their locks. Nothing is opened yet. Any other kind is ErrKind.
func Open(kind, dir string) (Store, error) {
	switch kind {
	case KindKeyring:
		return &keyringStore{locks: locks{dir}, timeout: KeyringTimeout}, nil
	case KindFile:
		return &fileStore{locks{dir}}, nil
	}
	return nil, &Error{Op: "be used for the login", Store: kind, Err: ErrKind}
}

// OpenAll returns the stores of all kinds, the one of the first kind first, as [Open] makes them.
func OpenAll(first, dir string) ([]Store, error) {
	other := KindFile
	if first == KindFile {
		other = KindKeyring
	}
	store, err := Open(first, dir)
	if err != nil {
		return nil, err
	}
	another, err := Open(other, dir)
	return []Store{store, another}, err
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

// locks are the locks of logins, in the folder dir.
type locks struct{ dir string }

// Lock implements Store. The name of its file does not reveal profile and origin.
func (l locks) Lock(ctx context.Context, k Key) (release func()) {
	sum := sha256.Sum256([]byte(k.name()))
	dir := filepath.Join(l.dir, locksFolder)
	if securefile.MakeFolder(l.dir) == nil && securefile.MakeFolder(dir) == nil {
		if release, err := securefile.Lock(ctx, filepath.Join(dir, hex.EncodeToString(sum[:16])), lockTimeout); err == nil {
			return release
		}
	}
	return func() {}
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
