package resource

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// process returns the Deps of a program with its own settings and streams.
func process(t *testing.T, output string) (d *cmdutil.Deps, stdout *bytes.Buffer) {
	t.Helper()
	stdout = &bytes.Buffer{}
	return &cmdutil.Deps{
		Streams:  &ui.Streams{In: &bytes.Buffer{}, Out: stdout, Err: &bytes.Buffer{}},
		Now:      func() time.Time { return time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC) },
		Options:  &cmdutil.Options{},
		Getenv:   func(string) string { return "" },
		Settings: func() (settings.Settings, error) { return settings.Settings{Output: output}, nil },
	}, stdout
}

// A listService lists transfers, newest first.
type listService struct {
	rows    []payments.Transfer
	applies func(payments.TransferFilter, payments.Transfer) bool // its own filter; nil means none
	filter  payments.TransferFilter
	asked   []payments.TransferFilter
}

func (s *listService) fetch(q payments.PageQuery) (Page[payments.Transfer], error) {
	s.filter.PageQuery = q
	s.asked = append(s.asked, s.filter)
	from, _ := strconv.Atoi(q.Cursor)
	var page []payments.Transfer
	for i := from; i < len(s.rows); i++ {
		if s.applies != nil && !s.applies(s.filter, s.rows[i]) {
			continue
		}
		if len(page) == q.Limit {
			return Page[payments.Transfer]{Rows: page, Next: new(strconv.Itoa(i))}, nil
		}
		page = append(page, s.rows[i])
	}
	return Page[payments.Transfer]{Rows: page}, nil
}

var day = time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC)

// newListService has 250 transfers, one an hour. Every fifth has the route r, every second the state failed.
func newListService() *listService {
	s := &listService{}
	for i := range 250 {
		created := day.Add(time.Duration(100-i) * time.Hour)
		t := payments.Transfer{ID: strconv.Itoa(i), Route: "other", State: "failed", CreatedAt: created}
		if i%5 == 0 {
			t.Route = "r"
		}
		if i%2 == 0 {
			t.State = "canceled"
		}
		t.Source.Amount = new(money.MustDecimal(strconv.Itoa(i*7%250) + ".5"))
		s.rows = append(s.rows, t)
	}
	return s
}

func (s *listService) query() *ListQuery[payments.Transfer] {
	return &ListQuery[payments.Transfer]{
		Fetch: s.fetch, Created: func(t payments.Transfer) time.Time { return t.CreatedAt },
		Matches: func(t payments.Transfer) bool { return s.filter.Matches(t) },
	}
}

var transfers = Table[payments.Transfer]{
	{Column: ui.Column{Header: "Transfer", Name: "id"}},
	{Column: ui.Column{Header: "State"}},
	{Column: ui.Column{Header: "Route"}, In: IfAsked},
	{Column: ui.Column{Header: "Sends"}, In: InTable, SortBy: "sourceAmount",
		Cell: func(t payments.Transfer) ui.Cell { return ui.Text(t.Source.Amount.String() + " USD") }},
	{Column: ui.Column{Header: "Source amount", Name: "sourceAmount", Right: true}, At: "source/amount", In: InCSV},
	{Column: ui.Column{Header: "Refund", Name: "refund"}, At: "refund/amount", In: IfAsked},
	{Column: ui.Column{Header: "Created", Name: "createdAt"}, In: IfAsked},
}

// run prints the list with these arguments. It returns the first cell of each row, and the notes.
func (s *listService) run(t *testing.T, line string) (ids []string, notes string, err error) {
	t.Helper()
	d, out := process(t, "csv")
	var l List
	cmd := &cobra.Command{RunE: func(cmd *cobra.Command, _ []string) error {
		printer, err := NewListPrinter(cmd.Context(), d, l, transfers)
		if err != nil {
			return err
		}
		return printer.Print(s.query())
	}, SilenceErrors: true, SilenceUsage: true}
	l.AddTo(cmd, transfers.Names())
	cmd.SetArgs(strings.Fields(line))
	err = cmd.ExecuteContext(t.Context())
	for row := range strings.Lines(out.String()) {
		id, _, _ := strings.Cut(strings.TrimSuffix(row, "\n"), ",")
		ids = append(ids, id)
	}
	return ids[min(len(ids), 1):], d.Err.(*bytes.Buffer).String(), err
}

// Rows that the service filtered are not filtered again. No more pages are read than needed.
func TestAServiceThatFilters(t *testing.T) {
	t.Parallel()
	s := newListService()
	s.applies, s.filter.Route = payments.TransferFilter.Matches, "r"
	ids, notes, err := s.run(t, "--limit 3")
	require.NoError(t, err)
	require.Equal(t, []string{"0", "5", "10"}, ids)
	require.Equal(t, "Showing 3; use --all or --limit N\n", notes)
	require.Len(t, s.asked, 1)
	require.Equal(t, 3, s.asked[0].Limit)

	ids, notes, err = s.run(t, "--limit 50")
	require.NoError(t, err)
	require.Len(t, ids, 50)
	require.Empty(t, notes, "these are all rows")
}

