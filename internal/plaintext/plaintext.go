// Package plaintext reads text in the encodings that programs on Windows write: UTF-8 with a byte order mark, and UTF-16
// with one, as `>` of Windows PowerShell 5 writes it. Files travel, so that this is the same on every system.
package plaintext

import (
	"io"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// NewReader reads a text as UTF-8 without byte order mark. A text without a mark is passed on as it is, whatever it is.
// What is not valid in UTF-16 becomes U+FFFD.
func NewReader(from io.Reader) io.Reader { return transform.NewReader(from, decoder()) }

// Bytes is NewReader for a text that has been read.
func Bytes(text []byte) []byte {
	decoded, _, err := transform.Bytes(decoder(), text)
	if err != nil { // which none of the decoders returns
		return text
	}
	return decoded
}

func decoder() transform.Transformer { return unicode.BOMOverride(transform.Nop) }
