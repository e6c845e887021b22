package batch

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/payctl/payctl/internal/plaintext"
	"github.com/payctl/payctl/internal/rows"
	"github.com/payctl/payctl/internal/securefile"
)

// maxCopy bounds the copy of a file, in bytes: tens of millions of rows, and what a disk may be expected to have room
// for. A pipe may have no end.
const maxCopy = 4 << 30

// A Source is a private copy of a file of rows. Every row is read twice, to check it and to send it. The copy makes
// sure that both times are the same: what is sent is what was checked and confirmed, whatever happens to the file in
// between.
type Source struct {
	mapping *rows.Mapping
	// contacts are those that Check has found, by what the rows call them. Named reports that this is not always the
	// identifier.
	contacts map[string]foundContact
	named    bool

	name string // of the file, for messages
	copy *os.File
	path string // of the copy if Close has to remove it
	sum  [sha256.Size]byte
}

// Copy copies rows into a file in dir that only the user may read and that Close removes. More than 4 GiB are
// rows.ErrUnusable.
func Copy(name string, from io.Reader, dir string, mapping *rows.Mapping) (*Source, error) {
	return copyAtMost(maxCopy, name, from, dir, mapping)
}

func copyAtMost(most int64, name string, from io.Reader, dir string, mapping *rows.Mapping) (*Source, error) {
	if err := securefile.CreateFolders(dir); err != nil {
		return nil, fmt.Errorf("the rows of %s cannot be copied: %w", name, err)
	}
	file, err := securefile.CreateNew(filepath.Join(dir, "batch-"+rand.Text()+".tmp"))
	if err != nil {
		return nil, fmt.Errorf("the rows of %s cannot be copied: %w", name, err)
	}
	s := &Source{mapping: mapping, name: name, copy: file, path: file.Name()}
	if os.Remove(s.path) == nil { // where an open file may be removed, a program that is killed leaves nothing behind
		s.path = ""
	}
	hash := sha256.New()
	text := io.LimitReader(plaintext.NewReader(from), most+1)
	copied, err := io.Copy(io.MultiWriter(file, &lineEnds{to: hash}), text)
	if copied > most {
		return nil, errors.Join(fmt.Errorf("%w: %s is larger than %d bytes", rows.ErrUnusable, name, most), s.Close())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the rows of %s cannot be copied: %w", name, err), s.Close())
	}
	hash.Sum(s.sum[:0])
	return s, nil
}

// Close closes and removes the copy.
func (s *Source) Close() error {
	err := s.copy.Close()
	if s.path != "" {
		err = errors.Join(err, securefile.RemoveFile(s.path))
	}
	return err
}

// A lineEnds passes a text on with LF in place of each CRLF, and without a CR at its very end.
type lineEnds struct {
	to   io.Writer
	isCR bool // the text that was written so far ends with a CR, which is not passed on yet
}

// Write implements io.Writer.
func (l *lineEnds) Write(text []byte) (int, error) {
	written := len(text)
	if l.isCR {
		text = append([]byte("\r"), text...)
	}
	text, l.isCR = bytes.CutSuffix(text, []byte("\r"))
	_, err := l.to.Write(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	return written, err
}

// BatchID returns the identifier of the batch: the same content has the same identifier on every machine, also if an editor
// has saved it with other line ends, with a byte order mark or as UTF-16.
func (s *Source) BatchID() string { return "bat_" + hex.EncodeToString(s.sum[:13]) }

// content reads the copy from its start.
func (s *Source) content() io.Reader { return io.NewSectionReader(s.copy, 0, maxCopy) }
