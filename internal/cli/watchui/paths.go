package watchui

import (
	"io/fs"
	"os"
	"runtime"
	"strings"

	"github.com/kballard/go-shellquote"

	"github.com/payctl/payctl/internal/ui"
)

// CompletePath returns the files and folders that a path can be completed to. ~ is the home folder.
func CompletePath(text string) (paths []string) {
	if text == "~" {
		return []string{"~" + string(os.PathSeparator)}
	}
	end := strings.LastIndexFunc(text, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) }) + 1
	folder, begin := text[:end], text[end:]
	where := expandPath(folder)
	if where == "" {
		where = "."
	}
	entries, _ := os.ReadDir(where) // as many as can be read
	for _, entry := range entries {
		name := entry.Name()
		isHidden := strings.HasPrefix(name, ".") && begin == ""
		if !strings.HasPrefix(name, begin) || isHidden || ui.Sanitize(name) != name {
			continue
		}
		isFolder := entry.IsDir()
		if entry.Type()&fs.ModeSymlink != 0 {
			info, err := os.Stat(where + string(os.PathSeparator) + name)
			isFolder = err == nil && info.IsDir()
		}
		if isFolder {
			name += string(os.PathSeparator)
		}
		paths = append(paths, folder+name)
	}
	return paths
}

// expandPath replaces ~ at the beginning of a path by the home folder.
func expandPath(path string) string {
	rest, found := strings.CutPrefix(path, "~")
	if !found || rest != "" && !os.IsPathSeparator(rest[0]) {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return home + rest
}

// EnteredPath is the path of a file that a person has entered: with ~ for the home folder, or quoted by the program
// from which it was dragged to the terminal. The file that has what was entered as its name comes first.
func EnteredPath(text string) string {
	if _, err := os.Stat(text); err == nil {
		return text
	}
	path := strings.TrimSpace(text)
	if words, err := shellquote.Split(path); err == nil && len(words) == 1 && runtime.GOOS != "windows" {
		if _, err := os.Stat(words[0]); err == nil {
			return words[0]
		}
	}
	return expandPath(strings.Trim(path, `"`))
}
