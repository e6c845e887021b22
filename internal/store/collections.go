package store

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// A Collection is the documents of one type in a world.
type Collection struct {
	Name string // in a database
	// Columns are those that lists can select by. The most selective one comes first: a list by several columns uses its
	// index.
	Columns []string
	// Number is the index in Collections.
	Number int
	// Decode decodes a document of Encode.
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

var (
	accounts  = newCollection[Account]("account", ColumnExternalID, ColumnEmail, ColumnKYCStatus)
	contacts  = newCollection[Contact]("contact", ColumnExternalID, ColumnLabel, ColumnAccount)
	transfers = newCollection[Transfer]("transfer",
		ColumnReference, ColumnExternalID, ColumnBatch, ColumnAccount, ColumnState)
	keys    = newCollection[Key]("key")
	clients = newCollection[Client]("client")
	tokens  = newCollection[Token]("token")
	worlds  = newCollection[World]("world")
	events  = newCollection[Event]("event", columnSubject, columnType)
)

// Collections are all collections.
var Collections = number(accounts, contacts, transfers, keys, clients, tokens, worlds, events)

// contents are the collections that Tx.Clear removes: all but the world's own record, its clients and their tokens.
var contents = []*Collection{accounts, contacts, transfers, keys, events}

// WorldCollection holds the record that each world keeps about itself.
var WorldCollection = worlds

// document is a pointer to a T that is a Document.
type document[T any] interface {
	*T
	Document
}

func newCollection[T any, P document[T]](name string, columns ...string) *Collection {
	return &Collection{Name: name, Columns: columns, Decode: func(text []byte) (Document, error) {
		decoded := new(T)
		err := json.Unmarshal(text, decoded, encoding)
		return P(decoded), err
	}}
}

func number(collections ...*Collection) []*Collection {
	for i, collection := range collections {
		collection.Number = i
	}
	return collections
}

// encoding keeps documents in a database exactly as they are, including nil slices and maps.
var encoding = json.JoinOptions(json.FormatNilSliceAsNull(true), json.FormatNilMapAsNull(true),
	jsonv1.FormatDurationAsNano(true), jsontext.AllowInvalidUTF8(true))

// Encode returns a document in JSON. It replaces invalid UTF-8.
func Encode(d Document) ([]byte, error) { return json.Marshal(d, encoding) }
