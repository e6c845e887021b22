package postgres

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/payctl/payctl/internal/store/sql"
)

// Values are sent in the text format, but lists in the binary one, in which an element needs no quotes.
const (
	textFormat   int16 = 0
	binaryFormat int16 = 1
)

// Types of elements (src/include/catalog/pg_type.dat).
const (
	textOID   = 25
	bigintOID = 20
)

// A list is an array in PostgreSQL's binary format.
type list []byte

// newList begins an array of n elements, whose values have so many bytes.
func newList(elementType uint32, n, bytes int, withNulls bool) list {
	dimensions := uint32(1)
	if n == 0 {
		dimensions = 0
	}
	hasNulls := uint32(0)
	if withNulls {
		hasNulls = 1
	}
	const header, perElement = 20, 4
	l := make(list, 0, header+perElement*n+bytes)
	l = binary.BigEndian.AppendUint32(l, dimensions)
	l = binary.BigEndian.AppendUint32(l, hasNulls)
	l = binary.BigEndian.AppendUint32(l, elementType)
	if n > 0 {
		l = binary.BigEndian.AppendUint32(l, uint32(n))
		l = binary.BigEndian.AppendUint32(l, 1) // the index of the first element
	}
	return l
}

func (l list) text(value string) list {
	value = escape(value)
	l = binary.BigEndian.AppendUint32(l, uint32(len(value)))
	return append(l, value...)
}

func (l list) bigint(value int64) list {
	l = binary.BigEndian.AppendUint32(l, 8)
	return binary.BigEndian.AppendUint64(l, uint64(value))
}

func (l list) null() list { return binary.BigEndian.AppendUint32(l, 0xffff_ffff) }

// textList is Dialect.List.
func textList(values []string) any {
	bytes := 0
	for _, value := range values {
		bytes += len(value)
	}
	l := newList(textOID, len(values), bytes, false)
	for _, value := range values {
		l = l.text(value)
	}
	return l
}

// columnList is the array of a column's values in rows.
func columnList(column sql.Column, rows [][]any, i int) (list, error) {
	elementType := uint32(textOID)
	if column.Integer {
		elementType = bigintOID
	}
	bytes := 0
	for _, row := range rows {
		if text, ok := row[i].(string); ok {
			bytes += len(text)
		} else {
			bytes += 8
		}
	}
	l := newList(elementType, len(rows), bytes, true)
	for _, row := range rows {
		switch value := row[i].(type) {
		case nil:
			l = l.null()
		case string:
			if column.Integer {
				return nil, fmt.Errorf("column %s: a text in place of an integer", column.Name)
			}
			l = l.text(value)
		case int64:
			if !column.Integer {
				return nil, fmt.Errorf("column %s: an integer in place of a text", column.Name)
			}
			l = l.bigint(value)
		default:
			return nil, fmt.Errorf("column %s: a value of type %T", column.Name, value)
		}
	}
	return l, nil
}

// encode makes the parameters of a statement.
func encode(args []any) (values [][]byte, formats []int16, err error) {
	if len(args) == 0 {
		return nil, nil, nil
	}
	values, formats = make([][]byte, len(args)), make([]int16, len(args))
	for i, arg := range args {
		switch arg := arg.(type) {
		case nil:
		case string:
			values[i] = []byte(escape(arg))
		case []byte:
			values[i] = []byte(escape(string(arg)))
		case int64:
			values[i] = strconv.AppendInt(nil, arg, 10)
		case list:
			values[i], formats[i] = arg, binaryFormat
		default:
			return nil, nil, fmt.Errorf("argument %d: a value of type %T", i+1, arg)
		}
	}
	return values, formats, nil
}

// scan reads a row, in the text format, into variables.
func scan(row [][]byte, into []any) error {
	if len(row) != len(into) {
		return fmt.Errorf("a row of %d columns for %d variables", len(row), len(into))
	}
	for i, value := range row {
		if err := scanValue(value, into[i]); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}

func scanValue(value []byte, into any) (err error) {
	switch into := into.(type) {
	case **string:
		*into = nil
		if value != nil {
			text := unescape(string(value))
			*into = &text
		}
		return nil
	case *[]byte:
		*into = nil
		if value != nil {
			*into = []byte(unescape(string(value)))
		}
		return nil
	}
	if value == nil {
		return fmt.Errorf("NULL for a variable of type %T", into)
	}
	switch into := into.(type) {
	case *string:
		*into = unescape(string(value))
	case *int64:
		*into, err = strconv.ParseInt(string(value), 10, 64)
	default:
		err = fmt.Errorf("a variable of type %T", into)
	}
	return err
}

// PostgreSQL's texts are valid UTF-8 without zero bytes. Identifiers and filters of requests may be any bytes, and JSON
// strings may contain the character U+0000, so texts are escaped: escapeByte is followed by two hexadecimal digits for
// a byte. Documents are not affected: in JSON, control characters are escaped already.
const escapeByte = '\x01'

// escape returns a text that PostgreSQL can keep. Different texts have different results. Texts that contain neither of
// these bytes keep their order.
func escape(text string) string {
	if utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 && strings.IndexByte(text, escapeByte) < 0 {
		return text
	}
	const digits = "0123456789abcdef"
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if c := text[i]; c == 0 || c == escapeByte || r == utf8.RuneError && size == 1 {
			b.WriteByte(escapeByte)
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&0xf])
		} else {
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}

// unescape undoes escape.
func unescape(text string) string {
	if strings.IndexByte(text, escapeByte) < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == escapeByte && i+2 < len(text) {
			if value, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(value))
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
