package deps

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

	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

// process is a program with settings and streams of its own.
func process(t *testing.T, output, stdin string) (d *Deps, stdout *bytes.Buffer) {
	t.Helper()
	stdout = &bytes.Buffer{}
	base, err := config.ParseBaseURL("https://payments.example")
	require.NoError(t, err)
	return &Deps{
		Streams: &term.Streams{In: strings.NewReader(stdin), Out: stdout, Err: &bytes.Buffer{}},
		Now:     func() time.Time { return time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC) },
		Options: &Options{},
		Settings: func() (config.Settings, error) {
			return config.Settings{Output: output, BaseURL: base, Origin: config.Origin(base)}, nil
		},
	}, stdout
}

func TestBodyTakesFlagsOverTheInputFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "account.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"type": "business", "legalName": "Old", "country": "GB"}`), 0o600))
	d, _ := process(t, "json", "")
	var body Body[payments.NewAccount]
	var got payments.NewAccount
	cmd := &cobra.Command{RunE: func(cmd *cobra.Command, _ []string) (err error) {
		got, err = body.Read(d, cmd)
		return err
	}}
	body.Flag(cmd, "legal-name", "", func(a *payments.NewAccount) *string { return &a.LegalName })
	body.Flag(cmd, "country", "", func(a *payments.NewAccount) *string { return &a.Country })
	body.AddInput(cmd)
	cmd.SetArgs([]string{"--input", path, "--legal-name", "New"})
	require.NoError(t, cmd.Execute())
	require.Equal(t, payments.NewAccount{Type: "business", LegalName: "New", Country: "GB"}, got)
}

func TestInputMistakesNameLineAndColumn(t *testing.T) {
	t.Parallel()
	for content, place := range map[string]string{
		"{\n  \"email\": oops\n}":       "standard input:2:12: ",
		"{\"email\": 1}":                "/email cannot be a number",
		"{\"email\": [1]}":              "/email cannot be an array",
		"[1]":                           "standard input:1:1: an array cannot stand here, where an object is wanted",
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
	for _, text := range []string{"", "yesterday", "-1h", "2026-13-01", "0s", "2026-01-31T9:00:00Z"} {
		var m Moment
		require.Error(t, m.Set(text), text)
	}
	require.True(t, (&Moment{}).At(now).IsZero())
}

// pages serves n numbers, as many at once as it is asked for, and counts the questions.
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
		err := Show(t.Context(), d, c.list, []term.Column{{Header: "N"}}, "None.", pages(c.rows, &asked), func(int) []term.Cell { return nil })
		require.NoError(t, err)
		require.Equal(t, c.asked, asked)
		require.Equal(t, c.shown, strings.Count(stdout.String(), "\n"))
	}
}

func TestAListThatFailsMidwayKeepsItsOutputWhole(t *testing.T) {
	t.Parallel()
	d, stdout := process(t, "json", "")
	calls := 0
	err := Show(t.Context(), d, List{All: true}, nil, "", func(payments.PageQuery) ([]int, *string, error) {
		if calls++; calls > 1 {
			return nil, nil, errors.New("gone")
		}
		return []int{1}, new("more"), nil
	}, func(int) []term.Cell { return nil })
	require.ErrorContains(t, err, "gone")
	require.JSONEq(t, "[1]", stdout.String())
}

func TestMustAsk(t *testing.T) {
	t.Parallel()
	d, _ := process(t, "json", "")
	_, err := d.MustAsk("sending money")
	require.ErrorIs(t, err, ErrUsage, "nobody can be asked")
	d.InTTY, d.ErrTTY = true, true
	asks, err := d.MustAsk("sending money")
	require.NoError(t, err)
	require.True(t, asks)
	d.Options.Yes = true
	asks, err = d.MustAsk("sending money")
	require.NoError(t, err)
	require.False(t, asks)
}

func TestShowOneSettlesTheFormBeforeItAsks(t *testing.T) {
	t.Parallel()
	d, _ := process(t, "json", "")
	d.Options.JQ = ".["
	d.Payments = func() (payments.Service, error) {
		t.Error("the service was asked")
		return nil, errors.New("asked")
	}
	_, err := ShowOne(t.Context(), d, func(payments.Service) (int, error) { return 1, nil }, nil)
	require.ErrorIs(t, err, ErrUsage)
}

func TestWithin(t *testing.T) {
	t.Parallel()
	late := errors.New("late")
	err := Within(t.Context(), time.Nanosecond, func(ctx context.Context) error {
		<-ctx.Done()
		return context.Cause(ctx)
	}, func() error { return late })
	require.ErrorIs(t, err, late)
	err = Within(t.Context(), time.Hour, func(context.Context) error { return errors.New("own") }, func() error { return late })
	require.ErrorContains(t, err, "own")
}

func TestReferenceKeyIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	require.NotEqual(t, ReferenceKey("createAutoTransfer", "invoice-42"), ReferenceKey("createAutoTransfer", "invoice-43"))
	require.NotEqual(t, ReferenceKey("createAutoTransfer", "x"), ReferenceKey("cancelTransfer", "x"))
	require.Equal(t, "payctl-1c008b5c40dfadd82f17a001668a4049", ReferenceKey("createAutoTransfer", "invoice-42").Key,
		"a change of this hash would pay every open reference again")
}

// The commands of a hint go where the one before went; what is said of the program is no command.
func TestAddressed(t *testing.T) {
	t.Parallel()
	d, _ := process(t, "", "")
	d.Options.Profile, d.Options.BaseURL = "work", "https://other.example"
	const flags = "payctl -p work --base-url https://other.example "
	for hint, addressed := range map[string]string{
		"payctl auth login": flags + "auth login",
		"read (payctl accounts list, payctl transfer list)": "read (" + flags + "accounts list, " + flags + "transfer list)",
		"payctl serve --addr [::1]:9":                       "payctl serve --addr [::1]:9",
		"payctl profile use work":                           "payctl profile use work",
		"install payctl anew":                               "install payctl anew",
		"wait for the other payctl to end":                  "wait for the other payctl to end",
		"use a version of payctl that knows this; until then payctl api makes any call": "use a version of payctl that knows this; until then " + flags + "api makes any call",
	} {
		require.Equal(t, addressed, d.Addressed(hint))
	}
	for _, refused := range []string{"", "http://user:secret@127.0.0.1:1", "ftp://user:secret@x"} {
		d.Options.BaseURL = refused
		require.Equal(t, "payctl -p work profile show", d.Addressed("payctl profile show"))
	}
	d.Options.CACert, d.Options.CredentialStore, d.Options.AllowInsecureHTTP = "our ca.pem", "file", true
	require.Equal(t, "payctl -p work --ca-cert 'our ca.pem' --credential-store file --allow-insecure-http auth login", d.Addressed("payctl auth login"))
	d.Options.CredentialStore = "no-such-store"
	require.NotContains(t, d.Addressed("payctl auth login"), "--credential-store")
}
