// Package compact keeps records in few bytes without pointers, so that the garbage collector has nothing to do with
// them: a Codec encodes records of one type, a Dictionary has the strings that many of them share, and Slabs hold the
// bytes.
package compact

import (
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"
	"unsafe"
)

// A Codec encodes records of a type. It finds out at its construction how their fields are encoded.
type Codec[T any] struct {
	dictionary *Dictionary
	plan       plan
	writer     writer    // of Append
	readers    sync.Pool // of *reader
}

// NewCodec returns a codec that uses a dictionary. It panics if the type has parts that cannot be encoded, such as an
// interface or a field that is not exported.
func NewCodec[T any](dictionary *Dictionary) *Codec[T] {
	t := reflect.TypeFor[T]()
	known, ok := plans.Load(t)
	if !ok {
		known, _ = plans.LoadOrStore(t, planOf(t))
	}
	return &Codec[T]{dictionary: dictionary, plan: known.(plan)}
}

// plans has the plans of the types of records, as a service makes codecs for each of many worlds.
var plans sync.Map // plan by reflect.Type

// Append appends the encoded record to b. A string in it that equals own, the record's identifier, takes one byte; it
// is needed again to decode the record. If ok is false, the record has a value that could not be decoded to the same,
// such as a time that is not in UTC, and nothing is appended. No other call may use the dictionary at the same time.
func (c *Codec[T]) Append(b []byte, own string, record *T) (out []byte, ok bool) {
	w := &c.writer
	*w = writer{b: b, own: own, dictionary: c.dictionary, last: timeIn(own)}
	c.plan.append(w, reflect.ValueOf(record).Elem())
	out, ok = w.b, !w.failed
	*w = writer{}
	if !ok {
		out = b
	}
	return out, ok
}

// errDamaged is returned for bytes that Append did not write.
var errDamaged = errors.New("compact: the encoded record is damaged")

// Decode returns a copy of the record that was encoded. Calls may run at the same time, but not while Append runs.
func (c *Codec[T]) Decode(b []byte, own string) (*T, error) {
	record := new(T)
	r, ok := c.readers.Get().(*reader)
	if !ok {
		r = new(reader)
	}
	defer c.readers.Put(r)
	*r = reader{b: b, own: own, dictionary: c.dictionary, last: timeIn(own), room: r.room}
	c.plan.decode(r, reflect.ValueOf(record).Elem())
	if r.failed || len(r.b) > 0 {
		return nil, errDamaged
	}
	return record, nil
}

// A writer is a record while it is encoded.
type writer struct {
	b          []byte
	own        string
	dictionary *Dictionary
	last       int64   // the time before, in milliseconds since 1970: times are encoded as the distance to it
	context    context // what the dictionary's guess of the next string depends on
	failed     bool    // the record cannot be encoded
}

// A reader is a record while it is decoded.
type reader struct {
	b          []byte // what has not been read
	own        string
	dictionary *Dictionary
	last       int64
	room       []byte // for a string
	failed     bool   // the record is damaged
}

// timeIn is the time in an identifier, which is near those in the record; zero for another text.
func timeIn(own string) int64 {
	if id, ok := identifierOf(own); ok {
		return int64(id.Time())
	}
	return 0
}

func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.failed = true
		return nil
	}
	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) uvarint() uint64 {
	n, size := binary.Uvarint(r.b)
	r.take(uint64(max(size, 0)))
	r.failed = r.failed || size <= 0
	return n
}

func (r *reader) varint() int64 {
	n, size := binary.Varint(r.b)
	r.take(uint64(max(size, 0)))
	r.failed = r.failed || size <= 0
	return n
}

// maxDistance is the largest distance of two times in milliseconds that is encoded: it leaves a bit.
const maxDistance = 1 << 60

// time appends a time, unless it could not be decoded to the same value: its distance to the one before in
// milliseconds, and the rest in nanoseconds if there is one.
func (w *writer) time(at time.Time) (ok bool) {
	ms, rest := at.UnixMilli(), at.Nanosecond()%1e6
	distance := ms - w.last
	if at != timeOf(ms, rest) || distance > maxDistance || distance < -maxDistance {
		return false
	}
	w.last = ms
	if rest == 0 {
		w.b = binary.AppendVarint(w.b, distance<<1)
	} else {
		w.b = binary.AppendUvarint(binary.AppendVarint(w.b, distance<<1|1), uint64(rest))
	}
	return true
}

func (r *reader) time() time.Time {
	distance, rest := r.varint(), 0
	if distance&1 != 0 {
		rest = int(r.uvarint())
	}
	r.last += distance >> 1
	return timeOf(r.last, rest)
}

func timeOf(ms int64, rest int) time.Time {
	return time.UnixMilli(ms).Add(time.Duration(rest)).UTC()
}

// A plan encodes and decodes the values of a type.
type plan struct {
	append func(*writer, reflect.Value)
	decode func(*reader, reflect.Value)
}

var (
	timeType     = reflect.TypeFor[time.Time]()
	appenderType = reflect.TypeFor[encoding.BinaryAppender]()
)

