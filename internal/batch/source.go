package batch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// chunk is how much of a file is checked for a change at once.
const chunk = 1 << 20

// A Source is a file that is read more than once and must be the same each time.
type Source struct {
	// Name is what messages call it.
	Name string

	file   *os.File
	spool  string // a copy that is removed at the end
	sum    [sha256.Size]byte
	chunks [][sha256.Size]byte
	read   bool // whether the sums are known
}

// New is a source of a regular file, which it closes at its end.
func New(name string, file *os.File) *Source { return &Source{Name: name, file: file} }

// mostSpooled bounds what is copied, in bytes: tens of millions of rows, and what a disk may be expected to have room for. What is
// read only once may have no end.
const mostSpooled = 4 << 30

// Spool copies what can be read only once into a file in dir, which nobody else may read and which Close removes. More than 4 GiB
// are ErrUnusable.
func Spool(name string, from io.Reader, dir string) (*Source, error) {
	return spool(name, from, dir, mostSpooled)
}

func spool(name string, from io.Reader, dir string, most int64) (*Source, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the rows of %s cannot be copied: %w", name, err)
	}
	file, err := os.CreateTemp(dir, "batch-*.tmp") // 0600
	if err != nil {
		return nil, fmt.Errorf("the rows of %s cannot be copied: %w", name, err)
	}
	s := &Source{Name: name, file: file, spool: file.Name()}
	if os.Remove(s.spool) == nil { // where a file that is open may be removed, it outlives nothing
		s.spool = ""
	}
	copied, err := io.Copy(file, io.LimitReader(from, most+1))
	if copied > most {
		return nil, errors.Join(fmt.Errorf("%w: %s is larger than %d bytes", ErrUnusable, name, most), s.Close())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the rows of %s cannot be copied: %w", name, err), s.Close())
	}
	return s, nil
}

// Close closes the file.
func (s *Source) Close() error {
	err := s.file.Close()
	if s.spool != "" {
		err = errors.Join(err, os.Remove(s.spool))
	}
	return err
}

// ID names the content of the file, once it was read to its end.
func (s *Source) ID() string { return "bat_" + hex.EncodeToString(s.sum[:13]) }

// format tells the form by the file's name, or else by its first byte.
func (s *Source) format(first byte) form {
	switch filepath.Ext(s.Name) {
	case ".csv":
		return formCSV
	case ".ndjson", ".jsonl":
		return formNDJSON
	}
	if first == '{' {
		return formNDJSON
	}
	return formCSV
}

// reader reads the file from its start. Nothing of a part that was changed since the first reading is returned.
func (s *Source) reader() *chunked {
	return &chunked{source: s, from: io.NewSectionReader(s.file, 0, 1<<62), whole: sha256.New(), buffer: make([]byte, chunk)}
}
