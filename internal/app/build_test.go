package app

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

func TestWhatGoRecordedOfTheBuild(t *testing.T) {
	t.Parallel()
	vcs := []debug.BuildSetting{{Key: "vcs.revision", Value: "8cdb347"}, {Key: "vcs.time", Value: "2026-11-22T00:00:00Z"}}
	for _, c := range []struct {
		module   string
		settings []debug.BuildSetting
		before   cmdutil.Build
		after    cmdutil.Build
	}{
		{"v1.2.3", nil, cmdutil.Build{Version: unversioned}, cmdutil.Build{Version: "1.2.3"}},
		{"(devel)", nil, cmdutil.Build{Version: unversioned}, cmdutil.Build{Version: unversioned}},
		{"", vcs, cmdutil.Build{Version: unversioned}, cmdutil.Build{Version: unversioned, Commit: "8cdb347", Date: "2026-11-22T00:00:00Z"}},
		{"v0.0.0-20261122000000-8cdb347aaaaa+dirty", vcs, cmdutil.Build{Version: unversioned, Commit: "linked"},
			cmdutil.Build{Version: "0.0.0-20261122000000-8cdb347aaaaa+dirty", Commit: "linked", Date: "2026-11-22T00:00:00Z"}},
	} {
		b := c.before
		addBuildInfo(&b, &debug.BuildInfo{Main: debug.Module{Version: c.module}, Settings: c.settings})
		require.Equal(t, c.after, b, c.module)
	}
}
