package client

import (
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// The name localhost may resolve to another machine. Then nothing is sent, and no proxy is used.
func TestLocalhostThatLeadsElsewhere(t *testing.T) {
	t.Parallel()
	c, w := connect(t, "http://localhost:80")
	require.Nil(t, c.transport.Proxy)
	elsewhere := *c.base
	elsewhere.Host = "192.0.2.1:80" // as if a name server said so
	c.base = &elsewhere
	for name, call := range map[string]func(context.Context, *Client) error{
		"read": readCall, "write": keyedCall, "token": tokenCall,
	} {
		err := call(t.Context(), c)
		require.Equal(t, payments.ProblemInsecure, kindOf(t, err), "%s: %v", name, err)
		require.Contains(t, err.Error(), "192.0.2.1")
	}
	require.Empty(t, w.Slept(), "it is not tried again")

	wished, _ := connect(t, "http://localhost:80", func(config *Config) { config.AllowInsecureHTTP = true })
	require.NotNil(t, wished.transport.Proxy)
}

// A rawService answers with any bytes, and counts those that it could write.
type rawService struct {
	URL     string
	count   atomic.Int64 // requests
	written atomic.Int64 // bytes
}

// raw starts a service that answers the first request of each connection with a function.
func raw(t *testing.T, answer func(c net.Conn, head string)) *rawService {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &rawService{URL: "http://" + listener.Addr().String()}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				buffer := make([]byte, 4096)
				n, err := c.Read(buffer)
				if err != nil {
					return
				}
				s.count.Add(1)
				answer(counted{c, s}, string(buffer[:n]))
				if tcp, ok := c.(*net.TCPConn); ok {
					_ = tcp.CloseWrite()
				}
				_, _ = io.Copy(io.Discard, c)
			}()
		}
	}()
	return s
}

type counted struct {
	net.Conn
	service *rawService
}

func (c counted) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.service.written.Add(int64(n))
	return n, err
}

// endless repeats a text until the reader closes the connection.
func endless(w io.Writer, text string) {
	piece := []byte(strings.Repeat(text, 1+(32<<10)/len(text)))
	for {
		if _, err := w.Write(piece); err != nil {
			return
		}
	}
}

// Whatever a service sends without end, a read fails in time and reads no more than its limit. The outcome of a write
// is unknown.
func TestEndlessAnswers(t *testing.T) {
	t.Parallel()
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	const sockets = 16 << 20 // more than the buffers between client and service hold
	then := func(begin, ever string) func(net.Conn, string) {
		return func(c net.Conn, _ string) {
			_, _ = io.WriteString(c, begin)
			endless(c, ever)
		}
	}
	const chunked = head + "Transfer-Encoding: chunked\r\n\r\n"
	for name, answer := range map[string]func(net.Conn, string){
		"a header field of 10 MB": func(c net.Conn, _ string) {
			_, _ = io.WriteString(c, head+"X-Big: "+strings.Repeat("a", 10<<20)+"\r\nContent-Length: 2\r\n\r\n{}")
		},
		"a header field without end":        then(head+"X-Big: ", "a"),
		"header fields without end":         then(head, "X-A: b\r\n"),
		"a status line without end":         then("HTTP/1.1 200 ", "a"),
		"informational answers without end": then("", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"),
		"100 Continue without end":          then("", "HTTP/1.1 100 Continue\r\n\r\n"),
		"a body without end":                then(head+"\r\n", " "),
		"a chunked body without end":        then(chunked, "400\r\n"+strings.Repeat(" ", 1024)+"\r\n"),
		"chunk extensions without end":      then(chunked, "1;"+strings.Repeat("x", 4000)+"\r\n \r\n"),
		"trailers without end":              then(head+"Trailer: X-A\r\n"+chunked[len(head):]+"2\r\n{}\r\n0\r\n", "X-A: b\r\n"),
		"a body of 1 TB":                    then(head+"Content-Length: 1099511627776\r\n\r\n", " "),
		"a bomb of gzip": func(c net.Conn, _ string) {
			_, _ = io.WriteString(c, head+"Content-Encoding: gzip\r\n\r\n")
			z, _ := gzip.NewWriterLevel(c, gzip.BestCompression)
			endless(z, strings.Repeat(" ", 1<<20))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := raw(t, answer)
			c, _ := connect(t, s.URL, func(config *Config) { config.Retries = 0 })
			require.Equal(t, payments.ProblemUnusable, kindOf(t, readCall(t.Context(), c)))
			require.Equal(t, payments.ProblemOutcomeUnknown, kindOf(t, keyedCall(t.Context(), c)))
			require.Less(t, s.written.Load(), int64(2*(maxBodyBytes+sockets)))
		})
	}
}

