package payments_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
)

func TestReferenceFault(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                           "",
		"invoice-42":                 "",
		"2026-11/ada / 7":            "",
		"caf\u00e9 n\u00b0 1":        "",
		"\u8acb\u6c42\u66f8 7":       "", // Chinese characters
		"\u20ac 5 \U0001f4b6":        "", // an emoji of one character
		"invoi\u200bce":              "has an invisible character, U+200B, at character 6",
		"\ufeffinvoice":              "has an invisible character, U+FEFF, at character 1",
		"caf\u00e9\u00ad1":           "has an invisible character, U+00AD, at character 5",
		"1\u2060":                    "has an invisible character, U+2060, at character 2",
		"\U0001f468\u200d\U0001f4bb": "has an invisible character, U+200D, at character 2",
		"\u2764\ufe0f":               "has an invisible character, U+FE0F, at character 2",
		"a\u202eb":                   "has an invisible character, U+202E, at character 2",
		"a\u034fb":                   "has an invisible character, U+034F, at character 2",
		"a\u3164b":                   "has an invisible character, U+3164, at character 2",
		"a\u2800b":                   "has an invisible character, U+2800, at character 2",
		"a\U000e0041b":               "has an invisible character, U+E0041, at character 2",
		"invoice\r":                  "has a control character, U+000D, at character 8",
		"a\tb":                       "has a control character, U+0009, at character 2",
		"\x00":                       "has a control character, U+0000, at character 1",
		"a\u0085b":                   "has a control character, U+0085, at character 2",
		"a\u00a0b":                   "has white space that is not a plain space, U+00A0, at character 2",
		"a\u3000b":                   "has white space that is not a plain space, U+3000, at character 2",
		"a\u2028b":                   "has white space that is not a plain space, U+2028, at character 2",
		"a\u2029":                    "has white space that is not a plain space, U+2029, at character 2",
		"a\ue000b":                   "has a private or unassigned character, U+E000, at character 2",
		"a\uffffb":                   "has a private or unassigned character, U+FFFF, at character 2",
		"a\ufffdb":                   "has a replacement for a character that was lost, U+FFFD, at character 2",
		"\u00e9\xffb":                "is not UTF-8 at character 2",
		" invoice":                   "begins or ends with a space",
		"invoice ":                   "begins or ends with a space",
		" ":                          "begins or ends with a space",
		"n\u00b0 cafe\u0301 1":       "is not in Unicode normal form C; write it as \"n\u00b0 caf\u00e9 1\"",
		"q\u0301\u0323":              "is not in Unicode normal form C; write it as \"q\u0323\u0301\"",
		"5 \u212b":                   "is not in Unicode normal form C; write it as \"5 \u00c5\"",
	} {
		require.Equal(t, want, payments.ReferenceFault(text), "%+q", text)
	}
}

// checkReference checks what ReferenceFault promises about a text.
func checkReference(t require.TestingT, text string) {
	fault := payments.ReferenceFault(text)
	require.Equal(t, fault, payments.ReferenceFault(text))
	if fault != "" {
		require.True(t, utf8.ValidString(fault))
		return
	}
	require.True(t, utf8.ValidString(text))
	require.True(t, norm.NFC.IsNormalString(text))
	require.Equal(t, strings.TrimSpace(text), text)
	for _, r := range text {
		require.False(t, unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp), "%U", r)
		require.True(t, r == ' ' || !unicode.IsSpace(r), "%U", r)
	}
	// An invisible addition to a reference is refused, and so is another normal form.
	require.NotEmpty(t, payments.ReferenceFault(text+"\u200b"))
	require.NotEmpty(t, payments.ReferenceFault("\ufeff"+text))
	if decomposed := norm.NFD.String(text); decomposed != text {
		require.NotEmpty(t, payments.ReferenceFault(decomposed))
		require.NotEqual(t, payments.QuoteReference(text), payments.QuoteReference(decomposed))
	}
}

func TestReferencesThatLookTheSameAreRefused(t *testing.T) {
	t.Parallel()
	pieces := rapid.OneOf(rapid.String(),
		rapid.StringOfN(rapid.RuneFrom([]rune("aeoZ 7-\u0301\u0323\u00e9\u00a0\u200b\u00ad\ufeff")), 0, 12, -1))
	rapid.Check(t, func(t *rapid.T) { checkReference(t, pieces.Draw(t, "text")) })
}
