package app

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/payctl/payctl/internal/cli/deps"
)

// unversioned is the version of a program that was linked without one.
const unversioned = "dev"

// Set when the program is linked.
var (
	version = unversioned
	commit  = ""
	date    = ""
)

// build is what this program says of itself. `go install` links none of it, and puts down what it knows in a place of its own.
func build() deps.Build {
	b := deps.Build{Version: version, Commit: commit, Date: date, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	if version == unversioned {
		if info, ok := debug.ReadBuildInfo(); ok {
			recorded(&b, info)
		}
	}
	return b
}

// recorded adds what Go put down when it built the program; a release is named as where it was linked by name, without a v.
func recorded(b *deps.Build, info *debug.BuildInfo) {
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
