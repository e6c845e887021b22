package ui

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDefuseCSV(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                        "",
		"plain":                   "plain",
		"-12.50":                  "-12.50",
		"+7":                      "+7",
		"=1+1":                    "'=1+1",
		"-2+3":                    "'-2+3",
		"-":                       "-",
		"-.5":                     "'-.5",
		"-1.":                     "'-1.",
		"-1.2.3":                  "'-1.2.3",
		"--1":                     "'--1",
		"+cmd|' /C calc'!A0":      "'+cmd|' /C calc'!A0",
		"@SUM(A1)":                "'@SUM(A1)",
		"\t=1":                    "'\t=1",
		"\r=1":                    "'\r=1",
		"＝1+1":                    "'＝1+1",
		"＋1":                      "'＋1",
		"－1":                      "'－1",
		"＠SUM(A1)":                "'＠SUM(A1)",
		"a=1":                     "a=1",
		"-1e5":                    "'-1e5",
		"payctl@example.test":     "payctl@example.test",
		"-\u0661":                 "'-\u0661",
		"=HYPERLINK(\"x\",\"y\")": "'=HYPERLINK(\"x\",\"y\")",
	} {
		require.Equal(t, want, DefuseCSV(in), "%q", in)
	}
}

func TestAbsentInCSV(t *testing.T) {
	t.Parallel()
	b, err := csvRecords([]Column{{Header: "From"}, {Header: "To"}}, [][]Cell{{Optional(""), Text("-")}, {Optional("-"), Optional("b")}}, false)
	require.NoError(t, err)
	require.Equal(t, ",-\n-,b\n", string(b), "what is absent is empty; what is a dash is one")
}

func FuzzDefuseCSV(f *testing.F) {
	for _, s := range []string{"=1+1", "-12.50", "+1", "@x", "\t=1", "＝1", "a,\"b\"\n", "\xff=1", "'=1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out := DefuseCSV(in)
		require.True(t, out == in || out == "'"+in)
		if out != "" && strings.ContainsAny(out[:1], "=+-@\t\r") {
			require.Regexp(t, `^(-|[+-][0-9]+(\.[0-9]+)?)$`, out)
		}
		require.Equal(t, out, DefuseCSV(out), "idempotent")

		b, err := csvRecords([]Column{{Header: "H"}, {Header: "I"}}, [][]Cell{{Text(in), Text("x")}}, true)
		require.NoError(t, err)
		records, err := csv.NewReader(strings.NewReader(string(b))).ReadAll()
		require.NoError(t, err)
		require.Equal(t, [][]string{{"h", "i"}, {DefuseCSV(Sanitize(in)), "x"}}, records)
	})
}
