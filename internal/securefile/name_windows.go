package securefile

import (
	"path/filepath"
	"strings"
)

// CheckName returns an *Error if the name of a file or folder, where one is to be created, means something else to Windows:
// a device, such as com1, and before Windows 11 nul.csv too; a stream next to the content of a file, such as
// report.csv:part, which most programs do not show; or nothing, because of a quotation mark.
func CheckName(path string) error {
	const next = "name another file or folder"
	if strings.Contains(path, `"`) {
		return &Error{
			Reason: path + " has a quotation mark, which no name has on Windows",
			Next: `leave out a \ before the quotation mark that ends a path: it hides that mark, and what follows becomes ` +
				"part of the path",
		}
	}
	full, err := filepath.Abs(path) // of a device it is \\.\ and its name; which names these are, Windows knows
	if err != nil {
		return err
	}
	if device, is := strings.CutPrefix(full, `\\.\`); is {
		return &Error{Reason: path + " is the name of the device " + strings.TrimRight(device, `\`) + " on Windows", Next: next}
	}
	if file, stream, is := strings.Cut(full[len(filepath.VolumeName(full)):], ":"); is {
		name := filepath.Base(file)
		return &Error{Reason: path + " is the stream " + stream + " of the file " + name + " on Windows", Next: next}
	}
	return nil
}
