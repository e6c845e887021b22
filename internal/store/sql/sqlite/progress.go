package sqlite

import (
	"bytes"
	"encoding/binary"
	"time"

	"github.com/payctl/payctl/internal/sqlitedb"
)

// progress is how far commits have come. Each commit that writes counts itself in the row of the table progress, so
// that the database itself tells which commits it has. The state file (state.go) has the same numbers outside of the
// database.
type progress struct {
	commits uint64 // that wrote something, since the folder was new
	writes  uint64 // updates that wrote something; a commit holds those of several requests
	at      int64  // when the last of these commits was made, in nanoseconds since 1970
}

// progressSize is the length of an encoded progress.
const progressSize = 3 * 8

// markerMagic precedes the progress in the row, so that a page that holds the row is recognised without reading the
// database's structure. No JSON document contains these bytes, since they are not UTF-8.
var markerMagic = []byte("\xff\xfepayctl prog\xc0\xc1\xff")

const (
	readMarker  = "SELECT marker FROM progress WHERE id = 1"
	writeMarker = "UPDATE progress SET marker = $1 WHERE id = 1"
)

// next is the progress after a commit of some writes.
func (p progress) next(writes int, now time.Time) progress {
	return progress{p.commits + 1, p.writes + uint64(writes), now.UnixNano()}
}

// max is the later one.
func (p progress) max(q progress) progress {
	if q.commits > p.commits {
		return q
	}
	return p
}

func (p progress) time() time.Time { return time.Unix(0, p.at).UTC() }

// put appends the encoded progress.
func (p progress) put(to []byte) []byte {
	to = binary.BigEndian.AppendUint64(to, p.commits)
	to = binary.BigEndian.AppendUint64(to, p.writes)
	return binary.BigEndian.AppendUint64(to, uint64(p.at))
}

// progressOf reads an encoded progress, which is as long as progressSize.
func progressOf(from []byte) progress {
	return progress{
		binary.BigEndian.Uint64(from), binary.BigEndian.Uint64(from[8:]),
		int64(binary.BigEndian.Uint64(from[16:])),
	}
}

// marker is the row's value.
func (p progress) marker() []byte { return p.put(bytes.Clone(markerMagic)) }

// findMarkers returns the latest progress among the markers in some bytes, such as a page; zero: there is none. A page
// may hold old markers in its unused space.
func findMarkers(in []byte) (latest progress) {
	for {
		i := bytes.Index(in, markerMagic)
		if i < 0 || len(in) < i+len(markerMagic)+progressSize {
			return latest
		}
		in = in[i+len(markerMagic):]
		latest = latest.max(progressOf(in))
	}
}

// loadProgress reads the row within a transaction.
func loadProgress(conn *sqlitedb.Conn) (progress, error) {
	var marker []byte
	err := conn.Row(readMarker, nil, &marker)
	return findMarkers(marker), err
}
