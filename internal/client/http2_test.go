package client

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/payctl/payctl/internal/payments"
)

// A frameService speaks HTTP/2 frame by frame, so that it can break the rules.
type frameService struct {
	URL   string
	roots func(*Config)
	count atomic.Int64 // requests
}

// An exchange is one request to a frameService, after its frames have been read.
type exchange struct {
	*http2.Framer
	conn   net.Conn
	stream uint32
	n      int64 // the number of the request at this service, from 1
	path   string
}

// frames starts a service that answers each request by a function. The function runs while no frames are read.
func frames(t *testing.T, answer func(e *exchange)) *frameService {
	t.Helper()
	keys := httptest.NewUnstartedServer(http.NotFoundHandler())
	keys.EnableHTTP2 = true
	keys.StartTLS()
	roots := keys.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	config := keys.TLS.Clone()
	keys.Close()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", config)
	require.NoError(t, err)
	s := &frameService{
		URL:   "https://" + listener.Addr().String(),
		roots: func(config *Config) { config.RootCAs, config.Retries = roots, 0 },
	}
	var connections sync.WaitGroup
	t.Cleanup(connections.Wait)
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() {
		cancel()
		_ = listener.Close()
	})
	connections.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			connections.Go(func() {
				defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
				defer conn.Close()
				s.serve(conn, answer)
			})
		}
	})
	return s
}

func (s *frameService) serve(conn net.Conn, answer func(*exchange)) {
	if _, err := io.ReadFull(conn, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	framer := http2.NewFramer(conn, conn)
	framer.AllowIllegalWrites = true
	framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	if framer.WriteSettings() != nil {
		return
	}
	path := ""
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return
		}
		ended := false
		switch frame := frame.(type) {
		case *http2.MetaHeadersFrame:
			path, ended = frame.PseudoValue("path"), frame.StreamEnded()
		case *http2.DataFrame:
			ended = frame.StreamEnded()
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				_ = framer.WriteSettingsAck()
			}
		}
		if ended {
			answer(&exchange{framer, conn, frame.Header().StreamID, s.count.Add(1), path})
		}
	}
}

// head writes a HEADERS frame of fields as pairs of name and value.
func (e *exchange) head(ends bool, fields ...string) {
	_ = e.WriteHeaders(http2.HeadersFrameParam{
		StreamID: e.stream, BlockFragment: block(fields...), EndHeaders: true, EndStream: ends,
	})
}

func block(fields ...string) []byte {
	var text strings.Builder
	encoder := hpack.NewEncoder(&text)
	for i := 0; i < len(fields); i += 2 {
		_ = encoder.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	return []byte(text.String())
}

func (e *exchange) body(ends bool, text string) { _ = e.WriteData(e.stream, ends, []byte(text)) }

// succeed answers as a service should.
func (e *exchange) succeed() {
	e.head(false, ":status", "200", "content-type", "application/json")
	e.body(true, transferBody)
}

// writesOfAllForms are writes with a body and without.
var writesOfAllForms = map[string]func(context.Context, *Client) error{
	"with a body": keyedCall, "without a body": cancelCall, "delete": deleteCall,
}

// A write that the service resets is not sent again by net/http, whatever reason the service gives: it may have taken
// effect.
func TestAResetWriteIsNotSentAgain(t *testing.T) {
	t.Parallel()
	for _, code := range []http2.ErrCode{
		http2.ErrCodeRefusedStream, http2.ErrCodeProtocol, http2.ErrCodeCancel, http2.ErrCodeInternal, http2.ErrCodeNo,
		http2.ErrCodeEnhanceYourCalm, http2.ErrCodeHTTP11Required,
	} {
		for name, call := range writesOfAllForms {
			t.Run(code.String()+" "+name, func(t *testing.T) {
				t.Parallel()
				s := frames(t, func(e *exchange) {
					if e.n > 1 {
						e.succeed()
						return
					}
					_ = e.WriteRSTStream(e.stream, code)
				})
				c, w := connect(t, s.URL, s.roots)
				err := call(t.Context(), c)
				require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err), "%v", err)
				require.EqualValues(t, 1, s.count.Load())
				require.Empty(t, w.delays)
				require.NoError(t, readCall(t.Context(), c), "the connection can still be used")
			})
		}
	}
}

// A repetition that MaySend allows is sent, and MaySend knows about the attempt before it.
func TestAResetWriteIsSentAgainByDecision(t *testing.T) {
	t.Parallel()
	s := frames(t, func(e *exchange) {
		if e.n == 1 {
			_ = e.WriteRSTStream(e.stream, http2.ErrCodeProtocol)
			return
		}
		e.succeed()
	})
	c, w := connect(t, s.URL, s.roots, func(config *Config) { config.Retries = 1 })
	var p permission
	_, err := c.CancelTransfer(t.Context(), "trf_1", p.key())
	require.NoError(t, err)
	require.EqualValues(t, 2, s.count.Load())
	require.Len(t, w.delays, 1)
	require.NoError(t, p.lost[0])
	require.Error(t, p.lost[len(p.lost)-1])
}

