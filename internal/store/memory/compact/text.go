package compact

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
)

// The first byte of a string tells its form. Below formNumber2 it is the number of a string in the dictionary. Each
// form is here because of a measurement: how many more bytes a settled transfer, its idempotency key and one event of
// BenchmarkCodec take without it. With all forms they take 143, 195 and 38 bytes.
//
//	form                              transfer    key   event
//	numbers, with the dictionary         166     1010    143
//	formOwn                               19        4     10
//	formTime                               0       38      0
//	formJSON                               0     1290      0
//	formIdentifier                         0       13      0
//	formHex                               34        0      0
//	formDigits                            10       23      3
const (
	formNumber2    = 0xa0 // up to formNumber3: a number of 13 bits, with the next byte
	formNumber3    = 0xc0 // a number of two bytes, which follow
	formOwn        = 0xc1 // the record's own identifier
	formTime       = 0xc2 // a time in UTC, as the field of a record has it
	formJSON       = 0xc3 // the length of the text, and its parts
	formIdentifier = 0xc4 // three letters, an underscore that is left out, and the 16 bytes of a ULID
	formHex        = 0xc5 // 0x and hexadecimal digits: the number of bytes, and these
	formDigits     = 0xc6 // a string, and the digits that follow it: their number and the number that they make
	formLong       = 0xc7 // the length of the text, and the text
	formShort      = 0xc8 // from here on: the length is in the byte, and the text follows
)

const (
	// shortestEntry is the length from which a number is shorter than the text.
	shortestEntry = 2
	// fewestDigits are shorter as they are. All numbers of mostDigits fit into 64 bits.
	fewestDigits, mostDigits = 6, 19
	// identifierSize is the length of an identifier such as trf_01kb….
	identifierSize = 4 + ulid.EncodedSize
)

// text appends a string.
func (w *writer) text(text string) {
	if text == "" {
		w.b = append(w.b, formShort)
		return
	}
	if text == w.own {
		w.b = append(w.b, formOwn)
		return
	}
	if number, ok := w.dictionary.find(text, w.context); ok {
		w.number(number)
		return
	}
	if w.time3339(text) || w.json(text) {
		return
	}
	if len(text) >= shortestEntry {
		w.dictionary.learn(text)
	}
	if w.identifier(text) || w.hex(text) || w.digits(text) {
		return
	}
	if len(text) <= 0xff-formShort {
		w.b = append(w.b, formShort+byte(len(text)))
	} else {
		w.b = binary.AppendUvarint(append(w.b, formLong), uint64(len(text)))
	}
	w.b = append(w.b, text...)
}

// number appends the number of a string in the dictionary.
func (w *writer) number(n uint32) {
	w.context = w.context.after(n)
	switch {
	case n < formNumber2:
		w.b = append(w.b, byte(n))
	case n < formNumber2+(formNumber3-formNumber2)<<8:
		n -= formNumber2
		w.b = append(w.b, formNumber2+byte(n>>8), byte(n))
	default:
		w.b = append(w.b, formNumber3, byte(n>>8), byte(n))
	}
}

// time3339 appends a time of RFC 3339 in UTC, and reports whether the text is one as Go writes it.
func (w *writer) time3339(text string) bool {
	if len(text) < len("2006-01-02T15:04:05Z") || text[len(text)-1] != 'Z' || text[10] != 'T' {
		return false
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return false
	}
	var room [len(time.RFC3339Nano)]byte
	if string(at.AppendFormat(room[:0], time.RFC3339Nano)) != text {
		return false
	}
	start := len(w.b)
	w.b = append(w.b, formTime)
	if !w.time(at) {
		w.b = w.b[:start]
		return false
	}
	return true
}

// beginOfValue precedes a member's value that is a string.
const beginOfValue = `:"`

// json appends a text in parts, which are strings themselves, and reports whether it has more than one: in turn what is
// between the values of members that are strings, with the quotes of these, and such a value. Any text can be divided
// so.
func (w *writer) json(text string) bool {
	if !strings.Contains(text[:len(text)-1], beginOfValue) {
		return false
	}
	w.b = binary.AppendUvarint(append(w.b, formJSON), uint64(len(text)))
	for inValue := false; len(text) > 0; inValue = !inValue {
		likely, number := w.dictionary.likely(w.context)
		if rest, ok := strings.CutPrefix(text, likely); ok && ends(likely, rest, inValue) {
			w.number(number)
			text = rest
			continue
		}
		size := len(text)
		if inValue {
			size = endOfValue(text)
		} else if at := strings.Index(text, beginOfValue); at >= 0 {
			size = at + len(beginOfValue)
		}
		w.text(text[:size])
		text = text[size:]
	}
	return true
}

