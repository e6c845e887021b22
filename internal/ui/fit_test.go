package ui

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// A narrow terminal loses the columns that matter least. An identifier is cut last, and keeps its end.
func TestNarrowTablesKeepWhatMustBeRead(t *testing.T) {
	t.Parallel()
	list := table{
		[]Column{{Header: "Account"}, {Header: "Name"}, {Header: "Type"}, {Header: "KYC", Keep: true},
			{Header: "E-mail"}, {Header: "Country", Keep: true}, {Header: "Created"}},
		[][]Cell{{Text("acc_01m7y960xgw5v18ykq7sxc1nkp"), Text("Ada Lovelace-Byron"), Text("individual"),
			Text("resubmission_required"), Text("ada@example.com"), Text("GB"), Text("2026-11-21 05:27:35Z")}},
	}
	for columns, wanted := range map[int]string{
		80: "ACCOUNT                         NAME              KYC                    COUNTRY\n" +
			"acc_01m7y960xgw5v18ykq7sxc1nkp  Ada Lovelace-By…  resubmission_required  GB\n",
		40: "ACCOUNT          KYC             COUNTRY\nacc_…kq7sxc1nkp  resubmission_…  GB\n",
		24: "ACCOUNT      KYC\nacc…sxc1nkp  resubmissi…\n",
		12: "ACCOUNT\nacc…7sxc1nkp\n",
	} {
		require.Equal(t, wanted, list.drawn(t, ofWidth(columns)))
	}
}

// Amounts are left out before an identifier, which users copy, is cut.
func TestNarrowTablesKeepTheirFirstColumn(t *testing.T) {
	t.Parallel()
	list := table{
		[]Column{
			{Header: "Route"}, {Header: "Flow"}, {Header: "Rate", Right: true}, {Header: "Fees"}, {Header: "Min", Right: true},
			{Header: "Max", Right: true},
		},
		[][]Cell{{
			Text("sepa:EUR->faster_payments:GBP"), Text("fx"), Text("0.8503937007874015"), Text("0.47 EUR + 0.25 %"),
			Text("1.00"), Text("1000000.00"),
		}},
	}
	for columns, wanted := range map[int]string{
		60: "ROUTE                                        RATE   MIN\n" +
			"sepa:EUR->faster_payments:GBP  0.8503937007874015  1.00\n",
		50: "ROUTE                                        RATE\n" +
			"sepa:EUR->faster_payments:GBP  0.8503937007874015\n",
		30: "ROUTE\nsepa:EUR->faster_payments:GBP\n",
	} {
		require.Equal(t, wanted, list.drawn(t, ofWidth(columns)))
	}
}

// A list on a terminal names the columns that do not fit. Programs get every column.
func TestWhatAListDoesNotShow(t *testing.T) {
	t.Parallel()
	cols := []Column{
		{Header: "Id"}, {Header: "Path", Least: 20}, {Header: "At", Whole: true, Rank: 1},
		{Header: "Reference", Ends: true, Rank: 2},
	}
	row := []Cell{
		Text("1"), Text("/a/path/that/is/rather/long"), Text("2026-01-31 07:00:00Z"), Text("payroll-of-november-0001"),
	}
	for _, c := range []struct {
		width      int
		tty        bool
		out, notes string
	}{
		{
			40, true, "ID  AT                    REFERENCE\n1   2026-01-31 07:00:00Z  payr…mber-0001\n",
			"Hidden: path; use --columns.\n",
		},
		{30, true, "ID  REFERENCE\n1   payroll-of-november-0001\n", "Hidden: path, at; use --columns.\n"},
		{
			30, false, "ID\tPATH\tAT\tREFERENCE\n" +
				"1\t/a/path/that/is/rather/long\t2026-01-31 07:00:00Z\tpayroll-of-november-0001\n", "",
		},
	} {
		var out, notes bytes.Buffer
		s := ofWidth(c.width)
		s.Out, s.Err, s.OutTTY = &out, &notes, c.tty
		p, err := NewPrinter(s, FormatTable, "")
		require.NoError(t, err)
		stream := p.Stream(cols)
		stream.Advice = "use --columns"
		require.NoError(t, stream.Write(nil, row))
		require.NoError(t, stream.Close())
		require.Equal(t, c.out, out.String())
		require.Equal(t, c.notes, notes.String())
	}
}

// Texts break between words, with an indent. Commands do not break.
func TestTextsBreakBetweenWords(t *testing.T) {
	t.Parallel()
	var out, err bytes.Buffer
	s := ofWidth(30)
	s.Out, s.Err, s.ErrTTY = &out, &err, true
	p, failed := NewPrinter(s, FormatTable, "")
	require.NoError(t, failed)
	require.NoError(t, p.Print(nil, func() Details {
		next := []Cell{Text("The applicant submits what is missing."), Text("payctl kyc get acc_0123456789 -o json")}
		return Details{{Label: "Next", Cells: next}}
	}))
	require.Equal(t, `Next  The applicant submits
      what is missing.
      payctl kyc get acc_0123456789 -o json
`, out.String())
	s.Notef("Waiting for a person to act: %s", "acc_0123456789")
	s.Warnf("this takes longer than one line has room for")
	s.Problem(ProblemView{
		Title: "It failed.", Detail: "there is no account of this name here",
		Next: []string{"payctl accounts list --name ada --all"},
	})
	require.Equal(t, `Waiting for a person to act:
  acc_0123456789
! this takes longer than one
  line has room for
✗ It failed.
  there is no account of this
  name here
Next:
  payctl accounts list --name ada --all
`, err.String())
}
