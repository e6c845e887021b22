// Package plaintext reads text in the encodings that Windows programs write: UTF-8 or UTF-16 with a byte order mark.
// `>` in Windows PowerShell 5 writes UTF-16. The package does this on every system, since files are copied.
package plaintext

import (
	"io"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// NewReader converts a text with a byte order mark to UTF-8 without one. It does not change a text without a mark.
// Invalid UTF-16 becomes U+FFFD.
func NewReader(from io.Reader) io.Reader { return transform.NewReader(from, decoder()) }

// Bytes is NewReader for a text in memory.
func Bytes(text []byte) []byte {
	decoded, _, err := transform.Bytes(decoder(), text)
	if err != nil { // none of the decoders returns one
		return text
	}
	return decoded
}

func decoder() transform.Transformer { return unicode.BOMOverride(transform.Nop) }
