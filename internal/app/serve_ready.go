package app

import (
	"bytes"
	"errors"
	"io/fs"
	"os"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/securefile"
)

// ready is the first line of `serve`, a JSON object, which is also written to the file of --ready-file.
type ready struct {
	URL          string `json:"url"`
	PID          int    `json:"pid"`
	ClientID     string `json:"clientId"`
	ClientSecret string `json:"clientSecret,omitzero"`
	MetricsURL   string `json:"metricsUrl,omitzero"`

	database   string // where the data is; empty: in memory or in a folder
	caCert     string // file of the certificate that the command is to trust; empty: plain HTTP
	selfSigned bool   // the certificate is its own authority
}

// line is the JSON object on a line of its own.
func (r ready) line() ([]byte, error) {
	text, err := json.Marshal(r)
	return append(text, '\n'), err
}

// removeReadyFile removes a ready file that a service has left that was killed: who waits for it would not find the one
// that starts now.
func removeReadyFile(path string) error {
	if info, err := os.Lstat(path); path == "" || err != nil || !info.Mode().IsRegular() {
		return nil // there is none, or it is a pipe
	}
	if err := securefile.RemoveFile(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return cmdutil.Unwritable("--ready-file", path, err)
	}
	return nil
}

// writeFile writes the line to a file, which is of no use any more when the machine fails. Remove removes the file,
// unless another service has written its own line there since.
func (r ready) writeFile(path string) (remove func(), err error) {
	line, err := r.line()
	if err != nil {
		return nil, err
	}
	if err := securefile.WriteVolatile(path, line); err != nil {
		return nil, err
	}
	return func() {
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			return // reading a pipe in its place would wait for a writer
		}
		if found, err := readBounded(path, int64(len(line))); err == nil && bytes.Equal(found, line) {
			_ = securefile.RemoveFile(path)
		}
	}, nil
}
