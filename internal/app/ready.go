package app

import (
	"bytes"
	"io"
	"os"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/safefile"
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

// writeFile puts the line into a file. What removes it leaves alone what another service has put there since.
func (r ready) writeFile(path string) (remove func(), err error) {
	line, err := r.line()
	if err != nil {
		return nil, err
	}
	if err := safefile.Write(path, line); err != nil {
		return nil, err
	}
	return func() {
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			return // a pipe in its place would be waited for
		}
		if found, err := readBounded(path, int64(len(line))); err == nil && bytes.Equal(found, line) {
			_ = os.Remove(path)
		}
	}, nil
}
