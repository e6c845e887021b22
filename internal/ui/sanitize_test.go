package ui

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestSanitize(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"plain", "Grüße, 世界 – €12.50", "Grüße, 世界 – €12.50"},
		{"backslash is not doubled", `C:\x1b`, `C:\x1b`},
		{"escape sequence", "\x1b[2J\x1b]0;owned\a", `\x1b[2J\x1b]0;owned\x07`},
		{"line forging", "ok\r\npaid", `ok\r\npaid`},
		{"tab", "a\tb", `a\tb`},
		{"delete and backspace", "a\x7f\b", `a\x7f\x08`},
		{"C1 as a rune", "\u009b31m", `\u009b31m`},
		{"C1 as a byte", "\x9b31m", `\x9b31m`},
		{"bidi override", "a\u202egpj.exe", `a\u202egpj.exe`},
		{"bidi isolates and marks", "\u2066\u2069\u200e\u200f\u061c", `\u2066\u2069\u200e\u200f\u061c`},
		{"zero width", "pay\u200bpal\ufeff\u00ad\u2060", `pay\u200bpal\ufeff\u00ad\u2060`},
		{"separators", "a\u2028b\u2029c", `a\u2028b\u2029c`},
		{"tag characters", "a\U000e0041", `a\U000e0041`},
		{"Hangul filler", "a\u3164", `a\u3164`},
		{"invalid UTF-8", "a\xff\xc0\xafb", `a\xff\xc0\xafb`},
		{"replacement character itself", "a\ufffd", "a\ufffd"},
		{"emoji form of a symbol", "❤\ufe0f", "❤\ufe0f"},
		{"selector without a symbol", "a\ufe0f", `a\ufe0f`},
		{"selector at the start", "\ufe0f", `\ufe0f`},
		{"selector after an invalid byte", "\xa4\ufe0f", `\xa4\ufe0f`},
		{"two selectors", "❤\ufe0f\ufe0f", "❤\ufe0f" + `\ufe0f`},
		{"keycap", "1\ufe0f\u20e3", `1\ufe0f` + "\u20e3"},
		{"joined emoji", "👨\u200d👩\u200d👧\u200d👦", "👨\u200d👩\u200d👧\u200d👦"},
		{
			"joined emoji with forms and colours", "🏳\ufe0f\u200d🌈 👩🏾\u200d❤\ufe0f\u200d💋",
			"🏳\ufe0f\u200d🌈 👩🏾\u200d❤\ufe0f\u200d💋",
		},
		{"joiner between letters", "pay\u200dpal", `pay\u200dpal`},
		{"joiner between a picture and a letter", "👨\u200da\u200d👨", `👨\u200da\u200d👨`},
		{"joiner at the ends", "\u200d👨\u200d", `\u200d👨\u200d`},
		{"two joiners", "👨\u200d\u200d👩", `👨\u200d\u200d👩`},
		{"joiner before a colour", "👨\u200d🏽", `👨\u200d🏽`},
		{"joiner after a mark", "👨\u0301\u200d👩", "👨\u0301" + `\u200d👩`},
		{"joiner between marks that extend a character", "ｶﾞ\u200dﾞ", `ｶﾞ\u200dﾞ`},
		{"joiner before an invalid byte", "👨\u200d\xff", `👨\u200d\xff`},
		{"flag of tags", "🏴\U000e0067\U000e007f", `🏴\U000e0067\U000e007f`},
		{"no-break space is a blank", "a\u00a0b", "a\u00a0b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, Sanitize(c.in))
		})
	}
	require.Equal(t, "a\nb"+`\r`+"\n"+`\t`, SanitizeLines("a\nb\r\n\t"))
}

// Every control character is escaped, from the first of C0 to the last of C1.
func TestSanitizeKnowsEveryControlCharacter(t *testing.T) {
	t.Parallel()
	for r := rune(0); r < 0x100; r++ {
		if unicode.IsControl(r) {
			require.Equal(t, escapeRune(r), Sanitize(string(r)), "%U", r)
		}
	}
}

func FuzzSanitize(f *testing.F) {
	for _, seed := range []string{
		"", "plain", "\x1b[31m\x00\x9b", "a\u202eb\u200b\u2028\r\n\t", "❤\ufe0f\ufe0f", "\xff\xfe", `\x1b`,
		"👨\u200d👩🏾\u200d❤\ufe0f\u200d💋\u200d\u200d👦1\ufe0f\u20e3",
		"\x1b]8;;http://x\x1b\\y\x1b]8;;\x1b\\", "\xa4\ufe0f", "\u2764\ufe0f\ufe0f\U000e0041",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		for _, fn := range []struct {
			clean func(string) string
			lines bool
		}{{Sanitize, false}, {SanitizeLines, true}} {
			out := fn.clean(in)
			require.True(t, utf8.ValidString(out), "%q", out)
			runes := []rune(out)
			for i, r := range runes {
				if r == zeroWidthJoiner {
					before, after := strings.TrimRight(string(runes[:i]), "\ufe0f🏻🏼🏽🏾🏿"), string(runes[i+1:])
					last, _ := utf8.DecodeLastRuneInString(before)
					first, _ := utf8.DecodeRuneInString(after)
					for _, beside := range []rune{last, first} {
						isText := unicode.In(beside, unicode.L, unicode.M, unicode.N) || beside < 0xA9 || beside == utf8.RuneError
						require.False(t, isText, "%q → %q", in, out)
					}
					require.False(t, unicode.Is(unicode.Sk, first), "%q → %q", in, out)
					continue
				}
				bad := r < 0x20 || r >= 0x7f && r <= 0x9f || r == 0x061c || r == 0xfeff || r == 0xad ||
					r >= 0x200b && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2060 && r <= 0x206f ||
					r >= 0xe0000 && r <= 0xe0fff
				require.False(t, bad && !(fn.lines && r == '\n'), "%q → %q has %U", in, out, r)
			}
			require.Equal(t, out, fn.clean(out), "idempotent")
			printable := true
			for i := range len(in) {
				printable = printable && in[i] >= 0x20 && in[i] < 0x7f
			}
			if printable {
				require.Equal(t, in, out)
			}
		}
	})
}
