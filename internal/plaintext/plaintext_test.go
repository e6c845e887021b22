package plaintext

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTextIsUTF8(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Zoë 😀 ", 3000) // several buffers, with characters across their ends
	for name, c := range map[string]struct{ content, want string }{
		"empty":                         {"", ""},
		"one byte":                      {"a", "a"},
		"two bytes":                     {"ab", "ab"},
		"UTF-8":                         {"\ufeffZoë\r\n", "Zoë\r\n"},
		"a mark alone":                  {"\ufeff", ""},
		"a second mark is text":         {"\ufeff\ufeffa", "\ufeffa"},
		"a mark within the text":        {"a\ufeff", "a\ufeff"},
		"without a mark":                {long, long},
		"not UTF-8":                     {"Zo\xeb", "Zo\xeb"},
		"UTF-16, little endian":         {utf16Of(binary.LittleEndian, "\ufeff"+long), long},
		"UTF-16, big endian":            {utf16Of(binary.BigEndian, "\ufeff"+long), long},
		"UTF-16, a mark alone":          {"\xff\xfe", ""},
		"UTF-16, half a character":      {"\xff\xfea\x00b", "a\ufffd"},
		"UTF-16, an unpaired surrogate": {"\xff\xfea\x00\x00\xd8b\x00", "a\ufffdb"},
	} {
		assert.Equal(t, c.want, string(Bytes([]byte(c.content))), name)
		for _, from := range []io.Reader{strings.NewReader(c.content), iotest.OneByteReader(strings.NewReader(c.content))} {
			read, err := io.ReadAll(NewReader(from))
			require.NoError(t, err, name)
			assert.Equal(t, c.want, string(read), name)
		}
	}
}

// A reader that fails is no text that ends.
func TestErrorsOfReading(t *testing.T) {
	t.Parallel()
	for _, begin := range []string{"", "a", "\ufeffabc", "\xff\xfea\x00"} {
		_, err := io.ReadAll(NewReader(io.MultiReader(strings.NewReader(begin), iotest.ErrReader(io.ErrClosedPipe))))
		require.ErrorIs(t, err, io.ErrClosedPipe)
	}
}

func utf16Of(order binary.AppendByteOrder, text string) string {
	var encoded []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		encoded = order.AppendUint16(encoded, unit)
	}
	return string(encoded)
}

// Every line is passed on when it comes: `kyc watch --from -` reads from programs that go on writing.
func TestLinesAreNotHeldBack(t *testing.T) {
	t.Parallel()
	from, to := io.Pipe()
	defer from.Close()
	read := NewReader(from)
	go func() { _, _ = to.Write([]byte("acc_1\n")) }()
	var got bytes.Buffer
	_, err := io.CopyN(&got, read, 6)
	require.NoError(t, err)
	require.Equal(t, "acc_1\n", got.String())
}