// planOf returns the plan of a type. It panics if the type cannot be encoded.
func planOf(t reflect.Type) plan {
	switch {
	case t == timeType:
		return planOfTime()
	case reflect.PointerTo(t).Implements(appenderType):
		return planOfBinary()
	}
	switch t.Kind() {
	case reflect.Bool:
		return plan{
			func(w *writer, v reflect.Value) {
				if v.Bool() {
					w.b = append(w.b, 1)
				} else {
					w.b = append(w.b, 0)
				}
			},
			func(r *reader, v reflect.Value) { v.SetBool(r.byte() != 0) },
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return plan{
			func(w *writer, v reflect.Value) { w.b = binary.AppendVarint(w.b, v.Int()) },
			func(r *reader, v reflect.Value) { v.SetInt(r.varint()) },
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return plan{
			func(w *writer, v reflect.Value) { w.b = binary.AppendUvarint(w.b, v.Uint()) },
			func(r *reader, v reflect.Value) { v.SetUint(r.uvarint()) },
		}
	case reflect.String:
		return plan{
			func(w *writer, v reflect.Value) { w.text(v.String()) },
			func(r *reader, v reflect.Value) { v.SetString(r.text()) },
		}
	case reflect.Pointer:
		elem := planOfItem(t.Elem())
		return plan{
			func(w *writer, v reflect.Value) { elem.append(w, v.Elem()) },
			func(r *reader, v reflect.Value) {
				v.Set(reflect.New(t.Elem()))
				elem.decode(r, v.Elem())
			},
		}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return plan{
				func(w *writer, v reflect.Value) { w.text(textOf(v.Bytes())) },
				func(r *reader, v reflect.Value) { v.SetBytes(r.appendText([]byte{})) },
			}
		}
		return planOfSlice(t)
	case reflect.Map:
		return planOfMap(t)
	case reflect.Struct:
		return planOfStruct(t)
	}
	panic(fmt.Sprintf("compact: cannot encode a %v", t))
}

func planOfTime() plan {
	return plan{
		func(w *writer, v reflect.Value) {
			if at, _ := reflect.TypeAssert[time.Time](v); !w.time(at) {
				w.failed = true
			}
		},
		func(r *reader, v reflect.Value) { *v.Addr().Interface().(*time.Time) = r.time() },
	}
}

// planOfBinary uses the binary form that a type has, up to 255 bytes.
func planOfBinary() plan {
	return plan{
		func(w *writer, v reflect.Value) {
			start := len(w.b) + 1
			b, err := v.Addr().Interface().(encoding.BinaryAppender).AppendBinary(append(w.b, 0))
			if err != nil || len(b)-start > 255 {
				w.failed = true
				return
			}
			b[start-1] = byte(len(b) - start)
			w.b = b
		},
		func(r *reader, v reflect.Value) {
			b := r.take(uint64(r.byte()))
			if v.Addr().Interface().(encoding.BinaryUnmarshaler).UnmarshalBinary(b) != nil {
				r.failed = true
			}
		},
	}
}

// planOfItem is the plan of what a pointer points to or of an element. Before one that may be nil is a byte that tells.
func planOfItem(t reflect.Type) plan {
	item := planOf(t)
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return plan{
			func(w *writer, v reflect.Value) {
				if v.IsNil() {
					w.b = append(w.b, 0)
					return
				}
				w.b = append(w.b, 1)
				item.append(w, v)
			},
			func(r *reader, v reflect.Value) {
				if r.byte() != 0 {
					item.decode(r, v)
				}
			},
		}
	}
	return item
}

func planOfSlice(t reflect.Type) plan {
	item := planOfItem(t.Elem())
	return plan{
		func(w *writer, v reflect.Value) {
			w.b = binary.AppendUvarint(w.b, uint64(v.Len()))
			for i := range v.Len() {
				item.append(w, v.Index(i))
			}
		},
		func(r *reader, v reflect.Value) {
			size := int(r.uvarint())
			v.Set(reflect.MakeSlice(t, size, size))
			for i := range size {
				item.decode(r, v.Index(i))
			}
		},
	}
}

func planOfMap(t reflect.Type) plan {
	key, value := planOfItem(t.Key()), planOfItem(t.Elem())
	return plan{
		func(w *writer, v reflect.Value) {
			w.b = binary.AppendUvarint(w.b, uint64(v.Len()))
			k, e := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
			for entry := v.MapRange(); entry.Next(); {
				k.SetIterKey(entry)
				key.append(w, k)
				e.SetIterValue(entry)
				value.append(w, e)
			}
		},
		func(r *reader, v reflect.Value) {
			size := int(r.uvarint())
			v.Set(reflect.MakeMapWithSize(t, size))
			for range size {
				k, e := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
				key.decode(r, k)
				value.decode(r, e)
				v.SetMapIndex(k, e)
			}
		},
	}
}

// planOfStruct encodes the set of the fields that are not zero, a bit for each field, and these fields.
func planOfStruct(t reflect.Type) plan {
	var fields []plan
	for field := range t.Fields() {
		if !field.IsExported() {
			panic(fmt.Sprintf("compact: cannot encode the field %s of a %v, which is not exported", field.Name, t))
		}
		fields = append(fields, planOf(field.Type))
	}
	set := make([]byte, (len(fields)+7)/8)
	return plan{
		func(w *writer, v reflect.Value) {
			start := len(w.b)
			w.b = append(w.b, set...)
			for i := range fields {
				if field := v.Field(i); !field.IsZero() {
					w.b[start+i/8] |= 1 << (i % 8)
					fields[i].append(w, field)
				}
			}
		},
		func(r *reader, v reflect.Value) {
			present := r.take(uint64(len(set)))
			for i := range fields {
				if !r.failed && present[i/8]&(1<<(i%8)) != 0 {
					fields[i].decode(r, v.Field(i))
				}
			}
		},
	}
}

// textOf returns bytes as a string without copying them: to copy the response of an idempotency key would take a third
// of the time of encoding it. Append keeps no part of the string, since the dictionary clones what it learns.
func textOf(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b)) //nolint:gosec // Nothing changes the bytes during Append.
}
