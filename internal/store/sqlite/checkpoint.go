package sqlite

import (
	"context"
	"database/sql"
)

// manyWrites is after how many writes the log is copied into the database. They make some 20 MiB of it.
const manyWrites = 20_000

// A checkpointer copies the log into the database. The most of it is done beside the writer, which would have to wait for the
// disk otherwise, and with it whoever writes; the rest, which was written meanwhile, when nobody writes. Then the log begins
// anew.
type checkpointer struct {
	db     *sql.DB
	after  int           // so many writes
	writes int           // since the log began anew
	copied chan struct{} // closed when the most of it is done; nil: it is not begun

	failing bool
	tell    func(error) // see TellOfLog
}

// TellOfLog has a function told when the log cannot be copied into the database, so that it grows, and, with nil, when it can
// again. It has to be called before any update. Who writes waits for the function.
func (s *Store) TellOfLog(tell func(error)) { s.writer.log.tell = tell }

// wrote is called after a commit by whoever has the writer's turn, with its connection.
func (c *checkpointer) wrote(writes int, writer *connection) {
	c.writes += writes
	if c.copied == nil {
		if c.writes >= c.after {
			c.copied = make(chan struct{})
			go c.copy(c.copied)
		}
		return
	}
	select {
	case <-c.copied:
		c.went(writer.exec(context.Background(), checkpoint))
		c.writes, c.copied = 0, nil
	default:
	}
}

// went tells how a checkpoint went, once while that stays so.
func (c *checkpointer) went(err error) {
	if failing := err != nil; failing != c.failing {
		c.failing = failing
		if c.tell != nil {
			c.tell(err)
		}
	}
}

// copy copies the log beside the writer. Where it fails the log goes on, and the next commits try again.
func (c *checkpointer) copy(done chan<- struct{}) {
	defer close(done)
	for range 2 { // the second time there is little
		_, _ = c.db.ExecContext(context.Background(), checkpoint)
	}
}

// wait waits for what is done beside the writer.
func (c *checkpointer) wait() {
	if c.copied != nil {
		<-c.copied
	}
}
