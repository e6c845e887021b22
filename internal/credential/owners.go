package credential

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// An Owned store knows, without being unlocked, whose logins it may hold.
type Owned interface {
	// MayHold says whether the login of k may be that client's. A store that did not store it itself, or could not keep
	// a note of it, says no.
	MayHold(k Key, clientID string) bool
}

// maxNote is the most bytes of a note that are read; no client id is longer.
const maxNote = 8 << 10

// noted is a store that keeps a note, in a folder beside it, of which client each login belongs to. A note is no secret and
// no promise: whoever gets a login has to look whose it is. It only spares asking a keyring, which may have to be unlocked
// by a person or may not answer, for what it cannot hold.
type noted struct {
	Store
	dir string
}

// Set implements Store. That a note cannot be kept is no reason to fail: the login is stored, and then asked for less often.
func (n *noted) Set(ctx context.Context, k Key, l Login) error {
	if err := n.Store.Set(ctx, k, l); err != nil {
		return err
	}
	_ = n.write(k, l.ClientID)
	return nil
}

// Delete implements Store.
func (n *noted) Delete(ctx context.Context, k Key) error {
	err := n.Store.Delete(ctx, k)
	if err == nil || errors.Is(err, ErrNotFound) {
		_ = os.Remove(n.path(k))
	}
	return err
}

// MayHold implements Owned.
func (n *noted) MayHold(k Key, clientID string) bool {
	file, err := os.Open(n.path(k))
	if err != nil {
		return false
	}
	defer file.Close()
	note, err := io.ReadAll(io.LimitReader(file, maxNote))
	return err == nil && string(note) == clientID
}

// path is the file of a login's note. Its name tells nobody which services there are.
func (n *noted) path(k Key) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q", k.Profile, k.Origin))
	return filepath.Join(n.dir, hex.EncodeToString(sum[:16]))
}

func (n *noted) write(k Key, clientID string) error {
	if err := os.MkdirAll(n.dir, 0o700); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(n.dir, ".note-*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = temporary.WriteString(clientID)
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), n.path(k))
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return nil
}
