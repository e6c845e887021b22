package compact

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
)

// The first byte of a string tells its form. Below formNumber2 it is the number of a string in the dictionary.
const (
	formNumber2    = 0xa0 // up to formNumber3: a number of 13 bits, with the next byte
	formNumber3    = 0xc0 // a number of two bytes, which follow
	formOwn        = 0xc1 // the record's own identifier
	formIdentifier = 0xc2 // three letters, an underscore that is left out, and the 16 bytes of a ULID
	formHex        = 0xc3 // hexadecimal digits: the number of bytes, and these
	formHex0x      = 0xc4 // 0x and the same
	formTime       = 0xc5 // a time in UTC, as the field of a record has it
	formJSON       = 0xc6 // the length of the text, and its parts
	formLong       = 0xc7 // the length of the text, and the text
	formShort      = 0xc8 // from here on: the length is in the byte, and the text follows
)

const (
	// shortestEntry is the length from which a reference to the dictionary can be shorter than the text.
	shortestEntry = 2
	// shortestHex is the length from which digits are taken for hexadecimal ones: shorter ones are often something else.
	shortestHex = 16
	// identifierSize is the length of an identifier such as trf_01kb….
	identifierSize = 4 + ulid.EncodedSize
)

// text appends a string.
func (w *writer) text(text string) {
	if len(text) == 0 {
		w.b = append(w.b, formShort)
		return
	}
	if text == w.own {
		w.b = append(w.b, formOwn)
		return
	}
	if w.time3339(text) {
		return
	}
	if number, ok := w.dictionary.find(text, w.before); ok {
		w.number(number)
		return
	}
	if w.hex(text) {
		return
	}
	if strings.Contains(text[:len(text)-1], beginOfValue) {
		w.json(text)
		return
	}
	if len(text) >= shortestEntry {
		w.dictionary.learn(text)
	}
	if w.identifier(text) {
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
	w.before = n
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

// hex appends a text of hexadecimal digits, and reports whether the text is one.
func (w *writer) hex(text string) bool {
	form := byte(formHex)
	digits, found := strings.CutPrefix(text, "0x")
	if found {
		form = formHex0x
	}
	if len(digits) < shortestHex || len(digits)%2 != 0 {
		return false
	}
	start := len(w.b)
	w.b = binary.AppendUvarint(append(w.b, form), uint64(len(digits)/2))
	var err error
	if w.b, err = hex.AppendDecode(w.b, []byte(digits)); err != nil || strings.ContainsFunc(digits, isUpper) {
		w.b = w.b[:start]
		return false
	}
	return true
}

// identifier appends a text such as trf_01kb…, and reports whether the text is one.
func (w *writer) identifier(text string) bool {
	if len(text) != identifierSize || text[3] != '_' || strings.ContainsFunc(text[4:], isUpper) {
		return false
	}
	id, err := ulid.ParseStrict(text[4:])
	if err != nil {
		return false
	}
	w.b = append(append(append(w.b, formIdentifier), text[:3]...), id[:]...)
	return true
}

func isUpper(letter rune) bool { return 'A' <= letter && letter <= 'Z' }

func lower(letter byte) byte {
	if isUpper(rune(letter)) {
		return letter + 'a' - 'A'
	}
	return letter
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

// json appends a text in parts, which are strings themselves: in turn what is between the values of members that are
// strings, with the quotes of these, and such a value. Any text can be divided so.
func (w *writer) json(text string) {
	w.b = binary.AppendUvarint(append(w.b, formJSON), uint64(len(text)))
	for inValue := false; len(text) > 0; inValue = !inValue {
		if likely, number := w.dictionary.likely(w.before); strings.HasPrefix(text, likely) && ends(likely, text[len(likely):], inValue) {
			w.number(number)
			text = text[len(likely):]
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
	case formIdentifier:
		b = append(append(b, r.take(3)...), '_')
		var id ulid.ULID
		copy(id[:], r.take(uint64(len(id))))
		var digits [ulid.EncodedSize]byte
		_ = id.MarshalTextTo(digits[:]) // it has room
		for _, digit := range digits {
			b = append(b, lower(digit))
		}
		return b
	case formHex:
		return hex.AppendEncode(b, r.take(r.uvarint()))
	case formHex0x:
		return hex.AppendEncode(append(b, "0x"...), r.take(r.uvarint()))
	case formTime:
		return r.time().AppendFormat(b, time.RFC3339Nano)
	case formJSON:
		end := r.uvarint() + uint64(len(b))
		b = slices.Grow(b, int(end)-len(b))
		for uint64(len(b)) < end && !r.failed {
			b = r.appendText(b)
		}
		return b
	case formLong:
		return append(b, r.take(r.uvarint())...)
	default:
		return append(b, r.take(uint64(form-formShort))...)
	}
}
