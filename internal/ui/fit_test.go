package ui

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A narrow terminal loses the columns that matter least, never a part of an identifier or of a status.
func TestNarrowTablesKeepWhatMustBeRead(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	streams := &Streams{Out: &out, Err: &bytes.Buffer{}, OutTTY: true, UTF8: true, Columns: func() int { return 80 }}
	printer, err := NewPrinter(streams, FormatTable, "")
	require.NoError(t, err)
	require.NoError(t, printer.Print(nil, func() View {
		return Table{
			Columns: []Column{{Header: "Account"}, {Header: "Name"}, {Header: "Type"}, {Header: "KYC", Keep: true},
				{Header: "E-mail"}, {Header: "Country", Keep: true}, {Header: "Created"}},
			Rows: [][]Cell{{Text("acc_01m7y960xgw5v18ykq7sxc1nkp"), Text("Ada Lovelace-Byron"), Text("individual"),
				Text("resubmission_required"), Text("ada@example.com"), Text("GB"), Text("2026-11-21 05:27:35Z")}},
		}
	}))
	require.Equal(t, ""+
		"ACCOUNT                         NAME              KYC                    COUNTRY\n"+
		"acc_01m7y960xgw5v18ykq7sxc1nkp  Ada Lovelace-By…  resubmission_required  GB\n", out.String())
}

// On a terminal that has no room for all that must be read, an identifier is cut last, and keeps the end that tells it from
// others.
func TestVeryNarrowTablesKeepTheirIdentifiers(t *testing.T) {
	t.Parallel()
	table := Table{
		Columns: []Column{{Header: "Account"}, {Header: "Name"}, {Header: "KYC", Keep: true}, {Header: "Created"}, {Header: "Country", Keep: true}},
		Rows:    [][]Cell{{Text("acc_01m7y960xgw5v18ykq7sxc1nkp"), Text("Ada"), Text("resubmission_required"), Text("2026-11-21"), Text("GB")}},
	}
	for columns, wanted := range map[int]string{
		51: "ACCOUNT                         KYC         COUNTRY\nacc_01m7y960xgw5v18ykq7sxc1nkp  resubmiss…  GB\n",
		40: "ACCOUNT                         KYC\nacc_01m7y960xgw5v18ykq7sxc1nkp  resubmi…\n",
		36: "ACCOUNT                         KYC\nacc_01m7y960xgw5v18ykq7sxc1nkp  res…\n",
		30: "ACCOUNT\nacc_01m7y960xgw5v18ykq7sxc1nkp\n",
		12: "ACCOUNT\n…ykq7sxc1nkp\n",
		5:  "ACCO…\n…1nkp\n",
	} {
		f := surface{tty: true, style: style{utf8: true}, width: columns}
		require.Equal(t, wanted, string(f.view(table)))
	}
}

// A text in the place of an identifier, which may be long, leaves room for the other columns.
func TestALongFirstColumnLeavesRoom(t *testing.T) {
	t.Parallel()
	f := surface{tty: true, style: style{utf8: true}, width: 60}
	require.Equal(t, "REFERENCE                                OUTCOME  DETAIL\n…l-2026-11/everybody-who-is-in-the-team  refused  the route…\n", string(f.view(Table{
		Columns: []Column{{Header: "Reference"}, {Header: "Contact"}, {Header: "Outcome", Keep: true}, {Header: "Detail", Keep: true}},
		Rows:    [][]Cell{{Text("payroll-2026-11/everybody-who-is-in-the-team"), Text("sct_1"), Text("refused"), Text("the route does not lead to the contact")}},
	})))
}

