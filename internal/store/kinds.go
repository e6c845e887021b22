package store

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// A Kind is a kind of document.
type Kind struct {
	// Name is the kind in a database.
	Name string
	// Columns are what lists select by. The one that selects the fewest documents is first: a list by several columns uses
	// its index.
	Columns []string
	// Number is the kind's place among Kinds.
	Number int
	// Decode returns the document of the kind that Encode has encoded.
	Decode func(text []byte) (Document, error)
}

// Columns that lists select by.
const (
	ColumnAccount    = "account"
	ColumnKYCStatus  = "kycStatus"
	ColumnEmail      = "email" // in lower case
	ColumnExternalID = "externalId"
	ColumnState      = "state"
	ColumnReference  = "reference"
	ColumnBatch      = "batchId"
	ColumnLabel      = "label"
	columnSubject    = "subject"
	columnType       = "type"
)

// The kinds of documents.
var (
	accounts  = newKind[Account]("account", ColumnExternalID, ColumnEmail, ColumnKYCStatus)
	contacts  = newKind[Contact]("contact", ColumnExternalID, ColumnLabel, ColumnAccount)
	transfers = newKind[Transfer]("transfer",
		ColumnReference, ColumnExternalID, ColumnBatch, ColumnAccount, ColumnState)
	keys    = newKind[Key]("key")
	clients = newKind[Client]("client")
	tokens  = newKind[Token]("token")
	worlds  = newKind[World]("world")
	events  = newKind[Event]("event", columnSubject, columnType)
)

// Kinds are all kinds of documents.
var Kinds = number(accounts, contacts, transfers, keys, clients, tokens, worlds, events)

// contents are the kinds that Tx.Clear removes: all but the world's own record, its clients and their tokens.
var contents = []*Kind{accounts, contacts, transfers, keys, events}

// WorldKind is the kind of the record that each world keeps about itself.
var WorldKind = worlds

// document is a pointer to a T that is a Document.
type document[T any] interface {
	*T
	Document
}

func newKind[T any, P document[T]](name string, columns ...string) *Kind {
	return &Kind{Name: name, Columns: columns, Decode: func(text []byte) (Document, error) {
		decoded := new(T)
		err := json.Unmarshal(text, decoded, encoding)
		return P(decoded), err
	}}
}

func number(kinds ...*Kind) []*Kind {
	for i, kind := range kinds {
		kind.Number = i
	}
	return kinds
}

// encoding is how documents are kept in a database: exactly as they are, nil slices and maps too.
var encoding = json.JoinOptions(json.FormatNilSliceAsNull(true), json.FormatNilMapAsNull(true),
	jsonv1.FormatDurationAsNano(true), jsontext.AllowInvalidUTF8(true))

// Encode returns a document in JSON. Invalid UTF-8 in it is replaced.
func Encode(d Document) ([]byte, error) { return json.Marshal(d, encoding) }
