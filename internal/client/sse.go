package client

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"strconv"
	"time"
)

// maxMessage is the size limit of one message of a stream, and of one line, in bytes; an event has a few hundred.
const maxMessage = 1 << 20

var errMessageTooLarge = errors.New("a message of the stream is larger than 1 MiB")

// A message is a block of a stream of server-sent events that has a meaning.
type message struct {
	id    string        // the new last event id; empty leaves it as it is
	data  []byte        // nil: the block has none
	retry time.Duration // how long to wait before the stream is opened again; zero: the block does not say
}

// readMessages reads server-sent events (HTML Living Standard section 9.2.6) to the end of the stream, which is io.EOF,
// or io.ErrUnexpectedEOF if the response was cut. An unfinished block does not count. Alive is called with each line.
//
// Unlike a browser, it also reports blocks that only carry an id, and does not read the names of events, which their
// data repeat. Lines end with LF or CRLF.
func readMessages(stream io.Reader, alive func(), each func(message) error) error {
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, maxMessage+1)
	var m message
	meaningful := false
	for size := 0; lines.Scan(); {
		alive()
		line := lines.Bytes()
		if len(line) == 0 {
			if meaningful {
				if err := each(m); err != nil {
					return err
				}
			}
			m, meaningful, size = message{}, false, 0
			continue
		}
		if size += len(line); size > maxMessage {
			return errMessageTooLarge
		}
		meaningful = m.addLine(line) || meaningful
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return errMessageTooLarge
	}
	return cmp.Or(lines.Err(), io.EOF)
}

// addLine adds a line that is not empty. It reports whether the line has a meaning.
func (m *message) addLine(line []byte) bool {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "data":
		if m.data != nil {
			m.data = append(m.data, '\n')
		}
		m.data = append(m.data, value...)
	case "id":
		if len(value) == 0 || !isVisibleASCII(string(value)) {
			return false // it could not be sent back
		}
		m.id = string(value)
	case "retry":
		milliseconds, err := strconv.ParseUint(string(value), 10, 32)
		if err != nil {
			return false
		}
		m.retry = time.Duration(milliseconds) * time.Millisecond
	default:
		return false
	}
	return true
}
