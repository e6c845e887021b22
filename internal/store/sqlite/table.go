package sqlite

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/store"
)

// table is a store.Table in a transaction.
type table[T store.Record] struct {
	tx   *tx
	kind *kind
}

// Get implements store.Table.
func (t table[T]) Get(id string) (*T, error) {
	var document []byte
	if err := t.tx.connection.row(t.tx.ctx, t.kind.get, []any{t.tx.world, id}, &document); err != nil {
		return nil, t.tx.fail(err)
	}
	return decode[T](document)
}

// Put implements store.Table.
func (t table[T]) Put(record *T) error {
	document, err := json.Marshal(record, form())
	if err != nil {
		return err
	}
	args := make([]any, 0, 4+len(t.kind.columns))
	args = append(args, t.tx.world, (*record).RecordID(), instant((*record).Created()), string(document))
	for _, c := range t.kind.columns {
		if value := (*record).Indexed(c.store); value != "" {
			args = append(args, value)
		} else {
			args = append(args, nil)
		}
	}
	_, err = t.tx.change(t.kind.put, args...)
	return err
}

// Delete implements store.Table.
func (t table[T]) Delete(id string) error {
	n, err := t.tx.change(t.kind.remove, t.tx.world, id)
	if err == nil && n == 0 {
		return store.ErrNotFound
	}
	return err
}

// List implements store.Table.
func (t table[T]) List(q store.Query) ([]*T, error) {
	query, args := t.kind.list(t.tx.world, q)
	found := []*T{}
	err := t.tx.connection.rows(t.tx.lists, query, args, func(scan func(...any) error) error {
		var document []byte
		if err := scan(&document); err != nil {
			return err
		}
		record, err := decode[T](document)
		found = append(found, record)
		return err
	})
	if err != nil {
		return nil, t.tx.fail(err)
	}
	return found, nil
}

func decode[T store.Record](document []byte) (*T, error) {
	record := new(T)
	if err := json.Unmarshal(document, record, form()); err != nil {
		return nil, err
	}
	return record, nil
}

// form is how records are written: exactly as they are, nil slices and maps too.
func form() json.Options {
	return json.JoinOptions(
		json.FormatNilSliceAsNull(true), json.FormatNilMapAsNull(true), jsontext.AllowInvalidUTF8(true),
		json.WithMarshalers(json.MarshalToFunc(func(e *jsontext.Encoder, d time.Duration) error {
			return e.WriteToken(jsontext.Int(int64(d)))
		})),
		json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, into *time.Duration) error {
			var nanoseconds int64
			err := json.UnmarshalDecode(d, &nanoseconds)
			*into = time.Duration(nanoseconds)
			return err
		})))
}
