package credential

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/payctl/payctl/internal/safefile"
)

// again is what the user may do once a file that is no file is gone.
const again = "log in again"

// load reads the file at path; one that is not there is an empty document.
func load(path string) (*document, error) {
	data, err := safefile.Read(path, maxFile, safefile.Anybody, again)
	if errors.Is(err, fs.ErrNotExist) {
		return &document{Version: formatVersion}, nil
	}
	if err != nil {
		return nil, unsafeFile(err)
	}
	if len(data) > maxFile {
		return nil, corrupt("%s is longer than %d bytes", path, maxFile)
	}
	d, err := decodeDocument(data)
	var known *kinded
	if errors.As(err, &known) {
		return nil, &kinded{kind: known.kind, cause: fmt.Errorf("%s: %w", path, known.cause)}
	}
	return d, err
}

// replace puts data at dir/credentials.json in one step, and on the disk. The lock is held, and no leftover is there.
func replace(dir string, data []byte) (err error) {
	temp := filepath.Join(dir, tempName)
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL|safefile.OpenFlags, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreMissing(os.Remove(temp)))
		}
	}()
	if err := writeAndSync(f, data); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(temp, filepath.Join(dir, fileName)); err != nil {
		return err
	}
	return safefile.SyncFolder(dir)
}

func writeAndSync(f *os.File, data []byte) error {
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Sync()
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// unsafeFile gives an error of safefile its kind; any other stays as it is.
func unsafeFile(err error) error {
	if unsafe, ok := errors.AsType[*safefile.Error](err); ok {
		return &kinded{kind: ErrUnsafeFile, cause: unsafe, next: unsafe.Next}
	}
	return err
}