// A service that goes away in the middle of a write leaves its outcome unknown.
func TestGoAwayInTheMiddleOfAWrite(t *testing.T) {
	t.Parallel()
	for name, goAway := range map[string]func(e *exchange){
		"the write is not processed": func(e *exchange) { _ = e.WriteGoAway(0, http2.ErrCodeNo, nil) },
		"the write may be processed": func(e *exchange) { _ = e.WriteGoAway(e.stream, http2.ErrCodeNo, nil) },
		"an error":                   func(e *exchange) { _ = e.WriteGoAway(0, http2.ErrCodeEnhanceYourCalm, []byte(testToken)) },
		"twice": func(e *exchange) {
			_ = e.WriteGoAway(1<<31-1, http2.ErrCodeNo, nil)
			_ = e.WriteGoAway(0, http2.ErrCodeNo, nil)
		},
		"without a word": func(*exchange) {},
	} {
		for form, call := range writesOfAllForms {
			t.Run(name+" "+form, func(t *testing.T) {
				t.Parallel()
				s := frames(t, func(e *exchange) {
					goAway(e)
					_ = e.conn.Close()
				})
				c, w := connect(t, s.URL, s.roots)
				err := call(t.Context(), c)
				require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err), "%v", err)
				require.NotContains(t, err.Error(), testToken)
				require.EqualValues(t, 1, s.count.Load())
				require.Empty(t, w.delays)
			})
		}
	}
	t.Run("after an answer", func(t *testing.T) {
		t.Parallel()
		s := frames(t, func(e *exchange) {
			_ = e.WriteGoAway(e.stream, http2.ErrCodeNo, nil)
			e.succeed()
		})
		c, _ := connect(t, s.URL, s.roots)
		require.NoError(t, keyedCall(t.Context(), c), "a service that goes away in order completes its answers")
		require.NoError(t, keyedCall(t.Context(), c), "over another connection")
	})
}

// Whatever frames a service sends, a call ends by itself or with its context, and the outcome of a write is unknown.
func TestHostileFrames(t *testing.T) {
	t.Parallel()
	head := []string{":status", "200", "content-type", "application/json"}
	flood := func(e *exchange, write func() error) {
		for write() == nil { // until the client, or the end of the test, closes the connection
			continue
		}
	}
	for name, answer := range map[string]func(e *exchange){
		"nothing":           func(*exchange) {},
		"half of an answer": func(e *exchange) { e.head(false, head...); e.body(false, transferBody[:10]) },
		"pings":             func(e *exchange) { flood(e, func() error { return e.WritePing(false, [8]byte{}) }) },
		"settings":          func(e *exchange) { flood(e, func() error { return e.WriteSettings() }) },
		"windows":           func(e *exchange) { flood(e, func() error { return e.WriteWindowUpdate(0, 1) }) },
		"empty data": func(e *exchange) {
			e.head(false, head...)
			flood(e, func() error { return e.WriteData(e.stream, false, nil) })
		},
		"continuations": func(e *exchange) {
			_ = e.WriteHeaders(http2.HeadersFrameParam{StreamID: e.stream, BlockFragment: block(head...)})
			flood(e, func() error { return e.WriteContinuation(e.stream, false, block("x-a", "b")) })
		},
		"empty continuations": func(e *exchange) {
			_ = e.WriteHeaders(http2.HeadersFrameParam{StreamID: e.stream, BlockFragment: block(head...)})
			flood(e, func() error { return e.WriteContinuation(e.stream, false, nil) })
		},
		"a small block of many large fields": func(e *exchange) {
			fields := block(append(head, "x-a", strings.Repeat("b", 3000))...)
			fields = append(fields, []byte(strings.Repeat("\xbe", 10_000))...) // the latest field of the table
			_ = e.WriteHeaders(http2.HeadersFrameParam{StreamID: e.stream, BlockFragment: fields, EndHeaders: true})
			e.body(true, transferBody)
		},
		"a damaged block": func(e *exchange) {
			_ = e.WriteHeaders(http2.HeadersFrameParam{StreamID: e.stream, BlockFragment: []byte("\xff\xff\xff\xff\xff"), EndHeaders: true})
		},
		"another protocol":   func(e *exchange) { e.head(false, ":status", "101", "upgrade", "x") },
		"the end in another": func(e *exchange) { e.head(true, ":status", "101", "upgrade", "x") },
		"no status":          func(e *exchange) { e.head(false, head[2:]...); e.body(true, transferBody) },
		"status 99": func(e *exchange) {
			e.head(false, ":status", "99", "content-type", "application/json")
			e.body(true, transferBody)
		},
		"two statuses": func(e *exchange) { e.head(false, append(head, head...)...); e.body(true, transferBody) },
		"a longer answer than told": func(e *exchange) {
			e.head(false, append(head, "content-length", "10")...)
			e.body(true, transferBody)
		},
		"a shorter answer than told": func(e *exchange) {
			e.head(false, append(head, "content-length", "1000")...)
			e.body(true, transferBody)
		},
		"an answer that is reset": func(e *exchange) {
			e.head(false, head...)
			e.body(false, transferBody)
			_ = e.WriteRSTStream(e.stream, http2.ErrCodeCancel)
		},
		"an answer to another request": func(e *exchange) { e.stream += 2; e.succeed() },
		"a pushed answer": func(e *exchange) {
			_ = e.WritePushPromise(http2.PushPromiseParam{
				StreamID: e.stream, PromiseID: 2, EndHeaders: true,
				BlockFragment: block(":method", "GET", ":scheme", "https", ":authority", "evil.test", ":path", e.path),
			})
			e.succeed()
		},
		"a frame that is too large": func(e *exchange) { _ = e.WriteRawFrame(http2.FrameData, 0, e.stream, make([]byte, 1<<20)) },
		"HTTP/1":                    func(e *exchange) { _, _ = io.WriteString(e.conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for form, call := range map[string]func(context.Context, *Client) error{
				"read": readCall, "with a body": keyedCall, "without a body": cancelCall,
			} {
				answered := make(chan struct{}, 1)
				s := frames(t, func(e *exchange) {
					select {
					case answered <- struct{}{}:
					default: // the call was sent again
					}
					answer(e)
				})
				c, _ := connect(t, s.URL, s.roots)
				ctx, cancel := context.WithCancel(t.Context())
				go func() {
					<-answered
					<-time.After(50 * time.Millisecond) // in this time the service sends a few thousand frames
					cancel()
				}()
				err := soon(t, func() error { return call(ctx, c) })
				require.Error(t, err, form)
				if form != "read" {
					require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err), "%v", err)
				}
				cancel()
			}
		})
	}
}

