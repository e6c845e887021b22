package term

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

// Amounts are left out before an identifier, which somebody will copy, is cut.
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
