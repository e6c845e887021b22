package version

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/term"
)

var build = deps.Build{Version: "1.2.3", Commit: "abc1234", Date: "2026-01-02", Go: "go1.26", OS: "linux", Arch: "arm64"}

func execute(t *testing.T, b deps.Build, o deps.Options, settings func() (config.Settings, error), args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := New(&deps.Deps{
		Streams: &term.Streams{Out: &out, Err: &bytes.Buffer{}}, Build: b, Options: &o, Settings: settings,
		Getenv: func(string) string { return "" },
	})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

func broken() (config.Settings, error) {
	return config.Settings{}, errors.New("the configuration is broken")
}

func TestVersionWorksWithABrokenConfiguration(t *testing.T) {
	t.Parallel()
	out, err := execute(t, build, deps.Options{}, broken)
	require.NoError(t, err)
	require.Equal(t, "payctl 1.2.3 (abc1234, 2026-01-02, go1.26, linux/arm64)\n", out)

	out, err = execute(t, deps.Build{Version: "dev", Go: "go1.26", OS: "linux", Arch: "arm64"}, deps.Options{}, broken)
	require.NoError(t, err)
	require.Equal(t, "payctl dev (go1.26, linux/arm64)\n", out, "what is not known is left out")
}

func TestVersionInJSONWithABrokenConfiguration(t *testing.T) {
	t.Parallel()
	out, err := execute(t, build, deps.Options{Output: "json"}, broken)
	require.NoError(t, err)
	var got deps.Build
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	require.Equal(t, build, got)
}

func TestVersionInTheFormOfTheSettings(t *testing.T) {
	t.Parallel()
	settings := func() (config.Settings, error) { return config.Settings{Output: "json"}, nil }
	out, err := execute(t, build, deps.Options{}, settings)
	require.NoError(t, err)
	require.JSONEq(t, `{"version": "1.2.3", "commit": "abc1234", "date": "2026-01-02", "go": "go1.26", "os": "linux", "arch": "arm64"}`, out)
}

func TestVersionInJSON(t *testing.T) {
	t.Parallel()
	settings := func() (config.Settings, error) { return config.Settings{Output: "json"}, nil }
	out, err := execute(t, build, deps.Options{Output: "json"}, settings)
	require.NoError(t, err)
	var got deps.Build
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	require.Equal(t, build, got)
}

func TestVersionTakesNoArgument(t *testing.T) {
	t.Parallel()
	_, err := execute(t, build, deps.Options{}, broken, "extra")
	require.ErrorIs(t, err, deps.ErrUsage)
}
