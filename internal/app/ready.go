package app

import (
	"io"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
)

// line is the JSON object on a line of its own.
func (r ready) line() ([]byte, error) {
	text, err := json.Marshal(r)
	return append(text, '\n'), err
}

func (r ready) print(w io.Writer) error {
	line, err := r.line()
	if err != nil {
		return err
	}
	_, err = w.Write(line)
	return err
}

// writeFile puts the line into a file.
func (r ready) writeFile(path string) error {
	line, err := r.line()
	if err != nil {
		return err
	}
	return writeWhole(path, line)
}

// writeWhole writes a file that is never seen half-written, readable by its owner alone.
func writeWhole(path string, content []byte) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), ".payctl-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	if _, err := file.Write(content); err != nil {
		_ = file.Close()
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
