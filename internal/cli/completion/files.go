package completion

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"github.com/payctl/payctl/internal/ui"
)

// mostFiles is how many files of a folder are candidates: more are no help.
const mostFiles = 1000

// contents finds what a field of payctl api takes behind @: a file.
func contents(at place) []Candidate {
	name, path, ok := strings.Cut(at.begun, "=@")
	if !ok {
		return nil
	}
	return files(name+"=@", path)
}

// files finds the files whose path goes on from what was typed, each behind a prefix. A shell completes files only where
// the whole word is one.
func files(prefix, begun string) []Candidate {
	folder, name := filepath.Split(begun)
	dir, err := os.Open(cmp.Or(folder, "."))
	if err != nil {
		return nil
	}
	defer dir.Close()
	var found []Candidate
	for len(found) < mostFiles {
		entries, err := dir.ReadDir(mostFiles)
		for _, entry := range entries {
			path := entry.Name()
			hidden := strings.HasPrefix(path, ".") && !strings.HasPrefix(name, ".")
			if !strings.HasPrefix(path, name) || hidden || ui.Sanitize(path) != path {
				continue
			}
			if entry.IsDir() {
				path += "/"
			}
			found = append(found, Candidate{Value: prefix + folder + path})
		}
		if err != nil {
			break
		}
	}
	return found
}
