package version

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

const releasePage = "https://github.com/payctl/payctl/releases/tag/v"

// runCheck runs `version --check` of a build, while the latest release is another version.
func runCheck(t *testing.T, own, latest, output string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	b := build
	b.Version = own
	cmd := New(&cmdutil.Deps{
		Streams: &ui.Streams{Out: &out, Err: &bytes.Buffer{}}, Build: b, Options: &cmdutil.Options{Output: output},
		Settings: func() (settings.Settings, error) { return settings.Settings{Output: output}, nil },
		Getenv:   func(string) string { return "" },
		Latest: func(context.Context) (cmdutil.Release, error) {
			if latest == "" {
				return cmdutil.Release{}, errors.New("unreachable")
			}
			return cmdutil.Release{Version: latest, URL: releasePage + latest}, nil
		},
	})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs([]string{"--check"})
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

// TestCheckComparesVersions: by the rules of semantic versions, not as texts.
func TestCheckComparesVersions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ own, latest, answer, says string }{
		{"0.1.0", "0.1.0", "false", "payctl 0.1.0 is the latest version.\n"},
		{"0.1.0", "0.2.0", "true", "payctl 0.2.0 is available; this is 0.1.0."},
		{"0.9.0", "0.10.0", "true", "payctl 0.10.0 is available"},
		{"0.10.0", "0.9.0", "false", "payctl 0.10.0 is newer than the latest version, which is 0.9.0.\n"},
		{"0.2.0-rc.1", "0.2.0", "true", "payctl 0.2.0 is available"},
		{"0.2.0-rc.2", "0.2.0-rc.10", "true", "payctl 0.2.0-rc.10 is available"},
		{"0.3.0-rc.1", "0.2.0", "false", "is newer than the latest version"},
		{"dev", "0.2.0", "null", "payctl dev is a development build, which cannot be compared. The latest version is 0.2.0: " + releasePage + "0.2.0\n"},
		{"0.1.1-snapshot+abc1234", "0.2.0", "null", "development build"},
		{"0.1.0+dirty", "0.2.0", "null", "development build"},
		{"0.0.0-20261122000000-8cdb347aaaaa", "0.2.0", "null", "development build"},
		{"9a6138b4-dirty", "0.2.0", "null", "development build"},
	} {
		out, err := runCheck(t, c.own, c.latest, "table")
		require.NoError(t, err, c.own)
		require.Contains(t, out, c.says)
		out, err = runCheck(t, c.own, c.latest, "json")
		require.NoError(t, err, c.own)
		require.JSONEq(t, `{"version": "`+c.own+`", "commit": "abc1234", "date": "2026-01-02", "go": "go1.26", "os": "linux",
			"arch": "arm64", "latest": "`+c.latest+`", "updateAvailable": `+c.answer+`, "url": "`+releasePage+c.latest+`"}`, out)
	}
	out, err := runCheck(t, "0.1.0", "0.2.0", "csv")
	require.NoError(t, err)
	require.Equal(t, "version,commit,date,go,os,arch,latest,updateAvailable,url\n"+
		"0.1.0,abc1234,2026-01-02,go1.26,linux,arm64,0.2.0,true,"+releasePage+"0.2.0\n", out)
}

func TestCheckThatFailsPrintsNothing(t *testing.T) {
	t.Parallel()
	out, err := runCheck(t, "0.1.0", "", "table")
	require.ErrorContains(t, err, "unreachable")
	require.Empty(t, out)
}

// TestUpgradeFitsTheInstallation: who installed with Go is given the line; the page has all others.
func TestUpgradeFitsTheInstallation(t *testing.T) {
	t.Parallel()
	found := checked{Build: cmdutil.Build{Version: "0.1.0"}, Latest: "0.2.0", UpdateAvailable: new(true), URL: "U"}
	require.Equal(t, "payctl 0.2.0 is available; this is 0.1.0. What is new: U\nTo upgrade: "+installURL, found.sentence(-1))
	found.Installed = true
	require.Contains(t, found.sentence(-1), "To upgrade: go install github.com/payctl/payctl/cmd/payctl@v0.2.0")
}
