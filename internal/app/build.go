package app

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

// unversioned is the version of a program that was linked without one.
const unversioned = "dev"

// The linker sets these in a release.
var (
	version = unversioned
	commit  = ""
	date    = ""
)

// build identifies this build of the program. `go install` sets no variables; what Go records by itself is used
// instead.
func build() cmdutil.Build {
	b := cmdutil.Build{
		Version: version, Commit: commit, Date: date, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
	}
	if version == unversioned {
		if info, ok := debug.ReadBuildInfo(); ok {
			addBuildInfo(&b, info)
		}
	}
	return b
}

// addBuildInfo adds what Go recorded when it built the program. A version loses its v, as the linked ones have none.
func addBuildInfo(b *cmdutil.Build, info *debug.BuildInfo) {
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = strings.TrimPrefix(v, "v")
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Commit = cmp.Or(b.Commit, setting.Value)
		case "vcs.time":
			b.Date = cmp.Or(b.Date, setting.Value)
		}
	}
}
