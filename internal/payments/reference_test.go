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
	for want, texts := range map[string][]string{
		"": {
			"", "invoice-42", "2026-11/ada / 7", "caf\u00e9 n\u00b0 1", "\u8acb\u6c42\u66f8 7", // Chinese characters
			"\u20ac 5 \U0001f4b6", // an emoji of one character
		},
		"has an invisible character, ": {
			"invoi\u200bce", "\ufeffinvoice", "caf\u00e9\u00ad1", "1\u2060", "\U0001f468\u200d\U0001f4bb", "\u2764\ufe0f",
			"a\u202eb", "a\u034fb", "a\u3164b", "a\u2800b", "a\U000e0041b",
		},
		"has a control character, ":                         {"invoice\r", "a\tb", "\x00", "a\u0085b"},
		"has white space that is not a plain space, ":       {"a\u00a0b", "a\u3000b", "a\u2028b", "a\u2029"},
		"has a private or unassigned character, ":           {"a\ue000b", "a\uffffb"},
		"has a replacement for a character that was lost, ": {"a\ufffdb"},
		"is not UTF-8 at character 2":                       {"\u00e9\xffb"},
		"begins or ends with a space":                       {" invoice", "invoice ", " "},
		"is not in Unicode normal form C; write it as ":     {"n\u00b0 cafe\u0301 1", "q\u0301\u0323", "5 \u212b"},
	} {
		for _, text := range texts {
			fault := payments.ReferenceFault(text)
			require.True(t, strings.HasPrefix(fault, want) && (fault == "") == (want == ""), "%+q: %s", text, fault)
		}
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
