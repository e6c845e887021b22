package forward

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/plaintext"
	"github.com/payctl/payctl/internal/securefile"
)

// A Place is a file with the cursor at which to go on. While one of a name is open no other process can open it.
type Place struct {
	Path string
	Owner

	unlock  func()
	mu      sync.Mutex
	cursor  string
	pending *time.Timer // of the next save; nil: everything is saved
	failure error       // of a save by the timer
}

// An Owner is whose place it is: a name at a profile and its origin, or a client of the reference service.
type Owner struct {
	Name    string `json:"name,omitempty"`
	Profile string `json:"profile,omitempty"`
	Origin  string `json:"origin,omitempty"`
	Client  string `json:"client,omitempty"`
}

// stored is what the file holds. All but the cursor and the client are there for people who read it.
type stored struct {
	Owner
	Cursor string `json:"cursor"`
}

const (
	// saveInterval is the time between two saves of places that need not be kept at once.
	saveInterval = 100 * time.Millisecond
	// openWait is how long to wait for another process that has the place: longer than a killed one takes to end.
	openWait = 2 * time.Second
	// maxPlace bounds the file, in bytes: a cursor is no longer than a header field.
	maxPlace = 64 << 10
	// anew is how to go on where a place cannot be used.
	anew = "remove the file to begin anew"
)

// ErrNotSaved is matched by the errors of a place that could not be written.
var ErrNotSaved = errors.New("the place cannot be remembered")

// OpenPlace opens an owner's place in a folder, which is created. The file is created when a cursor is saved.
func OpenPlace(ctx context.Context, folder string, owner Owner) (*Place, error) {
	key := sha256.Sum256(fmt.Appendf(nil, "%q", []string{owner.Profile, owner.Origin, owner.Name, owner.Client}))
	p := &Place{Path: filepath.Join(folder, hex.EncodeToString(key[:8])+".json"), Owner: owner}
	err := securefile.CheckFolder(folder)
	if errors.Is(err, fs.ErrNotExist) {
		err = securefile.MakeFolder(folder)
	}
	if _, unsafe := errors.AsType[*securefile.Error](err); err != nil && !unsafe {
		return nil, fmt.Errorf("%w: %w", ErrNotSaved, err)
	}
	p.unlock = func() {}
	if err == nil && owner.Client == "" { // a client's is in the folder of a service that has a lock of its own
		p.unlock, err = securefile.Lock(ctx, p.Path+".lock", openWait)
	}
	if err != nil {
		return nil, err
	}
	found, err := readPlace(p.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.unlock()
		return nil, err
	}
	p.cursor = found.Cursor
	return p, nil
}

// Clients returns the clients that have places in a folder.
func Clients(folder string) (clients []string, err error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	for _, path := range paths {
		found, err := readPlace(path)
		if err != nil {
			return nil, err
		}
		clients = append(clients, found.Client)
	}
	return clients, err
}

func readPlace(path string) (found stored, err error) {
	text, err := securefile.Read(path, maxPlace, securefile.GroupAndOthersWrite, anew)
	if err != nil {
		return found, err
	}
	if err := json.Unmarshal(plaintext.Bytes(text), &found); err != nil || found.Cursor == "" {
		return found, &securefile.Error{Reason: path + " has no cursor to resume from", Next: anew}
	}
	return found, nil
}

// Cursor is where to go on; empty if nothing was saved yet.
func (p *Place) Cursor() string { return p.cursor }

// Move changes the cursor. With now it is on the disk when Move returns, otherwise soon after: each save waits for the
// disk. The error may be that of an earlier save.
func (p *Place) Move(cursor string, now bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cursor = cursor
	switch {
	case p.failure != nil:
	case now:
		p.save()
	case p.pending == nil:
		p.pending = time.AfterFunc(saveInterval, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.pending != nil {
				p.save()
			}
		})
	}
	return p.failure
}

// Close saves what is not saved yet, and lets other processes open the place.
func (p *Place) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pending != nil && p.failure == nil {
		p.save()
	}
	p.unlock()
	return p.failure
}

// save replaces the file. A power cut leaves either the old cursor or the new one.
func (p *Place) save() {
	if p.pending != nil {
		p.pending.Stop()
		p.pending = nil
	}
	text, err := json.Marshal(stored{p.Owner, p.cursor}, jsontext.WithIndent("  "))
	if err == nil {
		err = securefile.Write(p.Path, append(text, '\n'))
	}
	if err != nil {
		p.failure = fmt.Errorf("%w: %w", ErrNotSaved, err)
	}
}
