package server

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// firstBuffer is the largest Content-Length for which a buffer is allocated before anything of the body has come.
const firstBuffer = 64 << 10

// readJSON reads the body of an operation that takes JSON.
func (x *exchange) readJSON() ([]byte, error) {
	body, err := x.readBody()
	if err == nil && (len(body) > 0 || x.r.Header.Get("Content-Type") != "") {
		err = x.checkMedia()
	}
	return body, err
}

// readBody reads the body. Reading it again is possible only if x.body holds it.
func (x *exchange) readBody() ([]byte, error) {
	if x.body != nil {
		return x.body, nil
	}
	coding := strings.Join(x.r.Header.Values("Content-Encoding"), ", ")
	if coding != "" && !strings.EqualFold(coding, "identity") {
		x.w.Header().Set("Accept-Encoding", "identity") // RFC 9110 section 12.5.3
		return nil, payments.NewProblem(payments.KindUnsupportedMediaType,
			"The content encoding %q is not supported.", coding)
	}
	most := x.maxBody()
	if x.r.ContentLength > most { // however slowly it comes
		return nil, x.bodyTooLarge()
	}
	if x.r.ContentLength != 0 && x.r.Header.Get("Expect") != "" { // it has not been sent yet (RFC 9110 section 10.1.1)
		if err := x.checkMedia(); err != nil {
			return nil, err
		}
	}
	body, err := x.readAll(most)
	if err == nil {
		return body, nil
	}
	if refused, ok := errors.AsType[*payments.ProblemError](err); ok {
		x.closeConnection() // rather than read the rest of the body
		return nil, refused
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, x.bodyTooLarge()
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		x.w.Header().Set("Connection", "close") // RFC 9110 section 15.5.9
		return nil, payments.NewProblem(payments.KindRequestTimeout, "The body did not arrive in time.")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, malformed("The body ends before its Content-Length.")
	}
	x.closeConnection() // it is not known where the body would end
	return nil, malformed("The body cannot be read.")
}

// readAll reads the body into a buffer of its Content-Length, if that is known and small.
func (x *exchange) readAll(most int64) ([]byte, error) {
	if length := x.r.ContentLength; length >= 0 && length <= min(most, firstBuffer) {
		if err := x.hold(length); err != nil {
			return nil, err
		}
		body := make([]byte, length)
		_, err := io.ReadFull(x.r.Body, body)
		return body, err
	}
	var buffer bytes.Buffer // grows as the body comes
	_, err := buffer.ReadFrom(heldReader{x, http.MaxBytesReader(x.response.ResponseWriter, x.r.Body, most)})
	return buffer.Bytes(), err
}

// keepBody reads the body in advance, of an operation that will wait before it uses it. The copy is as large as the
// body; the buffer of the reading may be twice as large.
func (x *exchange) keepBody() error {
	body, err := x.readBody()
	x.body = append(make([]byte, 0, len(body)), body...)
	return err
}

// discardBody reads the body of a read, where it means nothing (RFC 9110 section 9.3.1): net/http does not notice that
// a client goes away before it has read the whole request.
func (x *exchange) discardBody() error {
	if x.op.Method != http.MethodGet || x.r.ContentLength == 0 {
		return nil
	}
	_, err := x.readBody()
	return err
}

// maxBody is the most bytes of the body that are read.
func (x *exchange) maxBody() int64 {
	if x.op == &contract.RestoreSandboxSnapshot {
		return x.server.config.Bounds.SnapshotBytes
	}
	return x.server.config.Bounds.BodyBytes
}

// bodyTooLarge refuses the body. Its rest is not read, so the connection has to end.
func (x *exchange) bodyTooLarge() error {
	x.closeConnection()
	return payments.NewProblem(payments.KindContentTooLarge, "The body is larger than %d bytes.", x.maxBody())
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

// checkMedia refuses a body whose media type the operation does not take, and names those that it takes (RFC 9110
// section 12.5.1, RFC 5789 section 2.2).
func (x *exchange) checkMedia() error {
	media := mediaType(x.r)
	if x.op.Body == nil || media == x.op.BodyMedia || media == mediaForm && x.op.Form {
		return nil
	}
	supported := x.op.BodyMedia
	if x.op.Form {
		supported += ", " + mediaForm
	}
	x.w.Header().Set("Accept", supported)
	if x.r.Method == http.MethodPatch {
		x.w.Header().Set("Accept-Patch", supported)
	}
	if media == "" {
		media = "none that can be read"
	}
	return payments.NewProblem(payments.KindUnsupportedMediaType,
		"The body's media type is %s; the operation takes %s.", media, supported)
}
