package app

import (
	"io"

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

// writeFile puts the line into a file.
func (r ready) writeFile(path string) error {
	line, err := r.line()
	if err != nil {
		return err
	}
	return safefile.Write(path, line)
}
