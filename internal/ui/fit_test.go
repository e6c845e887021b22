package ui

import (
	"bytes"
	"testing"

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
		f := surface{tty: true, utf8: true, width: columns}
		require.Equal(t, wanted, string(f.view(table)))
	}
}

// A text in the place of an identifier, which may be long, leaves room for the other columns.
func TestALongFirstColumnLeavesRoom(t *testing.T) {
	t.Parallel()
	f := surface{tty: true, utf8: true, width: 60}
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
