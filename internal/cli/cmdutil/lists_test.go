package cmdutil

import (
	"bytes"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

func printing(format string) (*Deps, *bytes.Buffer) {
	var out bytes.Buffer
	return &Deps{
		Streams:  &ui.Streams{In: &bytes.Buffer{}, Out: &out, Err: &bytes.Buffer{}},
		Options:  &Options{},
		Now:      time.Now,
		Settings: func() (settings.Settings, error) { return settings.Settings{Output: format}, nil },
	}, &out
}

// listing shows the rows that fetch returns.
func listing[T any](columns []Column[T], fetch func(payments.PageQuery) ([]T, *string, error)) Listing[T] {
	return Listing[T]{Columns: columns, Empty: "None.", Query: func() (*Query[T], error) { return &Query[T]{Fetch: fetch}, nil }}
}

func TestListsPrintEachPageBeforeTheyAskForTheNext(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"table", "csv", "ndjson", "json", "yaml"} {
		d, out := printing(format)
		asked := 0
		fetch := func(q payments.PageQuery) ([]string, *string, error) {
			if asked > 0 {
				require.Contains(t, out.String(), "row "+strconv.Itoa(asked), format)
			}
			asked++
			next := strconv.Itoa(asked)
			if asked == 5 {
				return []string{"row 5"}, nil, nil
			}
			require.Equal(t, payments.LargestPage, q.Limit)
			return []string{"row " + next}, &next, nil
		}
		columns := []Column[string]{{Column: ui.Column{Header: "Row"}, Cell: ui.Text}}
		require.NoError(t, PrintList(t.Context(), d, List{All: true}, listing(columns, fetch)))
		require.Equal(t, 5, asked)
		require.Contains(t, out.String(), "row 5")
	}
}

func TestListsEndWellWhenAPageFails(t *testing.T) {
	t.Parallel()
	d, out := printing("json")
	lost := errors.New("lost")
	fetch := func(q payments.PageQuery) ([]string, *string, error) {
		if q.Cursor != "" {
			return nil, nil, lost
		}
		next := "next"
		return []string{"one"}, &next, nil
	}
	err := PrintList(t.Context(), d, List{Limit: 300}, listing(nil, fetch))
	require.ErrorIs(t, err, lost)
	require.JSONEq(t, `["one"]`, out.String())
	require.ErrorIs(t, PrintList(t.Context(), d, List{Limit: 0}, listing(nil, fetch)), ErrUsage)
	require.ErrorIs(t, PrintList(t.Context(), d, List{Limit: -1}, listing(nil, fetch)), ErrUsage)
}

func TestAFilterSeesEachRowOfAFeedAsItComes(t *testing.T) {
	t.Parallel()
	d, out := printing("table")
	d.Options.JQ = ".n"
	printer, err := d.FeedPrinter(t.Context())
	require.NoError(t, err)
	stream := printer.Stream(nil)
	require.NoError(t, stream.Write(map[string]int{"n": 7}, nil))
	require.Equal(t, "7\n", out.String())
	d.Options.Output = "json"
	printer, err = d.FeedPrinter(t.Context())
	require.NoError(t, err)
	require.Equal(t, ui.FormatJSON, printer.Format())
}

func TestDoneIsARowOfItsMembers(t *testing.T) {
	t.Parallel()
	d, out := printing("csv")
	printer, err := d.Printer(t.Context())
	require.NoError(t, err)
	result := struct {
		Profile string  `json:"profile"`
		Removed bool    `json:"removed"`
		Note    *string `json:"note"`
	}{"=desk", true, nil}
	require.NoError(t, d.Done(printer, result, "Done."))
	require.Equal(t, "profile,removed,note\n'=desk,true,\n", out.String())
}

// A list that begins anew at its end is not shown for ever.
func TestAListWithoutAnEnd(t *testing.T) {
	t.Parallel()
	d, stdout := printing("json")
	err := PrintList(t.Context(), d, List{All: true}, listing(nil, func(payments.PageQuery) ([]string, *string, error) {
		return []string{"again"}, new("here"), nil
	}))
	require.ErrorIs(t, err, payments.ErrEndless)
	require.JSONEq(t, `["again", "again"]`, stdout.String())
}
