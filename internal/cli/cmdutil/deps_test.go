package cmdutil

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// process is a program with settings and streams of its own.
func process(t *testing.T, output, stdin string) (d *Deps, stdout *bytes.Buffer) {
	t.Helper()
	stdout = &bytes.Buffer{}
	base, err := settings.ParseBaseURL("https://payments.example")
	require.NoError(t, err)
	return &Deps{
		Streams: &ui.Streams{In: strings.NewReader(stdin), Out: stdout, Err: &bytes.Buffer{}},
		Now:     func() time.Time { return time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC) },
		Options: &Options{},
		Settings: func() (settings.Settings, error) {
			return settings.Settings{Output: output, BaseURL: base, Origin: settings.Origin(base)}, nil
		},
	}, stdout
}

func TestBodyTakesFlagsOverTheInputFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "account.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"type": "business", "legalName": "Old", "country": "GB"}`), 0o600))
	d, _ := process(t, "json", "")
	var body Body[payments.NewAccount]
	cmd := &cobra.Command{RunE: func(*cobra.Command, []string) error { return body.Read(t.Context(), d) }}
	body.Flag(cmd, &body.Value.LegalName, "legal-name", "")
	body.Flag(cmd, &body.Value.Country, "country", "")
	body.AddInput(cmd)
	cmd.SetArgs([]string{"--input", path, "--legal-name", "New"})
	require.NoError(t, cmd.Execute())
	require.Equal(t, payments.NewAccount{Type: "business", LegalName: "New", Country: "GB"}, body.Value)
}

func TestInputMistakesNameLineAndColumn(t *testing.T) {
	t.Parallel()
	for content, place := range map[string]string{
		"{\n  \"email\": oops\n}":       "standard input:2:12: ",
		"{\"email\": 1}":                "/email cannot be a number",
		"{\"email\": [1]}":              "/email cannot be an array",
		"[1]":                           "standard input:1:1: an array is not allowed here, where an object is expected",
		"{\"email\":\"a\",\"email\":1}": "standard input:1:14: ",
		"":                              "standard input:1:1: ",
		"{}{}":                          "standard input:1:3: ",
	} {
		d, _ := process(t, "json", content)
		in := Input{path: "-"}
		err := in.Read(t.Context(), d, &payments.NewAccount{})
		require.ErrorIs(t, err, ErrUsage, content)
		require.Contains(t, err.Error(), place, content)
	}
	d, _ := process(t, "json", strings.Repeat(" ", maxInput+1))
	require.ErrorContains(t, (&Input{path: "-"}).Read(t.Context(), d, &payments.NewAccount{}), "larger than")
	require.ErrorIs(t, (&Input{path: filepath.Join(t.TempDir(), "absent")}).Read(t.Context(), d, &payments.NewAccount{}), ErrUsage)
}

func TestMoment(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	for text, at := range map[string]time.Time{
		"2026-01-31T12:00:00Z":      time.Date(2026, time.January, 31, 12, 0, 0, 0, time.UTC),
		"2026-01-31T12:00:00+02:00": time.Date(2026, time.January, 31, 10, 0, 0, 0, time.UTC),
		"2026-01-31":                time.Date(2026, time.January, 31, 0, 0, 0, 0, time.UTC),
		"24h":                       now.Add(-24 * time.Hour),
	} {
		var m Moment
		require.NoError(t, m.Set(text))
		require.True(t, at.Equal(m.At(now)), "%s is %s", text, m.At(now))
	}
	for _, text := range []string{"", "-1h", "2026-13-01", "0s", "2026-01-31T9:00:00Z"} {
		var m Moment
		require.Error(t, m.Set(text), text)
	}
	require.True(t, (&Moment{}).At(now).IsZero())
}

// pages serves n numbers, as many at once as requested, and counts the requests.
func pages(n int, asked *[]int) func(payments.PageQuery) ([]int, *string, error) {
	next := 0
	return func(q payments.PageQuery) ([]int, *string, error) {
		*asked = append(*asked, q.Limit)
		var rows []int
		for ; len(rows) < q.Limit && next < n; next++ {
			rows = append(rows, next)
		}
		if next == n {
			return rows, nil, nil
		}
		return rows, new("from " + string(rune(next))), nil
	}
}

func TestListsPageByThemselves(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		list  List
		rows  int
		asked []int
		shown int
	}{
		{List{Limit: 20}, 7, []int{20}, 7},
		{List{Limit: 20}, 50, []int{20}, 20},
		{List{Limit: 150}, 500, []int{100, 50}, 150},
		{List{All: true}, 250, []int{100, 100, 100}, 250},
		{List{All: true}, 0, []int{100}, 0},
	} {
		d, stdout := process(t, "ndjson", "")
		var asked []int
		err := PrintList(t.Context(), d, c.list, listing(nil, pages(c.rows, &asked)))
		require.NoError(t, err)
		require.Equal(t, c.asked, asked)
		require.Equal(t, c.shown, strings.Count(stdout.String(), "\n"))
	}
}

