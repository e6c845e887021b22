package serve

import (
	"bytes"
	"context"
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

// maxClientFile is the most bytes of a --client-file: room for more clients than the service keeps.
const maxClientFile = 1 << 20

// readClients returns the ID:SECRET lines of a file; none for an empty path. The file may be readable by others:
// secrets managers mount files like that.
func readClients(ctx context.Context, d *cmdutil.Deps, path string) (entries []string, err error) {
	if path == "" {
		return nil, nil
	}
	text, err := d.Content(ctx, path, maxClientFile)
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
