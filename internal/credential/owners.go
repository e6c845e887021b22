package credential

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/payctl/payctl/internal/safefile"
)

// An Owned store knows, without being unlocked, whose logins it may hold.
type Owned interface {
	// MayHold says whether the login of k may be that client's. A store that did not store it itself, or could not keep
	// a note of it, says no.
	MayHold(k Key, clientID string) bool
	// Stored says whether a login of k was stored, and not deleted since.
	Stored(k Key) bool
}

// maxNote is the most bytes of a note that are read; no client id is longer.
const maxNote = 8 << 10

// noted is a store that keeps a note, in a folder beside it, of which client each login belongs to. A note is no secret and
// no promise: whoever gets a login has to look whose it is. It only spares asking a keyring, which may have to be unlocked
// by a person or may not answer, for what it cannot hold.
//
// Processes that share the folder change the keyring one after the other: of two that stored a login at once, one would read
// back what the other stored.
type noted struct {
	Store
	dir string // the notes are in owners below
}

// Set implements Store. That a note cannot be kept is no reason to fail: the login is stored, and then asked for less often.
func (n *noted) Set(ctx context.Context, k Key, l Login) error {
	ctx, cancel := context.WithTimeoutCause(ctx, KeyringTimeout, ErrTimeout)
	defer cancel()
	unlock, err := n.lock(ctx)
	if err != nil {
		return explain("set", k, err, false)
	}
	defer unlock()
	if err := n.Store.Set(ctx, k, l); err != nil {
		return err
	}
	_ = n.write(k, l.ClientID)
	return nil
}

// lock keeps other processes from changing the keyring. Where no lock can be made, there is none: the keyring holds its own.
func (n *noted) lock(ctx context.Context) (unlock func(), err error) {
	if err := ensureFolder(n.dir); err != nil {
		return func() {}, nil //nolint:nilerr // said above
	}
	unlock, err = lockFile(ctx, filepath.Join(n.dir, keyringLockName), KeyringTimeout)
	if err != nil && ctx.Err() == nil && !isTimeout(err) {
		return func() {}, nil
	}
	return unlock, err
}

func isTimeout(err error) bool {
	known, ok := errors.AsType[*kinded](err)
	return ok && errors.Is(known.kind, ErrTimeout)
}

// Delete implements Store.
func (n *noted) Delete(ctx context.Context, k Key) error {
	err := n.Store.Delete(ctx, k)
	if err == nil || errors.Is(err, ErrNotFound) {
		_ = os.Remove(n.path(k))
	}
	return err
}

// Turn implements Sharer.
func (n *noted) Turn(ctx context.Context, k Key) (func(), error) { return turn(ctx, n.dir, k) }

// MayHold implements Owned.
func (n *noted) MayHold(k Key, clientID string) bool {
	note, err := safefile.Read(n.path(k), maxNote, safefile.Writers, again)
	return err == nil && string(note) == clientID
}

// Stored implements Owned.
func (n *noted) Stored(k Key) bool {
	_, err := os.Lstat(n.path(k))
	return err == nil
}

// path is the file of a login's note.
func (n *noted) path(k Key) string { return filepath.Join(n.dir, ownersName, hidden(k)) }

func (n *noted) write(k Key, clientID string) error {
	if err := ensureFolder(n.dir); err != nil {
		return err
	}
	folder := filepath.Dir(n.path(k))
	if err := ensureFolder(folder); err != nil {
		return err
	}
	return safefile.Write(n.path(k), []byte(clientID))
}
