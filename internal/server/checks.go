package server

import (
	"context"
	"encoding"
	"errors"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// Checks find what is wrong with the fields of a request beyond what its schema says of them. The operations refuse the same.
// These are asked where the schema refuses a request before them, so that its client is told everything at once. A field that
// cannot be read is empty.
type Checks interface {
	CheckNewSavedContact(context.Context, payments.NewSavedContact) payments.FieldErrors
	CheckNewAutoTransfer(payments.NewAutoTransfer) payments.FieldErrors
	CheckKYCSubmission(ctx context.Context, accountID string, submission payments.KYCSubmission) payments.FieldErrors
	CheckSandboxClockSettings(payments.SandboxClockSettings) payments.FieldErrors
	CheckSandboxSnapshot(payments.SandboxSnapshot) payments.FieldErrors
}

// tell adds more fields to those that offend. A field is not told twice, and of an object that is none no member is.
func tell(fields, more payments.FieldErrors) {
	for _, field := range more.Names() {
		object := contract.WholeBody
		if dot := strings.LastIndexByte(field, '.'); dot >= 0 {
			object = field[:dot]
		}
		if len(fields) < contract.MaxReported && fields[field] == nil && fields[object] == nil {
			fields[field] = more[field]
		}
	}
}

// lenient has the decoder leave out each value that its type cannot take, and read all others.
func lenient() json.Options {
	return json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, into any) error {
		if hasParts(d.PeekKind(), into) {
			return errors.ErrUnsupported // each part has its turn
		}
		value, err := d.ReadValue()
		if err == nil {
			_ = json.Unmarshal(value, into) // the schema has told what is wrong with it
		}
		return err
	}))
}

// hasParts says whether a value that begins so is read part by part.
func hasParts(kind jsontext.Kind, into any) bool {
	if _, text := into.(encoding.TextUnmarshaler); text {
		return false
	}
	of := reflect.TypeOf(into).Elem().Kind()
	switch kind {
	case '{':
		return of == reflect.Struct || of == reflect.Map || of == reflect.Pointer
	case '[':
		return of == reflect.Slice || of == reflect.Pointer
	}
	return false
}
