package events

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/safefile"
)

// A place is how far `tail --resume` came with a profile at a service, in a file of the state folder.
type place struct {
	path string
	kept kept
}

// kept is what the file holds; all but the cursor is there for people who look.
type kept struct {
	Profile string               `json:"profile"`
	Origin  string               `json:"origin"`
	Types   []payments.EventType `json:"types"`
	Cursor  string               `json:"cursor"`
}

// placeOf finds the file of the settings' profile and origin and of some types of events.
func placeOf(d *deps.Deps, types []payments.EventType) (*place, error) {
	settings, err := d.Settings()
	if err != nil {
		return nil, err
	}
	dir, err := config.StateDir(d.Getenv)
	if err != nil {
		return nil, err
	}
	types = slices.Sorted(slices.Values(types))
	key := sha256.Sum256(fmt.Appendf(nil, "%q", append([]string{settings.Profile, settings.Origin}, names(types)...)))
	return &place{
		path: filepath.Join(dir, "events", hex.EncodeToString(key[:8])+".json"),
		kept: kept{Profile: settings.Profile, Origin: settings.Origin, Types: types},
	}, nil
}

func names(types []payments.EventType) []string {
	list := make([]string, len(types))
	for i, kind := range types {
		list[i] = string(kind)
	}
	return list
}

// largestPlace is the most bytes of a place that are read: a cursor is at most a header field.
const largestPlace = 64 << 10

// read returns the cursor; empty when there is none yet.
func (p *place) read() (cursor string, err error) {
	text, err := safefile.Read(p.path, largestPlace, safefile.Writers, "begin anew with --after")
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", deps.Usage("the place to resume from cannot be read: %v", err)
	}
	var found kept
	if err := json.Unmarshal(text, &found); err != nil || found.Cursor == "" {
		return "", &deps.UsageError{Reason: p.path + " does not tell where to resume", Hint: "remove it, or begin anew with --after"}
	}
	return found.Cursor, nil
}

// write replaces the file in one step. A power loss may take the last steps back, never leave half a file.
func (p *place) write(cursor string) error {
	p.kept.Cursor = cursor
	text, err := json.Marshal(p.kept, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	if err := replace(p.path, append(text, '\n')); err != nil {
		return &deps.Hinted{
			Err: fmt.Errorf("the place to resume from cannot be remembered: %w", err),
			Next: "make sure that you may write to " + safefile.Quote(filepath.Dir(p.path)) + " and that there is room, have another folder used with " +
				config.EnvConfigDir + ", or leave --resume out",
		}
	}
	return nil
}

func replace(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return safefile.Write(path, content)
}
