package client

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
)

// A shown message has its data as text.
type shown struct {
	id, data string
	retry    time.Duration
}

// readAll returns the messages of a stream and the error that ended it.
func readAll(stream io.Reader) (all []shown, err error) {
	err = readMessages(stream, func() {}, func(m message) error {
		all = append(all, shown{m.id, string(m.data), m.retry})
		return nil
	})
	return all, err
}

func TestReadMessages(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		stream   string
		expected []shown
	}{
		"one":                        {"id: 1\nevent: a\ndata: {}\n\n", []shown{{"1", "{}", 0}}},
		"two":                        {"id:1\ndata:a\n\nid:2\ndata:b\n\n", []shown{{"1", "a", 0}, {"2", "b", 0}}},
		"lines of data":              {"data: a\ndata:  b\ndata\ndata: c\n\n", []shown{{"", "a\n b\n\nc", 0}}},
		"CR LF":                      {"id: 1\r\ndata: a\r\n\r\n", []shown{{"1", "a", 0}}},
		"mixed":                      {"data: a\r\ndata: b\n\r\ndata: c\r\n\n", []shown{{"", "a\nb", 0}, {"", "c", 0}}},
		"comments":                   {": hello\n\n:\n:\n\ndata: a\n:x\n\n", []shown{{"", "a", 0}}},
		"only an id":                 {":\nid: 7\n\n", []shown{{"7", "", 0}}},
		"a retry":                    {"retry: 2000\n\n", []shown{{"", "", 2 * time.Second}}},
		"no retry":                   {"retry: 2s\nretry: +1\nretry: -1\nretry:\nretry: 99999999999999999999\n\n", nil},
		"an id that is none":         {"id: a\x00b\n\nid: a b\n\nid\n\nid: ü\n\n", nil},
		"unknown fields":             {"ID: 1\ndata : a\nfoo: b\nfoo\n\n", nil},
		"an end in the middle":       {"data: a\n\ndata: b\n", []shown{{"", "a", 0}}},
		"an end in a line":           {"data: a\n\ndata", []shown{{"", "a", 0}}},
		"nothing":                    {"", nil},
		"empty lines":                {"\n\n\r\n\r\n", nil},
		"an id does not go on":       {"id: 1\ndata: a\n\ndata: b\n\n", []shown{{"1", "a", 0}, {"", "b", 0}}},
		"the last id of two":         {"id: 1\nid: 2\ndata: a\n\n", []shown{{"2", "a", 0}}},
		"a value that has its colon": {"data:a:b\n\n", []shown{{"", "a:b", 0}}},
	} {
		all, err := readAll(strings.NewReader(test.stream))
		require.ErrorIs(t, err, io.EOF, name)
		require.Equal(t, test.expected, all, name)
		bytewise, err := readAll(iotest.OneByteReader(strings.NewReader(test.stream)))
		require.ErrorIs(t, err, io.EOF, name)
		require.Equal(t, all, bytewise, name)
	}
}

func TestMessagesAreBounded(t *testing.T) {
	t.Parallel()
	for name, stream := range map[string]string{
		"a line without an end":    "data: " + strings.Repeat("a", maxMessage+1),
		"a line":                   strings.Repeat("a", maxMessage+1) + "\n\n",
		"a message without an end": strings.Repeat("data: "+strings.Repeat("a", 1000)+"\n", maxMessage/1000),
		"comments without an end":  strings.Repeat(":"+strings.Repeat("a", 1000)+"\n", maxMessage/1000+1),
	} {
		_, err := readAll(strings.NewReader(stream))
		require.ErrorIs(t, err, errMessageTooLarge, name)
	}
	all, err := readAll(strings.NewReader(strings.Repeat("data: "+strings.Repeat("a", 1000)+"\n\n", 2*maxMessage/1000)))
	require.ErrorIs(t, err, io.EOF)
	require.Len(t, all, 2*maxMessage/1000)
}
