package server

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// decode reads the JSON body as a T. Everything that offends is reported at once: what the schema says, and what more
// is known of the fields that can be read.
func decode[T any](c *call, more func(T) payments.FieldErrors) (value T, err error) {
	body, err := c.readJSON()
	if err != nil {
		return value, err
	}
	return decodeBody(c, body, more)
}

// decodeKeyed is decode for an operation that takes an idempotency key.
func decodeKeyed[T any](c *call, more func(T) payments.FieldErrors) (value T, key payments.Idempotency, err error) {
	body, err := c.readJSON()
	if err != nil {
		return value, key, err
	}
	if value, err = decodeBody(c, body, more); err != nil {
		return value, key, err
	}
	key, err = c.idempotency(body)
	return value, key, err
}

func decodeBody[T any](c *call, body []byte, more func(T) payments.FieldErrors) (T, error) {
	var value T
	report, err := contract.Validate(c.op.Body, body)
	if err != nil {
		return value, payments.Refuse(payments.KindMalformed, "The body is not well-formed JSON: %v.", err)
	}
	fields := c.offending(report)
	// That no name is there twice and all is UTF-8 has just been seen.
	if len(fields) == 0 {
		if err := json.Unmarshal(body, &value, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
			return value, payments.Refuse(payments.KindMalformed, "The body has a value that cannot be read.")
		}
		return value, nil
	}
	if more != nil && json.Unmarshal(body, &value, jsontext.AllowDuplicateNames(true), lenient()) == nil {
		tell(fields, more(value))
	}
	return value, payments.Invalid(fields)
}

// readJSON reads the body of an operation that takes JSON.
func (c *call) readJSON() ([]byte, error) {
	body, err := c.readBody()
	if err != nil {
		return nil, err
	}
	if len(body) == 0 && c.r.Header.Get("Content-Type") == "" {
		return body, nil
	}
	return body, c.checkMedia()
}

// readUnused reads the body of an operation that takes none. Under strict validation nothing may be in it, as the contract knows
// no member of it.
func (c *call) readUnused() ([]byte, error) {
	body, err := c.readBody()
	if err != nil || len(body) == 0 || !c.server.Strict {
		return body, err
	}
	var members map[string]jsontext.Value
	if json.Unmarshal(body, &members) != nil {
		return nil, payments.Refuse(payments.KindMalformed, "The operation takes no body.")
	}
	names := slices.Sorted(maps.Keys(members))
	if len(names) == 0 {
		return body, nil
	}
	return nil, payments.Invalid(c.offending(contract.Report{Unknown: names[:min(len(names), contract.MaxReported)]}))
}

// received is a body, or why it cannot be read.
type received struct {
	body []byte
	err  error
}

func (c *call) readBody() ([]byte, error) {
	if c.ahead != nil {
		return c.ahead.body, c.ahead.err
	}
	if coding := strings.Join(c.r.Header.Values("Content-Encoding"), ", "); coding != "" && !strings.EqualFold(coding, "identity") {
		c.w.Header().Set("Accept-Encoding", "identity") // RFC 9110 section 12.5.3
		return nil, payments.Refuse(payments.KindUnsupportedMediaType, "The content encoding %q is not supported.", coding)
	}
	most := c.maxBody()
	if c.r.ContentLength != 0 && c.r.Header.Get("Expect") != "" { // the client has not sent it yet (RFC 9110 section 10.1.1)
		if c.r.ContentLength > most {
			return nil, tooLarge(c.w, most)
		}
		if err := c.checkMedia(); err != nil {
			return nil, err
		}
	}
	if most > c.server.Bounds.BodyBytes {
		select {
		case c.server.large <- struct{}{}:
			defer func() { <-c.server.large }()
		case <-c.r.Context().Done():
			return nil, c.r.Context().Err()
		}
	}
	body, err := c.readAll(most)
	if err == nil {
		return body, nil
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, tooLarge(c.w, most)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.w.Header().Set("Connection", "close") // RFC 9110 section 15.5.9
		return nil, payments.Refuse(payments.KindRequestTimeout, "The body did not arrive in time.")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, payments.Refuse(payments.KindMalformed, "The body ends before its Content-Length.")
	}
	if own := connOf(c.r); own != nil {
		own.unread = true // where the body would end is not known
	}
	return nil, payments.Refuse(payments.KindMalformed, "The body cannot be read.")
}

