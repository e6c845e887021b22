package events

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/plaintext"
	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
)

// A resumeFile is a file of the state folder that has the cursor at which `tail --resume` stopped, of one profile,
// service and selection of events. It is saved at intervals, since each save waits for the disk: a power cut must not
// leave an empty file.
type resumeFile struct {
	path string

	mu      sync.Mutex
	content resumePoint
	saved   time.Time   // when a save last ended
	pending *time.Timer // of the next save; nil: everything is saved
	failure error       // of a save by the timer
}

// saveInterval is the time between two saves. A program that is killed prints the events of that time again when it
// resumes.
const saveInterval = 100 * time.Millisecond

// A resumePoint is the content of the file. All but the cursor is there for people who read it.
type resumePoint struct {
	Profile   string               `json:"profile"`
	Origin    string               `json:"origin"`
	Types     []payments.EventType `json:"types"`
	SubjectID string               `json:"subjectId,omitempty"`
	Cursor    string               `json:"cursor"`
}

// findResumeFile returns the file for the settings' profile and origin and for the events that a filter selects. The
// file need not exist.
func findResumeFile(d *cmdutil.Deps, filter payments.EventFilter) (*resumeFile, error) {
	resolved, err := d.Settings()
	if err != nil {
		return nil, err
	}
	dir, err := settings.StateDir(d.Getenv)
	if err != nil {
		return nil, err
	}
	types := slices.Sorted(slices.Values(filter.Types))
	selection := append([]string{resolved.Profile, resolved.Origin}, names(types)...)
	if filter.SubjectID != "" {
		selection = append(selection, "subjectId="+filter.SubjectID) // which is not the name of a type
	}
	key := sha256.Sum256(fmt.Appendf(nil, "%q", selection))
	return &resumeFile{
		path: filepath.Join(dir, "events", hex.EncodeToString(key[:8])+".json"),
		content: resumePoint{
			Profile: resolved.Profile, Origin: resolved.Origin, Types: types, SubjectID: filter.SubjectID,
		},
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
	if err := json.Unmarshal(plaintext.Bytes(text), &found); err != nil || found.Cursor == "" {
		return "", cmdutil.Usage("%s has no cursor to resume from", f.path).WithHint("remove it, or begin anew with --after")
	}
	return found.Cursor, nil
}

// write saves a cursor: now, or soon if the last save was just now. Its error may be that of an earlier save.
func (f *resumeFile) write(cursor string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.content.Cursor = cursor
	wait := saveInterval - time.Since(f.saved)
	switch {
	case f.failure != nil:
		return f.failure
	case f.pending != nil:
		return nil
	case wait > 0:
		f.pending = time.AfterFunc(wait, func() { _ = f.close() }) // the next call returns its error
		return nil
	}
	return f.save()
}

// close saves what is not saved yet.
func (f *resumeFile) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.pending != nil {
		f.pending.Stop()
		f.pending = nil
		f.failure = f.save()
	}
	return f.failure
}

// save replaces the file. The cursor is on the disk when it returns.
func (f *resumeFile) save() error {
	defer func() { f.saved = time.Now() }()
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
