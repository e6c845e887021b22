package serve

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/wait"
)

// maxClientFile is the most bytes of a --client-file: room for more clients than the service keeps.
const maxClientFile = 1 << 20

const (
	// recent is how long after a change another may follow: a program may be writing the file. File systems round times
	// to less than this.
	recent = 2 * time.Second
	// settleTime is how long a file that was changed recently has to stay as it is. Programs that write a list of
	// clients take less.
	settleTime = 100 * time.Millisecond
	// maxReads is how often a file is read until it stays as it is.
	maxReads = 20
)

// readClients returns the ID:SECRET lines of a file; none for an empty path. The file may be readable by others:
// secrets managers mount files like that.
func readClients(ctx context.Context, d *cmdutil.Deps, path string) (entries []string, err error) {
	if path == "" {
		return nil, nil
	}
	text, err := readSettled(ctx, d, path)
	if ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		return nil, cmdutil.Usage("--client-file cannot be read: %v", err)
	}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		entry := strings.TrimRight(string(line), "\r\n")
		if entry == "" || strings.HasPrefix(entry, "#") {
			continue
		}
		if id, secret, ok := strings.Cut(entry, ":"); !ok || id == "" || secret == "" {
			return nil, cmdutil.Usage("line %d of --client-file does not have the form ID:SECRET", number)
		}
		entries = append(entries, entry)
	}
	if len(entries) == 0 {
		return nil, cmdutil.Usage("--client-file names no client")
	}
	return entries, nil
}

// readSettled reads a file of clients as a whole. While another program writes the file, it may have a part of its
// clients, or of a secret; a file that was changed recently is therefore read until two readings are the same. What can
// be read only once, such as a pipe, ends where its writer ends it.
func readSettled(ctx context.Context, d *cmdutil.Deps, path string) ([]byte, error) {
	var last []byte
	for n := range maxReads {
		before, err := os.Stat(path)
		text, failed := d.Content(ctx, path, maxClientFile)
		if path == "-" || failed != nil || err != nil || !before.Mode().IsRegular() {
			return text, failed
		}
		after, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		unchanged := os.SameFile(before, after) && before.ModTime().Equal(after.ModTime())
		if unchanged && (time.Since(after.ModTime()) > recent || n > 0 && bytes.Equal(text, last)) {
			return text, nil
		}
		last = text
		if err := wait.Sleep(ctx, settleTime); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s does not stay as it is; write another file and rename it to this name", path)
}