// A call to a slow service ends after its timeout, wherever the answer stops.
func TestSlowAnswers(t *testing.T) {
	t.Parallel()
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	for name, begin := range map[string]string{
		"nothing":            "",
		"half a status line": "HTTP/1.1 2",
		"half a header":      head + "X-A: ",
		"informational":      "HTTP/1.1 103 Early Hints\r\n\r\n",
		"half a body":        head + "Content-Length: 10\r\n\r\n{",
		"half a chunk":       head + "Transfer-Encoding: chunked\r\n\r\n9\r\n{",
		"no trailer":         head + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n",
		"half of gzip":       head + "Content-Encoding: gzip\r\n\r\n\x1f\x8b",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := raw(t, func(c net.Conn, _ string) {
				_, _ = io.WriteString(c, begin)
				_, _ = io.Copy(io.Discard, c) // until the client hangs up
			})
			c, _ := connect(t, s.URL, func(config *Config) {
				config.Retries, config.Timeout, config.Now, config.Sleep = 0, 400*time.Millisecond, nil, nil
			})
			read, token := readCall(t.Context(), c), tokenCall(t.Context(), c)
			require.ErrorIs(t, read, context.DeadlineExceeded)
			require.Equal(t, payments.ProblemTimeout, kindOf(t, read))
			require.Equal(t, payments.ProblemTimeout, kindOf(t, token))
			require.Equal(t, payments.ProblemOutcomeUnknown, kindOf(t, keyedCall(t.Context(), c)))
			require.Equal(t, payments.ProblemOutcomeUnknown, kindOf(t, deleteCall(t.Context(), c)))
		})
	}
}

// A status below 200 is not an answer. After a 101, net/http hands over the connection, and no context ends its reads.
func TestStatusesThatAnswerNothing(t *testing.T) {
	t.Parallel()
	for name, head := range map[string]string{
		"another protocol":           "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
		"another protocol with JSON": "HTTP/1.1 101 OK\r\nContent-Type: application/json\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n" + transferBody,
		"no other protocol":          "HTTP/1.1 101 Switching Protocols\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n",
		"below 100":                  "HTTP/1.1 099 OK\r\nContent-Type: application/json\r\n\r\n" + transferBody,
	} {
		for class, call := range map[string]func(context.Context, *Client) error{
			"read": readCall, "token": tokenCall, "write": keyedCall, "delete": deleteCall,
			"stream": func(ctx context.Context, c *Client) error {
				return c.StreamEvents(ctx, payments.EventFilter{}, func(payments.EventMessage) error { return nil })
			},
			"probe": func(ctx context.Context, c *Client) error {
				_, err := c.Probe(ctx)
				return err
			},
		} {
			t.Run(name+" "+class, func(t *testing.T) {
				t.Parallel()
				hungUp := make(chan struct{})
				s := raw(t, func(c net.Conn, _ string) {
					_, _ = io.WriteString(c, head)
					_, _ = io.Copy(io.Discard, c)
					close(hungUp)
				})
				c, w := connect(t, s.URL)
				err := call(t.Context(), c)
				want := payments.ProblemUnusable
				if class == "write" || class == "delete" {
					want = payments.ProblemOutcomeUnknown
				}
				require.Equal(t, want, kindOf(t, err), "%v", err)
				require.Contains(t, err.Error(), "answers no request")
				require.Empty(t, w.Slept(), "it is not tried again")
				<-hungUp
			})
		}
	}
}

// The client returns no cookies, and answers no challenge except Bearer.
func TestNoCookiesAndNoOtherAuthentication(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		w.Header().Set("Set-Cookie", "session=1")
		w.Header().Set("Alt-Svc", `h2="evil.test:443"`)
		w.Header().Set("Refresh", "0;url=http://evil.test")
		w.Header().Add("WWW-Authenticate", `Basic realm="x"`)
		w.Header().Add("WWW-Authenticate", `Negotiate`)
		replyProblem(w, 401, payments.ProblemUnauthenticated)
	})
	c, _ := connect(t, s.URL)
	for range 2 {
		require.Error(t, readCall(t.Context(), c))
	}
	for i := range s.count() {
		require.Empty(t, s.request(i).Header["Cookie"])
		require.Equal(t, []string{"Bearer " + testToken}, s.request(i).Header["Authorization"])
	}
}
