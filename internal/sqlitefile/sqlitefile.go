// Package sqlitefile is what the program's databases share, the reference service's and the journal: how a file is named
// to the driver, what is no database although SQLite would take it for one, and what SQLite's errors mean.
package sqlitefile

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// DataSource names a file to the driver modernc.org/sqlite, with the driver's settings. The path is absolute.
func DataSource(path string, settings url.Values) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // C:/…
		path = "/" + path
	}
	name := url.URL{Scheme: "file", Path: path, RawQuery: settings.Encode()}
	return name.String()
}

// ErrCut says that a file holds less than any database.
var ErrCut = errors.New("it is no database any more: one byte of it is left")

// Check looks at what SQLite would not: to it a file of one byte is as good as an empty one, that is a new database
// (unixFileSize in its os_unix.c). It is what is left of another, and nothing that was kept in that may be taken for
// never having been. The error is ErrCut then, or why the file cannot be looked at.
func Check(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.Size() == 1 {
		return ErrCut
	}
	return err
}

// A Code is a primary result code of SQLite (https://www.sqlite.org/rescode.html).
type Code int

// The codes that the program tells apart.
const (
	Busy         Code = 5
	Corrupt      Code = 11
	Constraint   Code = 19
	NotADatabase Code = 26
)

// HasCode says whether SQLite gives one of some codes as the reason of an error.
func HasCode(err error, codes ...Code) bool {
	const primary = 0xff // the rest says more
	var coded interface{ Code() int }
	return errors.As(err, &coded) && slices.Contains(codes, Code(coded.Code()&primary))
}
