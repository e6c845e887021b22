package completion

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/ui"
)

const (
	cacheLife  = 30 * time.Second
	cacheBytes = 64 << 10
	cacheFiles = 64
)

// A cache keeps the candidates of one kind for one identity (a profile, an origin and a client) for a short time, in a file
// that its owner alone can read.
type cache struct {
	dir  string
	path string
	now  time.Time
}

// kept is what the file holds.
type kept struct {
	At         time.Time   `json:"at"`
	Candidates []Candidate `json:"candidates"`
}

func newCache(state string, now time.Time, identity, kind string) *cache {
	dir := filepath.Join(state, "completion")
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q", identity, kind))
	return &cache{dir: dir, path: filepath.Join(dir, hex.EncodeToString(sum[:16])+".json"), now: now}
}

// read returns the stored candidates, unless they are old, unreadable or stored by another user.
func (c *cache) read() ([]Candidate, bool) {
	text, err := securefile.Read(c.path, cacheBytes, securefile.GroupAndOthersWrite, "")
	if err != nil || len(text) > cacheBytes {
		return nil, false
	}
	var found kept
	if err := json.Unmarshal(text, &found); err != nil || !c.isFresh(found.At) {
		return nil, false
	}
	return slices.DeleteFunc(found.Candidates, func(c Candidate) bool {
		return !isWord(c.Value) && !isLabel(strings.TrimSuffix(c.Value, "=")) || ui.Sanitize(c.Description) != c.Description
	}), true
}

// isFresh reports whether an entry of a time is still valid. A clock that was set back does not extend its validity.
func (c *cache) isFresh(at time.Time) bool {
	age := c.now.Sub(at)
	return age >= 0 && age < cacheLife
}

// write replaces what is kept in one step. Nothing depends on its success.
func (c *cache) write(found []Candidate) {
	text, err := json.Marshal(kept{c.now, found})
	if err != nil || len(text) > cacheBytes || securefile.MakeFolder(c.dir) != nil {
		return
	}
	c.sweep()
	_ = securefile.WriteVolatile(c.path, text)
}

// sweep removes what is too old to be read, and everything where there is too much: the folder stays small, whatever dies
// on the way.
func (c *cache) sweep() {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		info, err := entry.Info()
		ours := strings.HasSuffix(entry.Name(), ".json") || strings.HasPrefix(entry.Name(), ".new-")
		if err == nil && ours && info.Mode().IsRegular() && (len(entries) > cacheFiles || !c.isFresh(info.ModTime()) && !info.ModTime().After(c.now)) {
			_ = os.Remove(filepath.Join(c.dir, entry.Name()))
		}
	}
}
