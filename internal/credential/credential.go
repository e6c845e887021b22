// Package credential keeps logins between two runs of the program: in the keyring of
// the operating system, or in a file that only its owner can read.
//
// A login is stored for one profile at one origin and is handed out for nothing else.
// Every failure is an [*Error]: it wraps one of the Err… values of this package where
// one of them fits, and its Next method says what the user can do.
package credential

import (
	"context"
	"fmt"
	"strings"
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
	// Origin is scheme://host:port, the port always given (RFC 6454, section 6.2,
	// but with default ports spelled out).
	Origin string
}

// String describes the key for messages.
func (k Key) String() string { return fmt.Sprintf("profile %q at %s", k.Profile, k.Origin) }

// Kinds lists the kinds of store, the one that is used unless another is asked for first.
func Kinds() []string { return []string{KindKeyring, KindFile} }

// Store keeps logins. Its methods end with their context, whatever the service behind
// them does, and may be called from several goroutines.
type Store interface {
	// Name is KindKeyring or KindFile.
	Name() string
	// Get returns the login of k, ErrNotFound when there is none, and ErrCorrupt when
	// what is stored cannot be read or belongs to another origin.
	Get(ctx context.Context, k Key) (Login, error)
	// Set stores l for k in place of what was there. An empty l.Origin becomes
	// k.Origin; any other that differs from it is refused with ErrOrigin. On
	// ErrTimeout, or when ctx ends, it may still have been stored.
	Set(ctx context.Context, k Key, l Login) error
	// Delete removes the login of k; deleting what is not there is ErrNotFound.
	Delete(ctx context.Context, k Key) error
}

// Open returns the store of that kind, KindKeyring or KindFile. In the folder dir the file store
// keeps its file, and the keyring, which is [Owned], its notes. Nothing is opened yet; any other kind is ErrKind.
func Open(kind, dir string) (Store, error) {
	switch kind {
	case KindKeyring:
		return &noted{NewKeyring(KeyringTimeout), dir}, nil
	case KindFile:
		return NewFile(dir), nil
	}
	return nil, &Error{
		Op: "open", Store: kind, Kind: ErrKind,
		next: fmt.Sprintf("pass --credential-store %s", strings.Join(Kinds(), " or ")),
	}
}
