package securefile

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"
)

// systemHolders are the holders of this system alone.
var systemHolders = map[string]func(path string) (release func(), err error){
	"alone": func(path string) (func(), error) { // as some virus scanners and backup programs open files
		name, err := windows.UTF16PtrFromString(path)
		if err != nil {
			return nil, err
		}
		handle, err := windows.CreateFile(name, windows.GENERIC_READ, 0, nil, windows.OPEN_EXISTING, 0, 0)
		return func() { _ = windows.CloseHandle(handle) }, err
	},
}

// changes are the operations that fail while another program has the file open.
var changes = map[string]func(path string) error{
	"write":        func(path string) error { return Write(path, []byte("new")) },
	"replace":      func(path string) error { return Replace(path, []byte("new")) },
	"remove":       Remove,
	"remove file":  RemoveFile,
	"remove all":   func(path string) error { return RemoveAll(filepath.Dir(path)) },
	"rename":       func(path string) error { return Rename(path+".new", path) },
	"rename other": func(path string) error { return Rename(path, path+".moved") },
	"read": func(path string) error {
		_, err := Read(path, 100)
		return err
	},
	"read trusted": func(path string) error {
		_, err := ReadTrusted(path, 100)
		return err
	},
	"lock": func(path string) error {
		release, err := Lock(context.Background(), path, 0)
		if err == nil {
			release()
		}
		return err
	},
}

// heldFileOf creates a file that another process has open. For rename it also creates a new one next to it. A process
// that lets others read does not block reading.
func heldFileOf(t *testing.T, change string) (path string, other *holder) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "folder", "file")
	require.NoError(t, MakeFolder(filepath.Dir(path)))
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	way := "alone"
	if change == "rename" || change == "write" {
		way = "open"
	}
	if change == "rename" {
		require.NoError(t, os.WriteFile(path+".new", []byte("new"), 0o600))
	}
	return path, hold(t, way, path)
}

// A file that another program has open for a moment can still be replaced, removed and read.
func TestFilesThatAreOpenForAMoment(t *testing.T) {
	t.Parallel()
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, other := heldFileOf(t, name)
			time.AfterFunc(100*time.Millisecond, other.release)
			require.NoError(t, change(path))
		})
	}
}

// A file that another program does not close stays as it is, and nothing is left next to it. The changes run at the
// same time, since each takes the whole timeout.
func TestFilesThatStayOpen(t *testing.T) {
	t.Parallel()
	type attempt struct {
		path  string
		other *holder
		err   chan error
	}
	attempts := map[string]attempt{}
	for _, name := range []string{"write", "replace", "remove", "rename", "read"} {
		path, other := heldFileOf(t, name)
		attempts[name] = attempt{path, other, make(chan error, 1)}
	}
	begun := time.Now()
	for name, a := range attempts {
		go func() { a.err <- changes[name](a.path) }()
	}
	for name, a := range attempts {
		err := <-a.err
		require.GreaterOrEqual(t, time.Since(begun), busyTimeout, name)
		require.Error(t, err, name)
		if name == "read" { // for changes, the system sometimes says only that access is denied
			var blocked *Error
			require.ErrorAs(t, err, &blocked)
			require.ErrorContains(t, err, "another program has "+filepath.Dir(a.path))
		}
		a.other.kill()
		text, err := os.ReadFile(a.path)
		require.NoError(t, err, name)
		require.Equal(t, "old", string(text), name)
		names := []string{"file"}
		if name == "rename" {
			names = append(names, "file.new")
		}
		left, err := os.ReadDir(filepath.Dir(a.path))
		require.NoError(t, err)
		require.Len(t, left, len(names), "%s: %v", name, left)
	}
}