// If the service ignores filters, payctl filters. --limit counts the rows that match.
func TestAServiceThatIgnoresFilters(t *testing.T) {
	t.Parallel()
	s := newListService()
	s.filter.Route, s.filter.States = "r", []payments.TransferState{"canceled", "in_review"}
	ids, notes, err := s.run(t, "--limit 12")
	require.NoError(t, err)
	require.Equal(t, []string{"0", "10", "20", "30", "40", "50", "60", "70", "80", "90", "100", "110"}, ids)
	require.Equal(t, "Showing 12; use --all or --limit N\n", notes)
	for _, asked := range s.asked[1:] {
		require.Equal(t, payments.LargestPage, asked.Limit)
	}

	aDay := "--all --created-after 2026-02-28T00:00:00Z --created-before 2026-03-01T00:00:00Z"
	ids, _, err = newListService().run(t, aDay)
	require.NoError(t, err)
	require.Len(t, ids, 24)
	require.Equal(t, []string{"77", "100"}, []string{ids[0], ids[23]}, "23:00 and exactly 00:00")
}

// Sorting reads all rows first, and compares numbers as numbers and times as times.
func TestListsAreSorted(t *testing.T) {
	t.Parallel()
	s := newListService()
	for line, want := range map[string][]string{
		"--sort sends --limit 3":                         {"0", "143", "36"},
		"--sort -sourceAmount --limit 3":                 {"107", "214", "71"},
		"--sort createdAt --limit 2":                     {"249", "248"},
		"--sort state,-created --limit 2":                {"0", "2"},
		"--sort -state --sort source-amount --limit 2":   {"143", "179"},
		"--sort id --columns id --limit 3":               {"0", "1", "10"},
		"--columns ID,sends --sort -createdAt --limit 1": {"0"},
	} {
		ids, notes, err := s.run(t, line)
		require.NoError(t, err, line)
		require.Equal(t, want, ids, line)
		require.Contains(t, notes, "Showing "+strconv.Itoa(len(want)))
	}
	for _, line := range []string{"--sort amount", "--columns id,stat", "--columns nothing", "--sort -"} {
		s.asked = nil
		_, _, err := s.run(t, line)
		require.ErrorIs(t, err, cmdutil.ErrUsage, line)
		require.Empty(t, s.asked, "nothing is sent")
	}
	_, _, err := s.run(t, "--columns id,stat")
	var usage *cmdutil.Error
	require.ErrorAs(t, err, &usage)
	require.Equal(t, []shell.Hint{shell.Note("did you mean %s?", "state")}, usage.Next)
}

// The number of rows to sort is limited.
func TestAListTooLongToSort(t *testing.T) {
	t.Parallel()
	endless := func(q payments.PageQuery) (Page[payments.Transfer], error) {
		n, _ := strconv.Atoi(q.Cursor)
		return Page[payments.Transfer]{Rows: make([]payments.Transfer, q.Limit), Next: new(strconv.Itoa(n + 1))}, nil
	}
	d, _ := process(t, "csv")
	flags := List{Columns: Columns{sort: []string{"id"}}}
	printer, err := NewListPrinter(t.Context(), d, flags, transfers)
	require.NoError(t, err)
	err = printer.Print(&ListQuery[payments.Transfer]{Fetch: endless})
	require.ErrorIs(t, err, cmdutil.ErrUsage)
	require.ErrorContains(t, err, "100,000")
}

// A list that grows while it is read shows a row on two pages. A sum of amounts must not count it twice.
func TestARowThatTwoPagesHaveCountsOnce(t *testing.T) {
	t.Parallel()
	of := func(ids ...string) (rows []payments.Transfer) {
		for _, id := range ids {
			rows = append(rows, payments.Transfer{ID: id})
		}
		return rows
	}
	pages := map[string][]payments.Transfer{"": of("5", "4", ""), "a": of("4", "3", ""), "b": of("3", "5", "2")}
	next := map[string]*string{"": new("a"), "a": new("b")}
	query := &ListQuery[payments.Transfer]{
		Fetch: func(q payments.PageQuery) (Page[payments.Transfer], error) {
			return Page[payments.Transfer]{Rows: pages[q.Cursor], Next: next[q.Cursor]}, nil
		},
	}
	all, err := query.all()
	require.NoError(t, err)
	require.Equal(t, of("5", "4", "", "3", "", "2"), all, "rows without an identifier cannot be compared")
	require.Equal(t, of("5", "4", ""), pages[""], "the page is unchanged")
}
