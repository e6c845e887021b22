package cmdutil

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/suggest"
)

// Unwritable is the usage error of a file that cannot be written; what is its name in a sentence, such as "the report".
func Unwritable(what, path string, err error) *Error {
	failed := Usage("%s cannot be written: %v", what, err)
	if unsafe, ok := errors.AsType[*securefile.Error](err); ok {
		return failed.WithHint(unsafe.Next)
	}
	return failed.WithHint(deviceHint(runtime.GOOS, path, err))
}

// deviceHint is what to write on Windows in place of a device of Unix that was not found; empty for other paths.
func deviceHint(goos, path string, err error) string {
	switch {
	case goos != "windows" || !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(path, "/dev/"):
		return ""
	case path == "/dev/null":
		return "write nul, which is the empty device on Windows"
	}
	return "write - for standard input or output"
}

// missingHint is what to do about an input that does not exist: a file of its folder with a similar name, or else where a
// relative path begins. It is empty for another error.
func missingHint(path string, err error) string {
	if !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	folder, name := filepath.Split(path)
	entries, _ := os.ReadDir(cmp.Or(folder, ".")) // the folder may not exist either
	var files []string
	for _, entry := range entries {
		if !entry.IsDir() {
			files = append(files, entry.Name())
		}
	}
	if guess := suggest.Guess(name, files); guess != "" {
		return shell.Hint("try FILE instead", shell.Values{"FILE": folder + guess})
	}
	here, err := os.Getwd()
	if err != nil || filepath.IsAbs(path) {
		return "check the path, or write - for standard input"
	}
	return shell.Hint("check the path, which begins in FOLDER, or write - for standard input", shell.Values{"FOLDER": here})
}

// TempFolderHint is what to do where no temporary folder can be created.
func TempFolderHint() string {
	variable := "TMPDIR"
	if runtime.GOOS == "windows" {
		variable = "TMP"
	}
	return "set " + variable + " to a folder that can be written"
}
