package ui

import (
	"bytes"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/stretchr/testify/require"
)

// Text is broken between words, and a command is in one line, also where that line is too long.
func TestTextIsBrokenAtWords(t *testing.T) {
	t.Parallel()
	f := surface{tty: true, style: style{utf8: true}, width: 40}
	for text, want := range map[string][]string{
		"": {""},
		"The service ignores --route; payctl filters the rows itself.": {"The service ignores --route;", "payctl filters the rows itself."},
		"Next: payctl transfer auto --contact CONTACT --route 'ach:USD->sepa:EUR' --amount AMOUNT": {
			"Next:", "payctl transfer auto --contact CONTACT --route 'ach:USD->sepa:EUR' --amount AMOUNT"},
		"run payctl transfer resolve, and then see what has become of the writes": {
			"run payctl transfer resolve, and then", "see what has become of the writes"},
		"payctl transfer auto --reference invoice-42   (use another one for another transfer)": {
			"payctl transfer auto --reference invoice-42", "(use another one for another transfer)"},
		strings.Repeat("x", 90) + " y": {strings.Repeat("x", 90), "y"},
		"残高が足りません 残高が足りません 残高が足りません": {"残高が足りません 残高が足りません", "残高が足りません"},
	} {
		require.Equal(t, want, f.fold(text, 0, 0), text)
		f := f
		f.tty = false
		require.Equal(t, []string{text}, f.fold(text, 0, 0), "off a terminal")
	}
}

// Whatever the text, no character is lost but the spaces at which it is broken.
func FuzzFold(f *testing.F) {
	f.Add("run payctl auth login, then go on", byte('\x1e'))
	f.Add("a 'quoted text' and an isn't", byte('\x1e'))
	f.Add("--after evt_1 (payctl transfer list) x", byte('\x1e'))
	f.Add("   many   spaces   ", byte('\x1e'))
	f.Add("\u6b8b\u9ad8\u304c \u8db3\u308a\u307e\u305b\u3093", byte('\x1e'))
	f.Add(`"`, byte('\x1e'))
	f.Fuzz(func(t *testing.T, text string, width uint8) {
		text = Sanitize(text)
		s := surface{tty: true, width: int(width)}
		bare := func(text string) string { return strings.ReplaceAll(text, " ", "") }
		require.Equal(t, bare(text), bare(strings.Join(s.fold(text, 3, 5), "")))
	})
}

func TestTheNextLinesOfTextHang(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := &Streams{Err: &out, ErrTTY: true, UTF8: true, ColorErr: true, Profile: colorprofile.ANSI256, Columns: func() int { return 30 }}
	s.Notef("Nothing was sent, and nothing was changed.")
	s.Errorf("%s: the column %s is missing", "people.csv:1:1", "email")
	s.Warnf("The clock of this machine is an hour behind.")
	s.Problem(ProblemView{
		Title: "The settings of the profile cannot be used.", Status: 400, Detail: "The base URL of the profile is not a URL.",
		Fields: []ProblemField{{"amount", []string{"must be a decimal number"}}}, Next: []string{"correct the base URL of the profile"},
	})
	require.Equal(t, ""+
		"\x1b[38;5;243mNothing was sent, and nothing\x1b[0m\n  \x1b[38;5;243mwas changed.\x1b[0m\n"+
		"people.csv:1:1: the column\n  email is missing\n"+
		"\x1b[38;5;131m!\x1b[0m The clock of this machine is\n  an hour behind.\n"+
		"\x1b[1;38;5;131m✗ The settings of the profile\x1b[0m\n  \x1b[1;38;5;131mcannot be used. (400)\x1b[0m\n"+
		"  The base URL of the profile\n    is not a URL.\n"+
		"  \x1b[1mamount\x1b[0m  must be a decimal\n          number\n"+
		"Next:\n  \x1b[1mcorrect the base URL of the\x1b[0m\n    \x1b[1mprofile\x1b[0m\n", out.String())
}
