package settings

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/payctl/payctl/internal/securefile"
)

// A Draft is the configuration file of a folder while a person edits a copy of it.
type Draft struct {
	file   *File
	before []byte
}

// NewDraft reads the file in dir, which may have mistakes. It fails early where [Draft.Save] would.
func NewDraft(dir string, check OperationCheck) (*Draft, error) {
	f := &File{dir: dir, doc: &document{check: check}}
	release, err := f.lock(lockWait)
	if err != nil {
		return nil, err
	}
	defer release()
	text, err := read(f.Path())
	return &Draft{f, text}, err
}

// Path returns the path of the configuration file.
func (d *Draft) Path() string { return d.file.Path() }

// Text returns the text of the file when it was read.
func (d *Draft) Text() []byte { return d.before }

// Check returns the error that [Load] would return for a text, which is in the file at path.
func (d *Draft) Check(path string, text []byte) error {
	if len(text) > maxFile {
		return &Error{Path: path, Reason: fmt.Sprintf("larger than %d bytes", maxFile)}
	}
	_, err := documentOf(path, text, d.file.doc.check)
	return err
}

// Save replaces the file by a text that [Draft.Check] accepts, in one step, unless another program has changed it since
// it was read.
func (d *Draft) Save(text []byte) error {
	release, err := d.file.lock(lockWait)
	if err != nil {
		return err
	}
	defer release()
	now, err := read(d.Path())
	if err != nil {
		return err
	}
	if !bytes.Equal(now, d.before) {
		return &Error{Path: d.Path(), Reason: "another program has changed the file meanwhile"}
	}
	if err := securefile.Replace(d.Path(), text); err != nil {
		return folderError("write", filepath.Dir(d.Path()), err)
	}
	return nil
}
