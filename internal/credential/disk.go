package credential

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// load reads the file at path; one that is not there is an empty document.
func load(path string) (*document, error) {
	data, err := readSafely(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &document{Version: formatVersion}, nil
	}
	if err != nil {
		return nil, err
	}
	d, err := decodeDocument(data)
	var known *kinded
	if errors.As(err, &known) {
		return nil, &kinded{kind: known.kind, cause: fmt.Errorf("%s: %w", path, known.cause)}
	}
	return d, err
}

func readSafely(path string) (_ []byte, err error) {
	if err := checkRegular(path); err != nil {
		return nil, err
	}
	// The flags cover a link or a pipe that took its place since, the checks below what
	// was really opened.
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := checkInfo(path, info); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, corrupt("%s is longer than %d bytes", path, maxFile)
	}
	return data, nil
}

// checkRegular refuses anything but a regular file, by name.
func checkRegular(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	return regular(path, info)
}

func regular(path string, info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return unsafeFile("remove the link (rm "+quote(path)+") and log in again", "%s is a symbolic link", path)
	case !info.Mode().IsRegular():
		return unsafeFile("remove it and log in again", "%s is not a regular file (%s)", path, info.Mode().Type())
	}
	return nil
}

// checkInfo decides about a file that is open.
func checkInfo(path string, info fs.FileInfo) error {
	if err := regular(path, info); err != nil {
		return err
	}
	return checkOwner(path, info, 0o077, "600")
}

// checkDirInfo decides about the folder: who may write to it may replace the file.
func checkDirInfo(path string, info fs.FileInfo) error {
	return checkOwner(path, info, 0o022, "700")
}

// replace puts data at dir/credentials.json in one step, and on the disk. The lock is held.
func replace(dir string, data []byte) (err error) {
	temp := filepath.Join(dir, tempName)
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL|openFlags, 0o600)
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
	return syncDir(dir)
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

func unsafeFile(next, format string, args ...any) error {
	return &kinded{kind: ErrUnsafeFile, cause: fmt.Errorf(format, args...), next: next}
}

// quote makes path one word of a POSIX shell.
func quote(path string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:,@%", r)
	}
	if path != "" && strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
