package batch

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
)

// chunked reads a source in chunks: the first time it takes their sums, later it holds them to these.
type chunked struct {
	source *Source
	from   io.Reader
	whole  hash.Hash
	buffer []byte
	unread []byte
	count  int
	err    error
}

// Read implements io.Reader.
func (c *chunked) Read(p []byte) (int, error) {
	for len(c.unread) == 0 {
		if c.err != nil {
			return 0, c.err
		}
		c.err = c.next()
	}
	n := copy(p, c.unread)
	c.unread = c.unread[n:]
	return n, nil
}

func (c *chunked) next() error {
	n, err := io.ReadFull(c.from, c.buffer)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = io.EOF
	case err != nil && !errors.Is(err, io.EOF):
		return fmt.Errorf("%s: %w: %w", c.source.Name, ErrUnusable, err)
	}
	if n > 0 {
		sum := sha256.Sum256(c.buffer[:n])
		if !c.source.read {
			c.whole.Write(c.buffer[:n])
			c.source.chunks = append(c.source.chunks, sum)
		} else if c.count >= len(c.source.chunks) || c.source.chunks[c.count] != sum {
			return fmt.Errorf("%s: %w", c.source.Name, ErrChanged)
		}
		c.count++
		c.unread = c.buffer[:n]
	}
	if err == nil {
		return nil
	}
	if !c.source.read {
		c.whole.Sum(c.source.sum[:0])
		c.source.read = true
	} else if c.count != len(c.source.chunks) {
		return fmt.Errorf("%s: %w", c.source.Name, ErrChanged)
	}
	return err
}