// ends reports whether a part of a text, with the rest of the text behind it, ends where json ends one.
func ends(part, rest string, inValue bool) bool {
	if inValue {
		return part != "" && strings.HasPrefix(rest, `"`) && part[len(part)-1] != '\\'
	}
	return part != "" && (strings.HasSuffix(part, beginOfValue) || rest == "")
}

// endOfValue is where the value at the beginning of a text ends: at a quote that no backslash escapes.
func endOfValue(text string) int {
	for at := 0; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at
		}
	}
	return len(text)
}

// identifier appends a text such as trf_01kb…, and reports whether the text is one.
func (w *writer) identifier(text string) bool {
	id, ok := identifierOf(text)
	if ok {
		w.b = append(append(append(w.b, formIdentifier), text[:3]...), id[:]...)
		w.last = cmp.Or(w.last, int64(id.Time()))
	}
	return ok
}

// identifierOf returns the ULID of a text such as trf_01kb….
func identifierOf(text string) (id ulid.ULID, ok bool) {
	if len(text) != identifierSize || text[3] != '_' || hasUpper(text[4:]) {
		return id, false
	}
	id, err := ulid.ParseStrict(text[4:])
	return id, err == nil
}

func hasUpper(text string) bool {
	for i := range len(text) {
		if isUpper(text[i]) {
			return true
		}
	}
	return false
}

func isUpper(letter byte) bool { return 'A' <= letter && letter <= 'Z' }

// hex appends a text such as 0x1f2e, which many hashes on a chain are, and reports whether the text is one.
func (w *writer) hex(text string) bool {
	digits, found := strings.CutPrefix(text, "0x")
	if !found || len(digits)%2 != 0 || hasUpper(digits) {
		return false
	}
	start := len(w.b)
	w.b = binary.AppendUvarint(append(w.b, formHex), uint64(len(digits)/2))
	var err error
	if w.b, err = hex.AppendDecode(w.b, []byte(digits)); err != nil {
		w.b = w.b[:start]
	}
	return err == nil
}

// digits appends a text that ends with digits, such as invoice-000042, and reports whether the text has enough of them.
func (w *writer) digits(text string) bool {
	start := len(text)
	for start > 0 && len(text)-start < mostDigits && '0' <= text[start-1] && text[start-1] <= '9' {
		start--
	}
	digits := text[start:]
	if len(digits) < fewestDigits {
		return false
	}
	number, _ := strconv.ParseUint(digits, 10, 64) // it fits
	w.b = append(w.b, formDigits)
	w.text(text[:start])
	w.b = binary.AppendUvarint(append(w.b, byte(len(digits))), number)
	return true
}

// text reads a string.
func (r *reader) text() string {
	if len(r.b) > 0 && r.b[0] <= formNumber3 {
		return r.entry()
	}
	if len(r.b) > 0 && r.b[0] == formOwn {
		r.take(1)
		return r.own
	}
	r.room = r.appendText(r.room[:0])
	return string(r.room)
}

// entry reads the number of a string in the dictionary, and returns the string.
func (r *reader) entry() string {
	n := int(r.byte())
	switch {
	case n == formNumber3:
		n = int(r.byte())<<8 | int(r.byte())
	case n >= formNumber2:
		n = formNumber2 + ((n-formNumber2)<<8 | int(r.byte()))
	}
	if n >= len(r.dictionary.strings) {
		r.failed = true
		return ""
	}
	return r.dictionary.strings[n]
}

// appendText reads a string and appends it to b.
func (r *reader) appendText(b []byte) []byte {
	if len(r.b) > 0 && r.b[0] <= formNumber3 {
		return append(b, r.entry()...)
	}
	switch form := r.byte(); form {
	case formOwn:
		return append(b, r.own...)
	case formTime:
		return r.time().AppendFormat(b, time.RFC3339Nano)
	case formJSON:
		start, size := len(b), int(r.uvarint())
		b = slices.Grow(b, size)
		for len(b)-start < size && !r.failed {
			b = r.appendText(b)
		}
		return b
	case formIdentifier:
		b = append(append(b, r.take(3)...), '_')
		var id ulid.ULID
		copy(id[:], r.take(uint64(len(id))))
		r.last = cmp.Or(r.last, int64(id.Time()))
		var digits [ulid.EncodedSize]byte
		_ = id.MarshalTextTo(digits[:]) // it has room
		b = append(b, bytes.ToLower(digits[:])...)
	case formHex:
		b = hex.AppendEncode(append(b, "0x"...), r.take(r.uvarint()))
	case formDigits:
		b = r.appendText(b)
		size := int(r.byte())
		var room [mostDigits]byte
		digits := strconv.AppendUint(room[:0], r.uvarint(), 10)
		for range size - len(digits) {
			b = append(b, '0')
		}
		b = append(b, digits...)
	case formLong:
		b = append(b, r.take(r.uvarint())...)
	default:
		b = append(b, r.take(uint64(form-formShort))...)
	}
	return b
}