func TestAListThatFailsMidwayKeepsItsOutputWhole(t *testing.T) {
	t.Parallel()
	d, stdout := process(t, "json", "")
	calls := 0
	err := PrintList(t.Context(), d, List{All: true}, listing(nil, func(payments.PageQuery) ([]int, *string, error) {
		if calls++; calls > 1 {
			return nil, nil, errors.New("gone")
		}
		return []int{1}, new("more"), nil
	}))
	require.ErrorContains(t, err, "gone")
	require.JSONEq(t, "[1]", stdout.String())
}

func TestMustAsk(t *testing.T) {
	t.Parallel()
	d, _ := process(t, "json", "")
	_, err := d.MustAsk("sending money")
	require.ErrorIs(t, err, ErrUsage, "there is no terminal to ask at")
	d.InTTY, d.ErrTTY = true, true
	asks, err := d.MustAsk("sending money")
	require.NoError(t, err)
	require.True(t, asks)
	d.Options.Yes = true
	asks, err = d.MustAsk("sending money")
	require.NoError(t, err)
	require.False(t, asks)
}

func TestPrintOneSettlesTheFormBeforeItAsks(t *testing.T) {
	t.Parallel()
	d, _ := process(t, "json", "")
	d.Options.JQ = ".["
	d.Payments = func() (payments.Service, error) {
		t.Error("the service was asked")
		return nil, errors.New("asked")
	}
	_, err := PrintOne(t.Context(), d, func(payments.Service) (int, error) { return 1, nil }, nil)
	require.ErrorIs(t, err, ErrUsage)
}

func TestWithin(t *testing.T) {
	t.Parallel()
	late := errors.New("late")
	err := RunWithTimeout(t.Context(), time.Nanosecond, func(ctx context.Context) error {
		<-ctx.Done()
		return context.Cause(ctx)
	}, func() error { return late })
	require.ErrorIs(t, err, late)
	err = RunWithTimeout(t.Context(), time.Hour, func(context.Context) error { return errors.New("own") }, func() error { return late })
	require.ErrorContains(t, err, "own")
}

// The commands of a hint go where the one before went; what is said of the program is no command.
func TestWithServiceFlags(t *testing.T) {
	t.Parallel()
	d, _ := process(t, "", "")
	d.Options.Profile, d.Options.BaseURL = "work", "https://other.example"
	const flags = "payctl -p work --base-url https://other.example "
	for hint, addressed := range map[string]string{
		"payctl auth login": flags + "auth login",
		"read (payctl accounts list, payctl transfer list)":                             "read (" + flags + "accounts list, " + flags + "transfer list)",
		"payctl serve --addr [::1]:9":                                                   "payctl serve --addr [::1]:9",
		"payctl profile use work":                                                       "payctl profile use work",
		"install payctl anew":                                                           "install payctl anew",
		"give the client's id; payctl auth login":                                       "give the client's id; " + flags + "auth login",
		"payctl transfer get 'payctl auth login'":                                       flags + "transfer get 'payctl auth login'",
		`payctl transfer get -- '-'\''payctl x' payctl-1`:                               flags + `transfer get -- '-'\''payctl x' payctl-1`,
		"payctl transfer list --batch 'a' 'b payctl x'":                                 flags + "transfer list --batch 'a' 'b payctl x'",
		"wait for the other payctl to end":                                              "wait for the other payctl to end",
		"use a version of payctl that knows this; until then payctl api makes any call": "use a version of payctl that knows this; until then " + flags + "api makes any call",
	} {
		require.Equal(t, addressed, d.WithServiceFlags(hint))
	}
	for _, refused := range []string{"", "http://user:secret@127.0.0.1:1", "ftp://user:secret@x"} {
		d.Options.BaseURL = refused
		require.Equal(t, "payctl -p work profile show", d.WithServiceFlags("payctl profile show"))
	}
	d.Options.CACert, d.Options.CredentialStore, d.Options.AllowInsecureHTTP = "our ca.pem", "file", true
	require.Equal(t, shell.Hint("payctl -p work --ca-cert FILE --credential-store file --allow-insecure-http auth login",
		shell.Values{"FILE": "our ca.pem"}), d.WithServiceFlags("payctl auth login"))
	d.Options.CACert = "a\nb"
	require.Contains(t, d.WithServiceFlags("payctl auth login"), " --ca-cert FILE ")
	d.Options.CredentialStore = "no-such-store"
	require.NotContains(t, d.WithServiceFlags("payctl auth login"), "--credential-store")
}
