package effect

import (
	"encoding"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/payments"
)

// Read reads a resource, or a page of resources, from a service's JSON document. Services differ from the published
// interface, so Read is lenient. It accepts a number in a string and a string for a number, one value for a list of
// one, and times in other forms. A member that cannot be read is left out, so the others are still shown. A type with a
// member Document keeps the document there, without secrets. The error means that the text is not JSON in UTF-8, or has
// a member twice.
func Read(document jsontext.Value, into any) error {
	var value jsontext.Value
	if err := json.Unmarshal(document, &value); err != nil {
		return err
	}
	readInto(document, reflect.ValueOf(into).Elem())
	return nil
}

// readInto reads a value as leniently as the type of place allows. If it cannot, it returns false and place is
// unchanged.
func readInto(value jsontext.Value, place reflect.Value) bool {
	switch at := place.Addr().Interface().(type) {
	case *jsontext.Value:
		*at = value
		return true
	case *time.Time:
		read, ok := readTime(value)
		*at = read
		return ok
	case encoding.TextUnmarshaler:
		text, ok := scalar(value)
		return ok && at.UnmarshalText([]byte(plainNumber(text))) == nil
	}
	if value.Kind() == 'n' {
		return false
	}
	switch place.Kind() {
	case reflect.Pointer:
		target := reflect.New(place.Type().Elem())
		if !readInto(value, target.Elem()) {
			return false
		}
		place.Set(target)
		return true
	case reflect.Struct:
		return readMembers(value, place)
	case reflect.Slice:
		return readList(value, place)
	case reflect.Map, reflect.Interface:
		return json.Unmarshal(value, place.Addr().Interface()) == nil
	}
	return readScalar(value, place)
}

// readScalar reads a text, a number or a truth value. Into a text it also reads any other JSON.
func readScalar(value jsontext.Value, place reflect.Value) bool {
	text, isScalar := scalar(value)
	switch place.Kind() {
	case reflect.String:
		if !isScalar {
			text = string(value)
		}
		place.SetString(text)
		return true
	case reflect.Bool:
		is, err := strconv.ParseBool(strings.ToLower(text))
		place.SetBool(is)
		return err == nil
	case reflect.Int, reflect.Int64:
		number, err := strconv.ParseInt(strings.TrimSuffix(plainNumber(text), ".0"), 10, 64)
		if err == nil {
			place.SetInt(number)
		}
		return err == nil
	}
	return false
}

// readMembers reads the members of an object.
func readMembers(value jsontext.Value, place reflect.Value) bool {
	if field, ok := place.Type().FieldByName("Document"); ok && field.Type == reflect.TypeFor[jsontext.Value]() {
		value = payments.WithoutSecrets(value) // by the contract's names
		place.FieldByIndex(field.Index).SetBytes(value)
	}
	members, err := Object(value)
	if err != nil {
		return false
	}
	for i := range place.NumField() {
		field := place.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if field.Anonymous && name == "" {
			readInto(value, place.Field(i))
			continue
		}
		if member, isThere := members[name]; isThere {
			readInto(member, place.Field(i))
		}
	}
	return true
}

// readList reads an array. Elements that cannot be read are left out. A single value is a list of one.
func readList(value jsontext.Value, place reflect.Value) bool {
	elements := []jsontext.Value{value}
	if value.Kind() == '[' {
		elements = nil
		if json.Unmarshal(value, &elements) != nil {
			return false
		}
	}
	list := reflect.MakeSlice(place.Type(), 0, len(elements))
	for _, element := range elements {
		read := reflect.New(place.Type().Elem()).Elem()
		if readElement(element, read) {
			list = reflect.Append(list, read)
		}
	}
	place.Set(list)
	return true
}

// readElement reads an element of a list. A text instead of an object is its first member: a reason may be only a code.
func readElement(value jsontext.Value, place reflect.Value) bool {
	if place.Kind() == reflect.Struct && value.Kind() == '"' && place.NumField() > 0 &&
		place.Field(0).Kind() == reflect.String {
		return readInto(value, place.Field(0))
	}
	return readInto(value, place)
}

// plainNumber writes a number without an exponent. Any other text stays.
func plainNumber(text string) string {
	text = strings.TrimSpace(text)
	n, ok := numberOf(text)
	if !ok || !strings.ContainsAny(text, "eE") {
		return text
	}
	return n.String()
}

// timeLayouts are the forms of time that services send besides RFC 3339. A time without an offset is in UTC.
var timeLayouts = []string{
	"2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 Z07:00",
	"2006-01-02 15:04:05Z0700", "2006-01-02 15:04:05 Z0700", "2006-01-02 15:04:05", "2006-01-02T15:04Z07:00",
	time.DateOnly,
	time.RFC1123, time.RFC1123Z,
}

// readTime reads a time in RFC 3339, in one of the other forms, or as a number of seconds or milliseconds since 1970.
func readTime(value jsontext.Value) (time.Time, bool) {
	text, ok := scalar(value)
	if !ok {
		return time.Time{}, false
	}
	text = strings.TrimSpace(text)
	if at, ok := payments.ParseTime(text); ok {
		return at, true
	}
	for _, layout := range timeLayouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), true
		}
	}
	const longest, inMilliseconds = 20, 1e11
	number, ok := new(big.Float).SetString(text)
	if !ok || len(text) > longest {
		return time.Time{}, false
	}
	seconds, _ := number.Float64()
	if seconds > inMilliseconds {
		seconds /= 1000
	}
	if seconds <= 0 || seconds > inMilliseconds {
		return time.Time{}, false
	}
	return time.UnixMicro(int64(seconds * 1e6)).UTC(), true
}
