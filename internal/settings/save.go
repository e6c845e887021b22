package settings

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/securefile"
)

// lockWait is how long Save waits for another process: much longer than a save takes.
const lockWait = 5 * time.Second

// Save writes the changes made since [Load], and does nothing when there are none. It applies them to what the file
// contains by now, under a lock, so that no change of another process is lost; comments and order stay. The file is
// replaced in one step and has mode 0600; a folder that does not exist is created with mode 0700. Neither may be a
// symbolic link.
func (f *File) Save() error { return f.save(lockWait) }

func (f *File) save(wait time.Duration) error {
	if len(f.changes) == 0 {
		return nil
	}
	if f.nowhere != nil {
		return f.nowhere
	}
	release, err := f.lock(wait)
	if err != nil {
		return err
	}
	defer release()
	fresh, err := Load(f.dir, f.doc.check)
	if err != nil {
		return err
	}
	for _, change := range f.changes {
		if err := fresh.doc.apply(change); err != nil {
			return err
		}
	}
	data, err := fresh.doc.encode()
	if err != nil {
		return fmt.Errorf("save the configuration: %w", err)
	}
	if len(data) > maxFile {
		reason := fmt.Sprintf("would grow larger than %d bytes", maxFile)
		return &Error{Path: f.Path(), Reason: reason, Next: "remove a profile"}
	}
	if err := securefile.Replace(f.Path(), data); err != nil {
		return folderError("write", f.dir, err)
	}
	f.doc, f.changes = fresh.doc, nil
	return nil
}

// lock checks that the file can be replaced safely, and locks it by a second file.
func (f *File) lock(wait time.Duration) (release func(), err error) {
	err = securefile.MakeFolder(f.dir)
	if err == nil {
		then := "run the command again, or set " + EnvConfigDir + " to the folder of the file itself"
		err = securefile.CheckRegular(f.Path(), then)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		release, err = securefile.Lock(context.Background(), f.Path()+".lock", wait)
	}
	unsafe, isUnsafe := errors.AsType[*securefile.Error](err)
	switch {
	case err == nil:
		return release, nil
	case isUnsafe:
		return nil, unsafeError(unsafe)
	case errors.Is(err, securefile.ErrLockHeld):
		return nil, fmt.Errorf("save the configuration: %w; try again when it has ended", err)
	}
	return nil, folderError("write", filepath.Dir(f.Path()), err)
}

// encode writes the document as YAML and reads it back. The YAML package sometimes writes comments in a place where
// they break the text; then the comments are left out.
func (d *document) encode() ([]byte, error) {
	data, err := encodeNode(d.tree)
	if err == nil && d.sameAs(data) {
		return data, nil
	}
	removeComments(d.tree)
	data, err = encodeNode(d.tree)
	if err == nil && !d.sameAs(data) {
		err = errors.New("the configuration changes when it is written as YAML; edit the file yourself")
	}
	return data, err
}

func (d *document) sameAs(data []byte) bool {
	back, err := parseDocument(data, d.check)
	return err == nil && back.current == d.current && reflect.DeepEqual(back.profiles, d.profiles)
}

func encodeNode(n *yaml.Node) ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	err := encoder.Encode(n)
	if err == nil {
		err = encoder.Close()
	}
	return out.Bytes(), err
}

func removeComments(n *yaml.Node) {
	n.HeadComment, n.LineComment, n.FootComment, n.Anchor, n.Style = "", "", "", "", 0
	for _, c := range n.Content {
		removeComments(c)
	}
}
