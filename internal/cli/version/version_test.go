package version

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

var build = cmdutil.Build{Version: "1.2.3", Commit: "abc1234", Date: "2026-01-02", Go: "go1.26", OS: "linux", Arch: "arm64"}

func execute(t *testing.T, b cmdutil.Build, o cmdutil.Options, resolved func() (settings.Settings, error), args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := New(&cmdutil.Deps{
		Streams: &ui.Streams{Out: &out, Err: &bytes.Buffer{}}, Build: b, Options: &o, Settings: resolved,
		Getenv: func(string) string { return "" },
	})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

func broken() (settings.Settings, error) {
	return settings.Settings{}, errors.New("the configuration is broken")
}

func TestVersionWorksWithABrokenConfiguration(t *testing.T) {
	t.Parallel()
	out, err := execute(t, build, cmdutil.Options{}, broken)
	require.NoError(t, err)
	require.Equal(t, "payctl 1.2.3 (abc1234, 2026-01-02, go1.26, linux/arm64)\n", out)

	out, err = execute(t, cmdutil.Build{Version: "dev", Go: "go1.26", OS: "linux", Arch: "arm64"}, cmdutil.Options{}, broken)
	require.NoError(t, err)
	require.Equal(t, "payctl dev (go1.26, linux/arm64)\n", out, "what is not known is left out")
}

func TestVersionInJSONWithABrokenConfiguration(t *testing.T) {
	t.Parallel()
	out, err := execute(t, build, cmdutil.Options{Output: "json"}, broken)
	require.NoError(t, err)
	var got cmdutil.Build
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	require.Equal(t, build, got)
}

func TestVersionInTheFormOfTheSettings(t *testing.T) {
	t.Parallel()
	resolved := func() (settings.Settings, error) { return settings.Settings{Output: "json"}, nil }
	out, err := execute(t, build, cmdutil.Options{}, resolved)
	require.NoError(t, err)
	require.JSONEq(t, `{"version": "1.2.3", "commit": "abc1234", "date": "2026-01-02", "go": "go1.26", "os": "linux", "arch": "arm64"}`, out)
}

func TestVersionInJSON(t *testing.T) {
	t.Parallel()
	resolved := func() (settings.Settings, error) { return settings.Settings{Output: "json"}, nil }
	out, err := execute(t, build, cmdutil.Options{Output: "json"}, resolved)
	require.NoError(t, err)
	var got cmdutil.Build
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	require.Equal(t, build, got)
}

func TestVersionTakesNoArgument(t *testing.T) {
	t.Parallel()
	_, err := execute(t, build, cmdutil.Options{}, broken, "extra")
	require.ErrorIs(t, err, cmdutil.ErrUsage)
}
