package client

import (
	"context"
	"io"
	"net/http"
)

// A contextBody is the body of a response whose reads end when a context does.
type contextBody struct {
	io.Reader
	close func()
}

func (b contextBody) Close() error {
	b.close()
	return nil
}

// bodyWithin returns the body of a response in a form in which its reads end with a context. Net/http itself leaves out
// two cases: the body of a response with status 101 is the connection, and over HTTP/2 a read also writes, and a close
// too, which takes as long as the service does not read.
func bodyWithin(ctx context.Context, response *http.Response) io.ReadCloser {
	body := response.Body
	if response.ProtoMajor == 1 { // a close ends a read at once
		stop := context.AfterFunc(ctx, func() { _ = body.Close() })
		return contextBody{body, func() {
			stop()
			_ = body.Close()
		}}
	}
	const piece = 4 << 10 // holds most responses
	reader, writer := io.Pipe()
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, err := io.CopyBuffer(writer, body, make([]byte, piece))
		_ = writer.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() {
		_ = writer.CloseWithError(ctx.Err())
		_ = body.Close()
	})
	return contextBody{reader, cancel}
}
