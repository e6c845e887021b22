package cmdutil

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/ui"
)

// A ReportFile is a report. It is written to a temporary file in the same folder, which takes its path when it is
// complete.
type ReportFile struct {
	path   string
	file   *os.File
	buffer *bufio.Writer
	kept   bool // the file is complete, and stays even if it could not take its path
}

// CreateReportFile creates a report. It does not replace anything other than a file, such as a pipe.
func CreateReportFile(path string) (*ReportFile, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	if err := securefile.CheckName(path); err != nil {
		return nil, err
	}
	file, err := securefile.CreateNew(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text()))
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = fmt.Errorf("%s: %w", path, failed.Err) // without the temporary name
	}
	if err != nil {
		return nil, err
	}
	return &ReportFile{path: path, file: file, buffer: bufio.NewWriterSize(file, 64<<10)}, nil
}

// Printer writes the report as NDJSON or CSV, by the ending of the path.
func (f *ReportFile) Printer() (*ui.Printer, error) {
	format := ui.FormatCSV
	if extension := strings.ToLower(filepath.Ext(f.path)); extension == ".ndjson" || extension == ".jsonl" {
		format = ui.FormatNDJSON
	}
	return ui.NewPrinter(&ui.Streams{Out: f.buffer, Err: f.buffer}, format, "")
}

// Write writes a part of a report that has a format of its own.
func (f *ReportFile) Write(part []byte) (int, error) { return f.buffer.Write(part) }

// Keep completes the report and moves it to its path. A link there is replaced, not followed. A complete report that
// cannot be moved stays where it is, and the error names it.
func (f *ReportFile) Keep() error {
	if err := errors.Join(f.buffer.Flush(), f.file.Sync(), f.file.Close()); err != nil {
		return err
	}
	f.kept = true
	if err := securefile.Rename(f.file.Name(), f.path); err != nil {
		return fmt.Errorf("%w; the whole report is in %s", err, f.file.Name())
	}
	return securefile.SyncFolder(filepath.Dir(f.path))
}

// Discard closes a report and removes one that was not kept.
func (f *ReportFile) Discard() {
	_ = f.file.Close() // it may be closed already
	if !f.kept {
		_ = securefile.RemoveFile(f.file.Name())
	}
}

// IsSameFile reports whether two paths lead to one regular file, or would.
func IsSameFile(a, b string) bool {
	one, noneA := os.Stat(a)
	other, noneB := os.Stat(b)
	if noneA == nil && noneB == nil {
		return one.Mode().IsRegular() && os.SameFile(one, other)
	}
	pathA, _ := filepath.Abs(a) // one that cannot be named cannot be written
	pathB, _ := filepath.Abs(b)
	return pathA == pathB
}
