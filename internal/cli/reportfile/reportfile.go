// Package reportfile is files with the report of a command, which are complete or not there.
package reportfile

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/wait"
)

// A File is a report. It is written to a temporary file in the same folder, which takes its path when it is complete. A pipe
// or device is written row by row.
type File struct {
	path    string
	file    *os.File
	buffer  *bufio.Writer
	special bool // a pipe or device
	kept    bool // the file is complete, and stays even if it could not take its path
}

// Create creates a report, or opens the pipe or device at its path. Waiting for a reader of a pipe ends with
// the context.
func Create(ctx context.Context, path string) (*File, error) {
	f := &File{path: path}
	info, err := os.Stat(path)
	unusual := securefile.CheckName(path)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("%s is a folder", path)
	case unusual != nil && (err != nil || filepath.Ext(path) != ""): // not a device that is named as such, like nul
		return nil, unusual
	case err == nil && !info.Mode().IsRegular():
		f.special = true
		f.file, err = wait.For(ctx, func() (*os.File, error) { return os.OpenFile(path, os.O_WRONLY, 0) })
	default:
		f.file, err = securefile.CreateNew(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text()))
		if failed, ok := errors.AsType[*fs.PathError](err); ok {
			err = fmt.Errorf("%s: %w", path, failed.Err) // without the temporary name
		}
	}
	if err != nil {
		return nil, err
	}
	f.buffer = bufio.NewWriterSize(f.file, 64<<10)
	return f, nil
}

// Printer writes the report as NDJSON or CSV, by the ending of the path.
func (f *File) Printer() (*ui.Printer, error) {
	format := ui.FormatCSV
	if extension := strings.ToLower(filepath.Ext(f.path)); extension == ".ndjson" || extension == ".jsonl" {
		format = ui.FormatNDJSON
	}
	return ui.NewPrinter(&ui.Streams{Out: f.buffer, Err: f.buffer}, format, "")
}

// Write writes a part of a report that has a format of its own.
func (f *File) Write(part []byte) (int, error) { return f.buffer.Write(part) }

// Keep completes the report and moves it to its path. A link there is replaced, not followed. A complete report that
// cannot be moved stays where it is, and the error names it.
func (f *File) Keep() error {
	err := f.buffer.Flush()
	if !f.special {
		err = errors.Join(err, f.file.Sync())
	}
	err = errors.Join(err, f.file.Close())
	if err != nil || f.special {
		return err
	}
	f.kept = true
	if err := securefile.Rename(f.file.Name(), f.path); err != nil {
		return fmt.Errorf("%w; the whole report is in %s", err, f.file.Name())
	}
	return securefile.SyncFolder(filepath.Dir(f.path))
}

// Discard closes a report and removes one that was not kept.
func (f *File) Discard() {
	_ = f.file.Close() // it may be closed already
	if !f.special && !f.kept {
		_ = securefile.RemoveFile(f.file.Name())
	}
}

// IsSame reports whether two paths lead to one regular file.
func IsSame(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil || !one.Mode().IsRegular() {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}
