package contract

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzEventStream holds what is found of a stream not to depend on the pieces in which it was sent, and nothing to be found
// before a message has ended.
func FuzzEventStream(f *testing.F) {
	f.Add([]byte(":\n\nid: evt_1\n\n"), uint16(2))
	f.Add([]byte("id: 1\r\n\r\n"), uint16(3))
	f.Add([]byte("id: 1\ndata: {\"a\"\n"), uint16(5))
	f.Add([]byte("id: 1\n\n\n\nid: 2\n\n"), uint16(8))
	f.Add([]byte("retry: 2000\n:\nid: evt_1\n\ndata: {}\n\nid: 1\ndata: [\n\nid: half"), uint16(20))
	f.Fuzz(func(t *testing.T, stream []byte, cut uint16) {
		var whole, inTwo, bytewise EventStream
		expected := whole.Check(stream)
		at := int(cut) % (len(stream) + 1)
		require.Equal(t, expected, append(inTwo.Check(stream[:at]), inTwo.Check(stream[at:])...))
		var found []Violation
		for i := range stream {
			found = append(found, bytewise.Check(stream[i:i+1])...)
		}
		require.Equal(t, expected, found)
		for _, v := range expected {
			require.Regexp(t, `^/body/[0-9]+(/.*)?$`, v.Pointer)
			require.NotEmpty(t, v.Reason)
		}
	})
}
