package app

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

// unversioned is the version of a build without one.
const unversioned = "dev"

// The linker sets these for a release.
var (
	version = unversioned
	commit  = ""
	date    = ""
)

// build identifies this build of the program. `go install` sets no variables, so build uses what Go recorded.
func build() cmdutil.Build {
	b := cmdutil.Build{
		Version: version, Commit: commit, Date: date, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
	}
	info, ok := debug.ReadBuildInfo()
	if version != unversioned || !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = strings.TrimPrefix(v, "v") // linked versions have no v
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Commit = cmp.Or(b.Commit, setting.Value)
		case "vcs.time":
			b.Date = cmp.Or(b.Date, setting.Value)
		}
	}
	return b
}
