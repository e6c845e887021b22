package client

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
)

// maxMessage is the most bytes of one message of a stream, which is the most of one line too.
const maxMessage = 1 << 20

// errMessageTooLarge is the reason why a stream is given up whose message has no end.
var errMessageTooLarge = errors.New("a message of the stream is larger than 1 MiB")

// A message is a block of a stream of server-sent events that says something: an event, the last event id, or how long to
// wait before the stream is opened again.
type message struct {
	id    string        // empty: the block does not change it
	data  []byte        // nil: the block moves the last event id at the most
	retry time.Duration // zero: the block does not say
}

// readMessages reads server-sent events (HTML Living Standard section 9.2.6) to the end of the stream, which is io.EOF, or
// io.ErrUnexpectedEOF where the answer was cut. A block without an end does not count. Alive is called with each line.
//
// In two things a reader of a feed differs from a browser: it is told of blocks that only carry an id, and the names of
// events, which stand in the data too, are not read.
func readMessages(stream io.Reader, alive func(), each func(message) error) error {
	lines := lineReader{r: bufio.NewReader(stream)}
	var m message
	said := false
	for size := 0; ; {
		line, err := lines.next()
		if err != nil {
			return err
		}
		alive()
		if len(line) == 0 {
			if said {
				if err := each(m); err != nil {
					return err
				}
			}
			m, said, size = message{}, false, 0
			continue
		}
		if size += len(line); size > maxMessage {
			return errMessageTooLarge
		}
		said = m.take(line) || said
	}
}

// take takes in a line that is not empty; said is false of one without a meaning.
func (m *message) take(line []byte) (said bool) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "data":
		if m.data != nil {
			m.data = append(m.data, '\n')
		}
		m.data = append(m.data, value...)
	case "id":
		if len(value) == 0 || !isVisible(string(value)) {
			return false // it could not be sent back
		}
		m.id = string(value)
	case "retry":
		if strings.Trim(string(value), "0123456789") != "" {
			return false
		}
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

// A lineReader splits a stream at CR, LF, or both, and drops a byte order mark at its beginning.
type lineReader struct {
	r       *bufio.Reader
	begun   bool
	afterCR bool
	line    []byte
}

// next returns the next line without its end. It is good until the next call. What stands behind the last end of a line is
// no line.
func (l *lineReader) next() ([]byte, error) {
	l.line = l.line[:0]
	for {
		b, err := l.r.ReadByte()
		if err != nil {
			return nil, err
		}
		if b == '\n' && l.afterCR {
			l.afterCR = false
			continue
		}
		l.afterCR = b == '\r'
		if b == '\n' || b == '\r' {
			break
		}
		if len(l.line) >= maxMessage {
			return nil, errMessageTooLarge
		}
		l.line = append(l.line, b)
	}
	if !l.begun {
		l.begun = true
		return bytes.TrimPrefix(l.line, []byte("\ufeff")), nil
	}
	return l.line, nil
}
