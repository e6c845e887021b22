package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonIndent is one level of indentation.
const jsonIndent = "  "

// compactJSON is the JSON form of a value, on one line, harmless on a terminal. HTML characters stay as
// they are; numbers keep the digits that the value's own encoding gives them.
func compactJSON(value any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, fmt.Errorf("cannot write this value as JSON: %w", err)
	}
	return HarmlessJSON(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// indentedJSON is compactJSON over several lines, those after the first beginning with prefix.
func indentedJSON(value any, prefix string) ([]byte, error) {
	compact, err := compactJSON(value)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, compact, prefix, jsonIndent); err != nil {
		return nil, fmt.Errorf("cannot write this value as JSON: %w", err)
	}
	return b.Bytes(), nil
}

// HarmlessJSON makes an encoded JSON document harmless on a terminal: it writes what Sanitize would not let pass, and
// the invisible parts of emoji, as \uXXXX (RFC 8259 section 7). Outside strings JSON is plain ASCII, so every such
// character is in a string and the value stays the same. Invalid UTF-8, which only a raw message can have, becomes
// U+FFFD as every decoder reads it.
func HarmlessJSON(doc []byte) []byte {
	return escapeHidden(doc, func(r rune) string {
		if hi, lo := utf16.EncodeRune(r); r > 0xFFFF {
			return fmt.Sprintf(`\u%04x\u%04x`, hi, lo)
		}
		return fmt.Sprintf(`\u%04x`, r)
	})
}

// escapeHidden replaces every hidden character from DEL upwards, and invalid UTF-8, in an encoded
// document. Line breaks and other C0 characters are the encoding's own.
func escapeHidden(doc []byte, escape func(rune) string) []byte {
	var out []byte
	done := 0
	for i := 0; i < len(doc); {
		if doc[i] < 0x7F {
			i++
			continue
		}
		r, size := utf8.DecodeRune(doc[i:])
		if invalid := r == utf8.RuneError && size == 1; invalid || hidden(r) {
			out = append(append(out, doc[done:i]...), escape(r)...)
			done = i + size
		}
		i += size
	}
	if done == 0 {
		return doc
	}
	return append(out, doc[done:]...)
}

// A Received value is the document in which a service sent it, which a program is shown as it is: with members that
// payctl does not know, and without those that are absent.
type Received interface{ Received() jsontext.Value }

// received returns what a program is shown of a value.
func received(value any) any {
	if r, ok := value.(Received); ok && r.Received() != nil {
		return json.RawMessage(r.Received())
	}
	return value
}

// elements returns the elements of a list, or one value that is none.
func elements(value any) ([]any, error) {
	doc, err := compactJSON(value)
	if err != nil || !bytes.HasPrefix(doc, []byte("[")) {
		return []any{value}, err
	}
	var parts []json.RawMessage
	err = json.Unmarshal(doc, &parts)
	list := make([]any, len(parts))
	for i, part := range parts {
		list[i] = part
	}
	return list, err
}