// A response that comes after the deadline of its call is not taken for the response to the next one.
func TestALateAnswerIsOfNoOtherCall(t *testing.T) {
	t.Parallel()
	given := make(chan context.CancelFunc, 1)
	s := frames(t, func(e *exchange) {
		if e.n == 1 {
			(<-given)()
			return
		}
		late := *e
		late.stream = 1
		late.head(false, ":status", "200", "content-type", "application/json")
		late.body(true, `{"id":"trf_late"}`)
		e.succeed()
	})
	c, _ := connect(t, s.URL, s.roots)
	ctx, cancel := context.WithCancel(t.Context())
	given <- cancel
	require.ErrorIs(t, readCall(ctx, c), context.Canceled)
	found, err := c.GetTransfer(t.Context(), "trf_1", payments.ReadOptions{})
	require.NoError(t, err)
	require.Equal(t, "trf_1", found.Value.ID)
}

// A service cannot claim by HTTP/2 to be another origin, nor lead the client to one (RFC 8336, RFC 7838).
func TestNoOtherOriginOverHTTP2(t *testing.T) {
	t.Parallel()
	other := frames(t, func(e *exchange) { e.succeed() })
	s := frames(t, func(e *exchange) {
		const altSvc, origin = 0xa, 0xc
		elsewhere := "\x00" + string(rune(len(other.URL))) + other.URL
		_ = e.WriteRawFrame(origin, 0, 0, []byte(elsewhere))
		_ = e.WriteRawFrame(altSvc, 0, e.stream, []byte("\x00\x00h2=\""+strings.TrimPrefix(other.URL, "https://")+"\"; ma=3600"))
		e.head(false, ":status", "200", "content-type", "application/json", "alt-svc", `h2="`+other.URL[len("https://"):]+`"`)
		e.body(true, transferBody)
		_ = e.WriteGoAway(e.stream, http2.ErrCodeNo, nil)
		_ = e.conn.Close()
	})
	c, _ := connect(t, s.URL, s.roots)
	for range 3 {
		require.NoError(t, readCall(t.Context(), c))
	}
	require.EqualValues(t, 3, s.count.Load())
	require.Zero(t, other.count.Load())
}

