package profile

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

// home is a folder with a configuration; each run of the command is a process of its own in it.
type home struct {
	dir    string
	env    map[string]string
	flags  settings.Flags
	yes    bool
	typed  string // at a terminal, when there is one
	hasTTY bool

	out, err string
}

func newHome(t *testing.T) *home {
	t.Helper()
	return &home{dir: t.TempDir(), env: map[string]string{}, flags: settings.Flags{}}
}

func (h *home) run(t *testing.T, args ...string) error {
	t.Helper()
	var out, screen bytes.Buffer
	getenv := func(name string) string { return h.env[name] }
	file, loadErr := settings.Load(h.dir, nil)
	d := &cmdutil.Deps{
		Streams: &ui.Streams{In: strings.NewReader(h.typed), Out: &out, Err: &screen, InTTY: h.hasTTY, ErrTTY: h.hasTTY},
		Getenv:  getenv,
		Options: &cmdutil.Options{Yes: h.yes},
		Config:  func() (*settings.File, error) { return file, loadErr },
		Settings: func() (settings.Settings, error) {
			if loadErr != nil {
				return settings.Settings{}, loadErr
			}
			return file.Resolve(h.flags, getenv)
		},
	}
	d.Options.Output = h.flags[settings.KeyOutput]
	cmd := New(d)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(t.Context())
	h.out, h.err = out.String(), screen.String()
	return err
}

func (h *home) saved(t *testing.T) *settings.File {
	t.Helper()
	file, err := settings.Load(h.dir, nil)
	require.NoError(t, err)
	return file
}

func TestAliasConfig(t *testing.T) {
	t.Parallel()
	require.Contains(t, New(&cmdutil.Deps{}).Aliases, "config")
}

func TestSetUseAndRemoveAreSaved(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	require.NoError(t, h.run(t, "set", "work", "base_url", "https://work.example"))
	require.NoError(t, h.run(t, "set", "work", "operations.getKycStatus", "GET /kyc/{accountId}/v2"))
	require.NoError(t, h.run(t, "set", "work", "client_id", "me"))
	require.NoError(t, h.run(t, "set", "work", "client_id", ""))
	require.NoError(t, h.run(t, "use", "work"))
	require.Equal(t, "work", h.saved(t).Current())
	entries, err := h.saved(t).ProfileEntries("work")
	require.NoError(t, err)
	values := map[string]string{}
	for _, e := range entries {
		values[e.Key] = e.Value
	}
	require.Equal(t, map[string]string{
		"base_url": "https://work.example", "operations.getKycStatus": "GET /kyc/{accountId}/v2",
	}, values)

	h.yes = true
	require.NoError(t, h.run(t, "remove", "work"))
	require.Equal(t, []string{settings.DefaultProfile}, h.saved(t).Profiles())
	require.Equal(t, settings.DefaultProfile, h.saved(t).Current())
}

func TestMistakesChangeNothing(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for _, args := range [][]string{
		{"set", "work", "base_ulr", "https://work.example"},
		{"set", "work", "base_url", "ftp://work.example"},
		{"set", "work", "client_secret", "s3cret"},
		{"set", "no such name", "base_url", "https://work.example"},
		{"use", "nowhere"}, {"remove", "nowhere"}, {"show", "nowhere"},
	} {
		err := h.run(t, args...)
		require.ErrorAs(t, err, new(*settings.Error), "%q", args)
		require.NotContains(t, err.Error(), "s3cret")
	}
	for _, args := range [][]string{{"set", "work", "base_url"}, {"use"}, {"remove"}, {"show", "a", "b"}, {"list", "a"}, {"nonsense"}} {
		require.ErrorIs(t, h.run(t, args...), cmdutil.ErrUsage, "%q", args)
	}
	require.NoFileExists(t, h.saved(t).Path())
}

func TestListMarksTheCurrentProfile(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	require.NoError(t, h.run(t, "set", "work", "base_url", "https://work.example"))
	require.NoError(t, h.run(t, "set", "work", "client_id", "me"))
	require.NoError(t, h.run(t, "use", "work"))

	require.NoError(t, h.run(t, "list"))
	lines := strings.Split(h.out, "\n")
	require.Len(t, lines, 4)
	require.NotContains(t, lines[1], "current")
	for _, part := range []string{"work", "https://work.example", "me", "current"} {
		require.Contains(t, strings.Split(lines[2], "\t"), part)
	}

	h.flags[settings.KeyOutput] = "json"
	require.NoError(t, h.run(t, "list"))
	var rows []map[string]any
	require.NoError(t, json.Unmarshal([]byte(h.out), &rows))
	require.Equal(t, "local", rows[0]["name"])
	require.Equal(t, settings.DefaultBaseURL, rows[0]["baseUrl"])
	require.Equal(t, false, rows[0]["current"])
	require.Equal(t, true, rows[1]["current"])
}

