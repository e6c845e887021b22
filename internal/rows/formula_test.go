package rows

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// A text that a spreadsheet could run as a formula gets one ', and loses it when it is read.
func TestDefuse(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                        "",
		"plain":                   "plain",
		"-12.50":                  "-12.50",
		"+7":                      "+7",
		"=1+1":                    "'=1+1",
		"'=1+1":                   "''=1+1",
		"'plain":                  "'plain",
		"'-5":                     "''-5",
		"-2+3":                    "'-2+3",
		"-":                       "-",
		"-.5":                     "'-.5",
		"-1.":                     "'-1.",
		"-1.2.3":                  "'-1.2.3",
		"--1":                     "'--1",
		"+cmd|' /C calc'!A0":      "'+cmd|' /C calc'!A0",
		"@SUM(A1)":                "'@SUM(A1)",
		"\t=1":                    "'\t'=1",
		"\r=1":                    "'\r'=1",
		"＝1+1":                    "'＝1+1",
		"＋1":                      "'＋1",
		"－1":                      "'－1",
		"＠SUM(A1)":                "'＠SUM(A1)",
		"a=1":                     "a=1",
		"-1e5":                    "'-1e5",
		"payctl@example.test":     "payctl@example.test",
		"-\u0661":                 "'-\u0661",
		"=HYPERLINK(\"x\",\"y\")": "'=HYPERLINK(\"x\",\"y\")",
		"ada;=HYPERLINK(1)":       "ada;'=HYPERLINK(1)",
		"ada;'=HYPERLINK(1)":      "ada;''=HYPERLINK(1)",
		"ada\t@SUM(A1)":           "ada\t'@SUM(A1)",
		"ada|+1":                  "ada|'+1",
		"ada,-1":                  "ada,'-1",
		"ada; \"=1":               "ada;' \"=1",
		"a\n=1":                   "a\n'=1",
		"a;\t=1":                  "a;'\t'=1",
		"a;;＝1;b":                 "a;;'＝1;b",
		" =1":                     "' =1",
		"\"=1\"":                  "'\"=1\"",
		"\u00a0=1":                "'\u00a0=1",
		"sep=;":                   "'sep=;",
		" \"SEP==":                "' \"SEP==",
		"-1;-1":                   "'-1;'-1",
		"base:USDC->sepa:EUR":     "base:USDC->sepa:EUR",
		"a; b, c - d = e":         "a; b, c - d = e",
	} {
		require.Equal(t, want, Defuse(in), "%q", in)
		require.Equal(t, in, Undefuse(want), "%q", in)
	}
	require.Equal(t, "'-5", DefuseFirst("-5"), "a second cell could continue it")
	require.Equal(t, "'-", DefuseFirst("-"))
}

var (
	partStart   = regexp.MustCompile(`(?:^|[,;|\t\r\n])[" \x{00a0}]*`)
	plainNumber = regexp.MustCompile(`^(-|[+-][0-9]+(\.[0-9]+)?)$`)
)

// requireNoFormula requires that no spreadsheet finds a formula in a cell. It may split the cell anywhere, and may
// remove quotes and spaces.
func requireNoFormula(t require.TestingT, cell string) {
	for _, at := range partStart.FindAllStringIndex(cell, -1) {
		part := cell[at[1]:]
		require.False(t, strings.HasPrefix(part, "sep="), "%q", cell)
		first, _ := utf8.DecodeRuneInString(part)
		require.False(t, part != "" && strings.ContainsRune("=+-@＝＋－＠", first), "%q", cell)
	}
}

func FuzzDefuse(f *testing.F) {
	for _, s := range []string{
		"=1+1", "-12.50", "+1", "@x", "\t=1", "＝1", "a,\"b\"\n", "\xff=1", "'=1", "a;=1", "a; \"@x", "-", "\n=1", "''-1;'=2",
		"' '=1",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		for _, defuse := range []func(string) string{Defuse, DefuseFirst} {
			out := defuse(in)
			require.Equal(t, in, Undefuse(out))
			require.Equal(t, strings.ReplaceAll(in, "'", ""), strings.ReplaceAll(out, "'", ""), "nothing else is changed")
			if out != in || !plainNumber.MatchString(in) {
				requireNoFormula(t, out)
			}
		}
		require.False(t, plainNumber.MatchString(DefuseFirst(in)))
	})
}
