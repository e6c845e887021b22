package compact

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store"
)

// FuzzText encodes any text as a response and as a fingerprint, before and after the dictionary has learned its parts.
func FuzzText(f *testing.F) {
	f.Add("\xff\x00:\"\xfe\"", "own")
	f.Add("{\"a\":\"b\\\\\\\"c\\\\\\\\\",\"own\":\"own\"}", "own")
	f.Add(`:":""":"`, "own")
	f.Add("POST /transfers/auto/v1\n{\"hash\":\"0x00112233445566778899aabbccddeeff\"}", "own")
	f.Add(`{"id":"trf_01kb0000000000000000000000","amount":"12.50","fees":[],"state":"","createdAt":"2026-01-01T09:00:00.123Z"}`, "own")
	f.Add("{\"a\":\"b\\\\", "own")
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
