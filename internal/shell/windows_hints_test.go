package shell

import (
	"os/exec"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// On Windows a value that PowerShell and cmd do not read alike, however it is quoted, is not shown.
func TestHintsForWindows(t *testing.T) {
	t.Parallel()
	for value, shown := range map[string]string{
		"trf_1":                 "trf_1",
		"https://x.example/a":   "https://x.example/a",
		"ada@example.com":       "ada@example.com",
		`C:\Users\Ada L\x.pem`:  `"C:\Users\Ada L\x.pem"`,
		`\\server\ada's [1]\x`:  `"\\server\ada's [1]\x"`,
		"base:USDC->sepa:EUR":   `"base:USDC->sepa:EUR"`,
		"@file":                 `"@file"`,
		"a,b":                   `"a,b"`,
		"-a.b":                  `"-a.b"`,
		"--external-id=a":       "--external-id=a",
		"–x":                    `"–x"`,
		"Ada & Co; (50 €) #1^2": `"Ada & Co; (50 €) #1^2"`,
		"a‘;calc;’|b":           `"a‘;calc;’|b"`,
	} {
		word, ok := quoteForWindows(value)
		require.True(t, ok, value)
		require.Equal(t, shown, word)
	}
	for _, value := range []string{"", "%PATH%", "100%", "$x", "`b", `a"b`, "a“b", "a”b", "a„b", "!x!", "a\nb", `C:\a b\`, `C:\`} {
		_, ok := quoteForWindows(value)
		require.False(t, ok, value)
	}
}

// Any value that a hint shows on Windows is one argument, in each version of PowerShell and in cmd, and nothing else is run.
func TestWindowsShellsReadOneArgument(t *testing.T) {
	t.Parallel()
	odd := rapid.SampledFrom([]rune("\"'“”„‟‘’‚‛`$%!^&|<>(){}[];,#@=*?~+-–—―/\\.:_ aé1"))
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(
			rapid.StringOfN(odd, 1, 8, -1), rapid.SampledFrom(nasty), rapid.String(),
		).Draw(t, "value")
		word, ok := quoteForWindows(value)
		if !ok {
			return
		}
		line := "payctl get " + word + " end"
		want := []string{"payctl", "get", value, "end"}
		raw, ok := cmdReads(line)
		require.True(t, ok, "cmd runs or expands something of %s", line)
		require.Equal(t, want, programReads(raw), "cmd: %s", line)
		words, ok := powershellReads(line)
		require.True(t, ok, "PowerShell runs or expands something of %s", line)
		require.Equal(t, want, programReads(windowsPowerShellPasses(words)), "Windows PowerShell: %s", line)
		require.Equal(t, want, words, "PowerShell: %s", line) // since 7.3 it passes each word as it is
	})
}

