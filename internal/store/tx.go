package store

// A Tx is a transaction in one world. The records that it returns are shared: to change a record, put a changed copy.
type Tx struct{ Documents }

// Accounts holds the accounts.
func (tx Tx) Accounts() Table[Account] { return Table[Account]{tx.Documents, accounts} }

// Contacts holds the saved contacts.
func (tx Tx) Contacts() Table[Contact] { return Table[Contact]{tx.Documents, contacts} }

// Transfers holds the transfers.
func (tx Tx) Transfers() Table[Transfer] { return Table[Transfer]{tx.Documents, transfers} }

// Keys holds the idempotency keys.
func (tx Tx) Keys() Table[Key] { return Table[Key]{tx.Documents, keys} }

// Clients holds the clients of the service.
func (tx Tx) Clients() Table[Client] { return Table[Client]{tx.Documents, clients} }

// Tokens holds the access tokens.
func (tx Tx) Tokens() Table[Token] { return Table[Token]{tx.Documents, tokens} }

// Worlds holds one record, of the world itself, and none before the world is first used.
func (tx Tx) Worlds() Table[World] { return Table[World]{tx.Documents, worlds} }

// Events is the world's event log.
func (tx Tx) Events() EventLog { return EventLog{Table[Event]{tx.Documents, events}} }

// TransferByReference returns the transfer with a reference. Of several it is the one with the least identifier. The
// error is ErrNotFound if there is none.
func (tx Tx) TransferByReference(reference string) (*Transfer, error) {
	if reference == "" {
		return nil, ErrNotFound
	}
	found, err := tx.Transfers().List(Query{
		Where: map[string]string{ColumnReference: reference}, Ascending: true, Limit: 1,
	})
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// Clear removes the world's contents: all but its own record, its clients and their tokens.
func (tx Tx) Clear() error {
	for _, collection := range contents {
		if err := tx.Documents.Clear(collection); err != nil {
			return err
		}
	}
	return nil
}

// A Table holds the records of one collection in the order of their identifiers.
type Table[T any] struct {
	documents  Documents
	collection *Collection
}

// Get returns the record with an identifier. The error is ErrNotFound if there is none.
func (t Table[T]) Get(id string) (*T, error) {
	found, err := t.documents.Get(t.collection, id)
	if err != nil {
		return nil, err
	}
	return any(found).(*T), nil
}

// Put adds a record, or replaces the one with its identifier.
func (t Table[T]) Put(record *T) error { return t.documents.Put(t.collection, any(record).(Document)) }

// Delete removes a record; the error is ErrNotFound if there is none.
func (t Table[T]) Delete(id string) error { return t.documents.Delete(t.collection, id) }

// List returns the records that a query selects.
func (t Table[T]) List(q Query) ([]*T, error) {
	found, err := t.documents.List(t.collection, q)
	if err != nil {
		return nil, err
	}
	records := make([]*T, len(found))
	for i, document := range found {
		records[i] = any(document).(*T)
	}
	return records, nil
}
