package batch

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/payctl/payctl/internal/rows"
)

// A Source is a file of rows that was read. Every row is looked at twice, to check it and to send it: what is sent is what
// was checked and confirmed, whatever happens to the file in between.
type Source struct {
	mapping *rows.Mapping
	// contacts are those that Check has found, by what the rows call them. Named reports that this is not always the
	// identifier.
	contacts map[string]foundContact
	named    bool

	name string // of the file, for messages
	text []byte
}

// NewSource reads a file of rows to its end.
func NewSource(name string, from io.Reader, mapping *rows.Mapping) (*Source, error) {
	text, err := rows.Read(name, from)
	return &Source{mapping: mapping, name: name, text: text}, err
}

// BatchID returns the identifier of the batch: the same content has the same identifier on every machine, also if an editor
// has saved it with other line ends, with a byte order mark or as UTF-16.
func (s *Source) BatchID() string {
	sum := sha256.Sum256(s.text)
	return "bat_" + hex.EncodeToString(sum[:13])
}
