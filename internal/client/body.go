package client

import (
	"context"
	"io"
	"net/http"
)

// A contextBody is the body of a response whose reads end when a context does. The bodies of net/http do not always end:
// that of a response with status 101 is the connection, and over HTTP/2 a read also writes, which takes as long as the
// service does not read.
type contextBody struct {
	io.Reader
	cancel context.CancelFunc
}

func (b contextBody) Close() error {
	b.cancel()
	return nil
}

// bodyWithin returns a body whose reads end with a context, and which does not wait for the service when it is closed.
func bodyWithin(ctx context.Context, body io.ReadCloser) io.ReadCloser {
	if body == http.NoBody {
		return body
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
