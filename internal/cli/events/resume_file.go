package events

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
)

// A resumeFile is a file of the state folder that has the cursor at which `tail --resume` stopped, of one profile,
// service and set of event types.
type resumeFile struct {
	path    string
	content resumePoint
}

// A resumePoint is the content of the file. All but the cursor is there for people who read it.
type resumePoint struct {
	Profile string               `json:"profile"`
	Origin  string               `json:"origin"`
	Types   []payments.EventType `json:"types"`
	Cursor  string               `json:"cursor"`
}

// findResumeFile returns the file for the settings' profile and origin and for the event types. The file need not
// exist.
func findResumeFile(d *cmdutil.Deps, types []payments.EventType) (*resumeFile, error) {
	resolved, err := d.Settings()
	if err != nil {
		return nil, err
	}
	dir, err := settings.StateDir(d.Getenv)
	if err != nil {
		return nil, err
	}
	types = slices.Sorted(slices.Values(types))
	key := sha256.Sum256(fmt.Appendf(nil, "%q", append([]string{resolved.Profile, resolved.Origin}, names(types)...)))
	return &resumeFile{
		path:    filepath.Join(dir, "events", hex.EncodeToString(key[:8])+".json"),
		content: resumePoint{Profile: resolved.Profile, Origin: resolved.Origin, Types: types},
	}, nil
}

func names(types []payments.EventType) []string {
	list := make([]string, len(types))
	for i, kind := range types {
		list[i] = string(kind)
	}
	return list
}

// maxResumeFile bounds the file, in bytes: a cursor is no longer than a header field.
const maxResumeFile = 64 << 10

// read returns the saved cursor; empty if there is none yet.
func (f *resumeFile) read() (cursor string, err error) {
	text, err := securefile.Read(f.path, maxResumeFile, securefile.GroupAndOthersWrite, "begin anew with --after")
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if unsafe, ok := errors.AsType[*securefile.Error](err); ok {
		return "", cmdutil.Usage("the place to resume from cannot be read: %s", unsafe.Reason).WithHint(unsafe.Next)
	}
	if err != nil {
		return "", cmdutil.Usage("the place to resume from cannot be read: %v", err)
	}
	var found resumePoint
	if err := json.Unmarshal(text, &found); err != nil || found.Cursor == "" {
		return "", cmdutil.Usage("%s has no cursor to resume from", f.path).WithHint("remove it, or begin anew with --after")
	}
	return found.Cursor, nil
}

// write saves a cursor. It replaces the file atomically; a power loss may lose the last cursors, but never truncates
// the file.
func (f *resumeFile) write(cursor string) error {
	f.content.Cursor = cursor
	text, err := json.Marshal(f.content, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	if err = securefile.MakeFolder(filepath.Dir(f.path)); err == nil {
		err = securefile.Write(f.path, append(text, '\n'))
	}
	if err != nil {
		return cmdutil.Hint(fmt.Errorf("the place to resume from cannot be remembered: %w", err),
			shell.Hint("make sure that you may write to FOLDER and that there is room, have another folder used with "+
				settings.EnvStateDir+", or leave --resume out", shell.Values{"FOLDER": filepath.Dir(f.path)}))
	}
	return nil
}
