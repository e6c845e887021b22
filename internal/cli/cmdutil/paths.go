package cmdutil

import (
	"errors"
	"io/fs"
	"runtime"
	"strings"

	"github.com/payctl/payctl/internal/securefile"
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

// TempFolderHint is what to do where no temporary folder can be created.
func TempFolderHint() string {
	variable := "TMPDIR"
	if runtime.GOOS == "windows" {
		variable = "TMP"
	}
	return "set " + variable + " to a folder that can be written"
}
