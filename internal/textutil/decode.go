package textutil

import (
	"io"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// NewReader reads a text as UTF-8 without byte order mark. Programs on Windows write UTF-8 or UTF-16 with a mark, such
// as Windows PowerShell 5 with `>`. A text without a mark is passed on as it is. What is not valid in UTF-16 becomes
// U+FFFD.
func NewReader(from io.Reader) io.Reader { return transform.NewReader(from, decoder()) }

// Decode is NewReader for a text that has been read.
func Decode(text []byte) []byte {
	decoded, _, err := transform.Bytes(decoder(), text)
	if err != nil { // which none of the decoders returns
		return text
	}
	return decoded
}

func decoder() transform.Transformer { return unicode.BOMOverride(transform.Nop) }
