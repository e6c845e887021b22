package compact

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store"
)

// FuzzText encodes any text as a response and as a fingerprint, before and after the dictionary has learned its parts.
func FuzzText(f *testing.F) {
	f.Fuzz(func(t *testing.T, text, own string) {
		codec := NewCodec[store.Key](NewDictionary())
		record := &store.Key{Response: []byte(text), ID: text}
		for range timesSeen + 1 {
			b, ok := codec.Append(nil, own, record)
			require.True(t, ok)
			decoded, err := codec.Decode(b, own)
			require.NoError(t, err)
			require.Equal(t, record, decoded)
		}
	})
}