// readAll reads the body into as much room as it says that it needs, where it says so and that is little.
func (c *call) readAll(most int64) ([]byte, error) {
	if length := c.r.ContentLength; length >= 0 && length <= min(most, firstRoom) {
		body := make([]byte, length)
		_, err := io.ReadFull(c.r.Body, body)
		return body, err
	}
	var buffer bytes.Buffer
	_, err := buffer.ReadFrom(http.MaxBytesReader(c.w, c.r.Body, most)) // it grows as the body comes
	return buffer.Bytes(), err
}

// tooLarge refuses a body. What is left of it is not read, so the connection ends.
func tooLarge(w http.ResponseWriter, most int64) error {
	w.Header().Set("Connection", "close")
	return payments.Refuse(payments.KindContentTooLarge, "The body is larger than %d bytes.", most)
}

func mediaType(r *http.Request) string {
	text := strings.Join(r.Header.Values("Content-Type"), ", ")
	if text == mediaJSON {
		return text
	}
	media, _, err := mime.ParseMediaType(text)
	if err != nil {
		return ""
	}
	return media
}

// The media types of bodies.
var (
	takesJSON       = []string{mediaJSON}
	takesJSONOrForm = []string{mediaJSON, mediaForm}
)

// checkMedia refuses a body of a media type that the operation does not take, and says which it takes (RFC 9110 section 12.5.1,
// RFC 5789 section 2.2).
func (c *call) checkMedia() error {
	takes := takesJSON
	switch {
	case c.op.Body == nil:
		return nil
	case c.op == &contract.CreateAccessToken:
		takes = takesJSONOrForm
	}
	was := mediaType(c.r)
	if slices.Contains(takes, was) {
		return nil
	}
	supported := strings.Join(takes, ", ")
	c.w.Header().Set("Accept", supported)
	if c.r.Method == http.MethodPatch {
		c.w.Header().Set("Accept-Patch", supported)
	}
	if was == "" {
		was = "none that can be read"
	}
	return payments.Refuse(payments.KindUnsupportedMediaType, "The body's media type is %s; the operation takes %s.", was, supported)
}

// idempotency reads the request's idempotency key and takes the fingerprint of what it is for. What the request asks of
// the resource's state comes with it.
func (c *call) idempotency(body []byte) (payments.Idempotency, error) {
	values := c.r.Header.Values("Idempotency-Key")
	precondition := c.precondition()
	if len(values) == 0 || c.server.IgnoreIdempotencyKeys {
		return payments.Idempotency{Precondition: precondition}, nil
	}
	key, ok := idempotencyKey(values)
	if !ok {
		return payments.Idempotency{}, payments.Refuse(payments.KindMalformed,
			"The Idempotency-Key header must hold one key of 1 to %d printable ASCII characters, bare or as a quoted string.", maxKeyLength)
	}
	return payments.Idempotency{Key: key, Fingerprint: payments.FingerprintOf(c.r.Method, c.r.URL.Path, body), Precondition: precondition}, nil
}

// idempotencyKey reads the key, which may be a quoted string (RFC 8941 section 3.3.3) or bare.
func idempotencyKey(values []string) (key string, ok bool) {
	if len(values) != 1 {
		return "", false
	}
	key = values[0]
	if len(key) > 0 && key[0] == '"' {
		var unquoted []byte
		if len(key) < 2 || key[len(key)-1] != '"' {
			return "", false
		}
		inner := key[1 : len(key)-1]
		for i := 0; i < len(inner); i++ {
			if inner[i] == '"' {
				return "", false
			}
			if inner[i] == '\\' {
				i++
				if i == len(inner) || inner[i] != '"' && inner[i] != '\\' {
					return "", false
				}
			}
			unquoted = append(unquoted, inner[i])
		}
		key = string(unquoted)
	}
	if key == "" || len(key) > maxKeyLength {
		return "", false
	}
	for _, c := range []byte(key) {
		if c < ' ' || c > '~' {
			return "", false
		}
	}
	return key, true
}

func parseQuery(raw string) (url.Values, error) {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return nil, payments.Refuse(payments.KindMalformed, "The query cannot be read: %v.", err)
	}
	return query, nil
}