// The models refuse what the shells run, or read as other words.
func TestModelsOfWindowsShells(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"a & b", `"a" | b`, "a >b", "a %PATH%", `"!x!"`, `a "b`, "a\nb"} {
		_, ok := cmdReads(line)
		require.False(t, ok, line)
	}
	raw, ok := cmdReads(`a ^& "b^c"`)
	require.True(t, ok)
	require.Equal(t, `a & "b^c"`, raw)
	for _, line := range []string{"a;b", "a $x", "a `b", `a "$(b)"`, "a 'b'", "a ‘b’", "a @b", "a -b.c", "a b,c", "a #b", `a "b`, "a {b}", "a “b”c"} {
		_, ok := powershellReads(line)
		require.False(t, ok, line)
	}
	words, ok := powershellReads(`a “b c" --d=e.f`)
	require.True(t, ok)
	require.Equal(t, []string{"a", "b c", "--d=e.f"}, words)
	require.Equal(t, `a "b c" d"e`, windowsPowerShellPasses([]string{"a", "b c", `d"e`}))
	require.Equal(t, []string{"a", `b\c`, `d"e`, `f\`, "g h"}, programReads(`a b\c d\"e "f\\" g" "h`))
}

// cmdReads returns what cmd passes to a program of a line at its prompt, and reports whether it runs only one program
// and expands nothing. An exclamation mark is only expanded where that has been turned on.
func cmdReads(line string) (raw string, ok bool) {
	var b strings.Builder
	isQuoted, isEscaped := false, false
	for _, c := range line {
		switch {
		case strings.ContainsRune("%!\n\r", c):
			return "", false
		case isEscaped:
			isEscaped = false
		case c == '"':
			isQuoted = !isQuoted
		case c == '^' && !isQuoted:
			isEscaped = true
			continue
		case strings.ContainsRune("&|<>", c) && !isQuoted:
			return "", false
		}
		b.WriteRune(c)
	}
	return b.String(), !isQuoted && !isEscaped
}

// The characters that PowerShell takes for quotes and for the hyphen of a flag (its CharTraits).
const (
	powershellDoubleQuotes = "\"“”„"
	powershellSingleQuotes = "'‘’‚‛"
	powershellDashes       = "-–—―"
)

// powershellReads returns the words of a line at PowerShell's prompt. It reports false where a word is anything but
// itself: an expression, a variable, an operator, a list, a comment, a flag that is cut in two, or in more or other quotes than
// one pair of double ones.
func powershellReads(line string) (words []string, ok bool) {
	rest := []rune(line)
	for {
		for len(rest) > 0 && unicode.IsSpace(rest[0]) {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return words, true
		}
		var word string
		if strings.ContainsRune(powershellDoubleQuotes, rest[0]) {
			word, rest, ok = powershellString(rest[1:])
		} else {
			word, rest, ok = powershellBareWord(rest)
		}
		if !ok || len(rest) > 0 && !unicode.IsSpace(rest[0]) {
			return nil, false
		}
		words = append(words, word)
	}
}

// powershellString reads a string behind its first quote.
func powershellString(rest []rune) (text string, behind []rune, ok bool) {
	for i, c := range rest {
		switch {
		case c == '$' || c == '`':
			return "", nil, false
		case strings.ContainsRune(powershellDoubleQuotes, c):
			return string(rest[:i]), rest[i+1:], true
		}
	}
	return "", nil, false
}

func powershellBareWord(rest []rune) (word string, behind []rune, ok bool) {
	end := 0
	for end < len(rest) && !unicode.IsSpace(rest[end]) {
		if strings.ContainsRune("{}();,|&<>$`"+powershellDoubleQuotes+powershellSingleQuotes, rest[end]) {
			return "", nil, false
		}
		end++
	}
	word = string(rest[:end])
	isDash := func(at int) bool { return at < end && strings.ContainsRune(powershellDashes, rest[at]) }
	isFlag := isDash(0) && !isDash(1) && strings.ContainsAny(word, ".:[")
	return word, rest[end:], !strings.ContainsRune("@#", rest[0]) && !isFlag && word != "--%"
}

// windowsPowerShellPasses returns the command line that versions of PowerShell before 7.3 make of words: those with a
// space get quotes around them, and no other character is taken care of.
func windowsPowerShellPasses(words []string) string {
	passed := make([]string, len(words))
	for i, word := range words {
		passed[i] = word
		if strings.ContainsFunc(word, unicode.IsSpace) {
			passed[i] = `"` + word + `"`
		}
	}
	return strings.Join(passed, " ")
}

// programReads splits a command line as Go's programs do, and those of Microsoft's C library: "Parsing C command-line
// arguments" in its documentation.
func programReads(line string) (words []string) {
	var word strings.Builder
	isWord, isQuoted, backslashes := false, false, 0
	for _, c := range line + " " {
		if c == '\\' {
			backslashes++
			continue
		}
		literal := backslashes
		if c == '"' {
			literal /= 2
		}
		word.WriteString(strings.Repeat(`\`, literal))
		isWord = isWord || backslashes > 0
		switch {
		case c == '"' && backslashes%2 == 1:
			word.WriteRune(c)
			isWord = true
		case c == '"':
			isQuoted, isWord = !isQuoted, true
		case (c == ' ' || c == '\t') && !isQuoted:
			if isWord {
				words = append(words, word.String())
			}
			word.Reset()
			isWord = false
		default:
			word.WriteRune(c)
			isWord = true
		}
		backslashes = 0
	}
	return words
}

// A hint for Windows is safe in a real bash too, and there each value is one argument. A pair of backslashes is one there.
func TestBashReadsHintsForWindows(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	var script strings.Builder
	var want strings.Builder
	for _, value := range append([]string{`\\server\it's x`, `C:\Users\ada`}, nasty...) {
		if word, ok := quoteForWindows(value); ok {
			script.WriteString(`printf '%s\0' ` + word + "\n")
			want.WriteString(strings.ReplaceAll(value, `\\`, `\`) + "\x00")
		}
	}
	cmd := exec.CommandContext(t.Context(), program, "-c", script.String())
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Equal(t, want.String(), string(out))
}