// The trailers of a response are neither shown nor logged.
func TestTrailersAreIgnored(t *testing.T) {
	t.Parallel()
	over2 := frames(t, func(e *exchange) {
		e.head(false, ":status", "200", "content-type", "application/json", "trailer", "x-echo")
		e.body(false, transferBody)
		e.head(true, "x-echo", testToken, "content-type", "text/html")
	})
	over1 := raw(t, func(c net.Conn, _ string) {
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTrailer: X-Echo\r\nTransfer-Encoding: chunked\r\n\r\n"+
			"2\r\n{}\r\n0\r\nX-Echo: "+testToken+"\r\nContent-Type: text/html\r\n\r\n")
	})
	for url, change := range map[string]func(*Config){over1.URL: func(*Config) {}, over2.URL: over2.roots} {
		var log record
		c, _ := connect(t, url, change, logging(&log))
		response, err := c.Do(t.Context(), "GET", "/x", nil, nil, nil)
		require.NoError(t, err)
		require.Equal(t, []string{"application/json"}, response.Header["Content-Type"])
		require.Empty(t, response.Header["X-Echo"])
		require.NotContains(t, log.text(), testToken)
		require.Contains(t, log.text(), "200 OK")
	}
}

// The Content-Length of a response without a body is that of another response.
func TestAnswersWithoutABodyOverHTTP2(t *testing.T) {
	t.Parallel()
	s := frames(t, func(e *exchange) {
		status := "200"
		if e.n == 1 {
			status = "304"
		}
		e.head(true, ":status", status, "content-type", "application/json", "content-length", "1000000000")
	})
	c, _ := connect(t, s.URL, s.roots)
	found, err := c.GetTransfer(t.Context(), "trf_1", payments.ReadOptions{ETag: `"e"`})
	require.NoError(t, err)
	require.True(t, found.NotModified)
	response, err := c.Do(t.Context(), "HEAD", "/x", nil, nil, nil)
	require.NoError(t, err)
	require.Empty(t, response.Body)
	require.Equal(t, "1000000000", response.Header.Get("Content-Length"))
}

// A connection to which nothing can be written, because the service reads nothing, is closed.
func TestAConnectionThatIsNotReadIsClosed(t *testing.T) {
	t.Parallel()
	closed := make(chan struct{})
	s := frames(t, func(e *exchange) {
		for e.WritePing(false, [8]byte{}) == nil { // each is answered
			continue
		}
		close(closed)
	})
	c, _ := connect(t, s.URL, s.roots)
	require.NotZero(t, c.transport.HTTP2.WriteByteTimeout)
	c.transport.HTTP2.WriteByteTimeout = 50 * time.Millisecond
	require.Error(t, soon(t, func() error { return readCall(t.Context(), c) }))
	_ = soon(t, func() error { <-closed; return nil })
}

// A service that reads nothing, and makes the client write, stops the reads of an answer over HTTP/2: they also write.
// They end with the context all the same.
func TestAnAnswerBesideAFlood(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(e *exchange) error{
		"pings":    func(e *exchange) error { return e.WritePing(false, [8]byte{}) },
		"settings": func(e *exchange) error { return e.WriteSettings() },
	} {
		for class, call := range map[string]func(context.Context, *Client) error{
			"read": readCall, "write": keyedCall,
			"stream": func(ctx context.Context, c *Client) error {
				return c.StreamEvents(ctx, payments.EventFilter{}, func(payments.EventMessage) error { return nil })
			},
		} {
			t.Run(name+" "+class, func(t *testing.T) {
				t.Parallel()
				var written atomic.Int64
				s := frames(t, func(e *exchange) {
					tcp := e.conn.(*tls.Conn).NetConn().(*net.TCPConn)
					_ = tcp.SetReadBuffer(1 << 12)
					media := "application/json"
					if class == "stream" {
						media = mediaEventStream
					}
					e.head(false, ":status", "200", "content-type", media)
					for range 3 { // more than is acknowledged only at the end
						e.body(false, strings.Repeat(" \n", 8<<10))
					}
					for write(e) == nil {
						written.Add(1)
					}
				})
				c, _ := connect(t, s.URL, s.roots)
				dial := c.transport.DialContext
				c.transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
					conn, err := dial(ctx, network, address)
					if err == nil {
						_ = conn.(*net.TCPConn).SetWriteBuffer(1 << 12)
					}
					return conn, err
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go func() {
					for before := int64(-1); before <= 0 || before != written.Load(); { // until nothing moves
						before = written.Load()
						<-time.After(50 * time.Millisecond)
					}
					cancel()
				}()
				err := soon(t, func() error { return call(ctx, c) })
				require.ErrorIs(t, err, context.Canceled)
				if class == "write" {
					require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
				}
			})
		}
	}
}

// soon returns the error of a call that ends in a time that is long even on a busy machine.
func soon(t *testing.T, call func() error) error {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- call() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(30 * time.Second):
		require.FailNow(t, "the call does not end")
		return nil
	}
}