// Amounts are left out before an identifier, which users copy, is cut.
func TestNarrowTablesKeepTheirFirstColumn(t *testing.T) {
	t.Parallel()
	table := Table{
		Columns: []Column{{Header: "Route"}, {Header: "Flow"}, {Header: "Rate", Right: true}, {Header: "Fees"}, {Header: "Min", Right: true}, {Header: "Max", Right: true}},
		Rows:    [][]Cell{{Text("sepa:EUR->faster_payments:GBP"), Text("fx"), Text("0.8503937007874015"), Text("0.47 EUR + 0.25 %"), Text("1.00"), Text("1000000.00")}},
	}
	for columns, wanted := range map[int]string{
		60: "ROUTE                                        RATE   MIN\nsepa:EUR->faster_payments:GBP  0.8503937007874015  1.00\n",
		50: "ROUTE                                        RATE\nsepa:EUR->faster_payments:GBP  0.8503937007874015\n",
		30: "ROUTE\nsepa:EUR->faster_payments:GBP\n",
	} {
		var out bytes.Buffer
		printer, err := NewPrinter(&Streams{Out: &out, Err: &bytes.Buffer{}, OutTTY: true, UTF8: true, Columns: func() int { return columns }}, FormatTable, "")
		require.NoError(t, err)
		require.NoError(t, printer.Print(nil, func() View { return table }))
		require.Equal(t, wanted, out.String())
	}
}

// A list on a terminal tells which columns it has no room for, and what all of its times share. On another page that may
// not hold, so that times of several pages are whole. Nothing is left out for a program.
func TestWhatAListDoesNotShow(t *testing.T) {
	t.Parallel()
	cols := []Column{{Header: "Id"}, {Header: "Path", Least: 20}, {Header: "At", Whole: true, Rank: 1}, {Header: "Rate", Right: true, Rank: 2}, {Header: "Reference", Ends: true, Rank: 3}}
	at := func(hour int) Cell {
		t := time.Date(2026, 1, 31, hour, 0, 0, 0, time.UTC)
		return Cell{Text: t.Format("2006-01-02 15:04:05Z"), Time: t}
	}
	row := func(id string, hour int) []Cell {
		return []Cell{Text(id), Text("/a/path/that/is/rather/long"), at(hour), {Text: "0.333333333333", Short: "0.333333"}, Text("payroll-of-november-000" + id)}
	}
	list := func(width int, tty bool, pages ...[][]Cell) (out, notes string) {
		var o, e bytes.Buffer
		p, err := NewPrinter(&Streams{Out: &o, Err: &e, OutTTY: tty, UTF8: true, Columns: func() int { return width }}, FormatTable, "")
		require.NoError(t, err)
		stream := p.Stream(cols)
		stream.Advice, stream.OnePage = "use --columns", len(pages) == 1
		for _, rows := range pages {
			require.NoError(t, stream.WritePage(make([]any, len(rows)), rows))
		}
		require.NoError(t, stream.Close())
		return o.String(), e.String()
	}
	page := [][]Cell{row("1", 7), row("2", 8)}
	out, notes := list(40, true, page)
	require.Equal(t, "ID  AT             RATE  REFERENCE\n1   07:00:00Z  0.333333  payroll…er-0001\n2   08:00:00Z  0.333333  payroll…er-0002\n",
		out)
	require.Equal(t, "Hidden: path; use --columns. All times are on 2026-01-31 (UTC).\n", notes)

	out, notes = list(30, true, page)
	require.NotContains(t, out, "07:00")
	require.Equal(t, "Hidden: path, at; use --columns.\n", notes)

	out, notes = list(200, true, [][]Cell{row("1", 7), row("2", 24)})
	require.Contains(t, out, "02-01 00:00:00Z")
	require.Equal(t, "All times are in 2026 (UTC).\n", notes)

	out, notes = list(200, true, page, [][]Cell{row("3", 9)})
	require.Contains(t, out, "2026-01-31 07:00:00Z")
	require.Equal(t, 1, strings.Count(out, "REFERENCE"))
	require.Empty(t, notes)
	out, _ = list(200, true, page[:1])
	require.Contains(t, out, "2026-01-31 07:00:00Z", "of one row nothing is in common")

	out, notes = list(40, false, page)
	require.Contains(t, out, "1\t/a/path/that/is/rather/long\t2026-01-31 07:00:00Z\t0.333333333333\tpayroll-of-november-0001\n")
	require.Empty(t, notes)
}