func TestShowNamesTheSourceOfEveryValueAndHidesSecrets(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	require.NoError(t, h.run(t, "set", "work", "base_url", "https://work.example"))
	require.NoError(t, h.run(t, "set", "work", "retries", "7"))
	require.NoError(t, h.run(t, "use", "work"))
	h.env["PAYCTL_TOKEN"], h.env["PAYCTL_CLIENT_ID"] = "t0p-s3cret", "from-env"
	h.flags[settings.KeyOutput] = "json"

	require.NoError(t, h.run(t, "show"))
	require.NotContains(t, h.out, "t0p-s3cret")
	var entries []settings.Entry
	require.NoError(t, json.Unmarshal([]byte(h.out), &entries))
	shown := map[string]settings.Entry{}
	for _, e := range entries {
		shown[e.Key] = e
	}
	require.Equal(t, settings.Entry{Key: "client_id", Value: "from-env", Source: "environment PAYCTL_CLIENT_ID"}, shown["client_id"])
	require.Equal(t, settings.Entry{Key: "output", Value: "json", Source: "flag --output"}, shown["output"])
	require.Equal(t, "7", shown["retries"].Value)
	require.Contains(t, string(shown["retries"].Source), "profile work (")
	require.Equal(t, settings.Source("built-in default"), shown["timeout"].Source)
	require.NotEmpty(t, shown["token"].Value)

	require.NoError(t, h.run(t, "show", "work"))
	require.NotContains(t, h.out, "from-env", "a named profile is shown for itself")
	require.NotContains(t, h.out, "timeout")
	require.Contains(t, h.out, "https://work.example")
}

func TestUseTellsWhenTheEnvironmentWins(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	require.NoError(t, h.run(t, "set", "work", "base_url", "https://work.example"))
	h.env[settings.EnvProfile] = "local"
	require.NoError(t, h.run(t, "use", "work"))
	require.Contains(t, h.err, settings.EnvProfile)
	h.env[settings.EnvProfile] = "work"
	require.NoError(t, h.run(t, "use", "work"))
	require.NotContains(t, h.err, settings.EnvProfile)
}

// A profile without a base URL stops every call to a service, but not the commands that fix the profile.
func TestAProfileThatCannotBeUsedCanBeSeenAndFixed(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	require.NoError(t, h.run(t, "set", "work", "client_id", "me"))
	require.NoError(t, h.run(t, "use", "work"))
	require.Contains(t, h.err, "payctl profile set work base_url URL")
	require.NoError(t, h.run(t, "list"))
	require.Contains(t, h.out, "work")
	require.NoError(t, h.run(t, "show", "work"))
	require.Contains(t, h.out, "client_id\tme\t")
	require.ErrorAs(t, h.run(t, "show"), new(*settings.Error))
}

func TestChangesInJSONAreJSON(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.flags[settings.KeyOutput], h.yes = "json", true
	require.NoError(t, h.run(t, "set", "work", "retries", "2"))
	require.JSONEq(t, `{"profile": "work", "key": "retries", "value": "2"}`, h.out)
	require.NoError(t, h.run(t, "use", "work"))
	require.JSONEq(t, `{"current": "work"}`, h.out)
	require.NoError(t, h.run(t, "remove", "work"))
	require.JSONEq(t, `{"profile": "work", "removed": true}`, h.out)
}

func TestRemoveAsksAtATerminal(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	require.NoError(t, h.run(t, "set", "work", "base_url", "https://work.example"))
	h.hasTTY = true
	for _, answer := range []string{"n\n", "\n", ""} {
		h.typed = answer
		require.ErrorIs(t, h.run(t, "remove", "work"), cmdutil.ErrDeclined)
		require.Contains(t, h.saved(t).Profiles(), "work")
	}
	h.typed = "y\n"
	require.NoError(t, h.run(t, "remove", "work"))
	require.NotContains(t, h.saved(t).Profiles(), "work")
}
