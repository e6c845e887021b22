// Package forward hands events on to a receiver, in order and each until it is acknowledged. It keeps the cursor after
// the last acknowledged event.
package forward

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"golang.org/x/net/http/httpguts"

	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/textutil"
	"github.com/payctl/payctl/internal/wait"
)

// A Receipt is the acknowledgement of an event: the status of an HTTP response or the exit code of a program.
type Receipt struct {
	Status   int `json:"status"`
	Attempts int `json:"attempts"`
}

// A Forwarder hands events on, one at a time.
type Forwarder struct {
	// Attempt hands an event to the receiver once. No error means that the receiver has acknowledged it. An error is a
	// clause such as "the receiver answers 500". After is how long the receiver asks to wait.
	Attempt func(context.Context, payments.Event) (status int, after time.Duration, err error)
	// MaxAttempts is after how many attempts an event fails. Zero means never.
	MaxAttempts int
	// Down is called when events are no longer acknowledged, and again when the reason changes. Up is called when they
	// are again.
	Down func(error)
	Up   func()

	reason string // why events are not acknowledged, or empty
}

// pauses are the pauses between the attempts of an event.
var pauses = wait.Backoff{First: 200 * time.Millisecond, Longest: 5 * time.Second}

// Hand returns when an event has been acknowledged. The error is the last of MaxAttempts, or the context's cause.
func (f *Forwarder) Hand(ctx context.Context, e payments.Event) (Receipt, error) {
	for n := 1; ; n++ {
		status, after, err := f.Attempt(ctx, e)
		switch {
		case err == nil:
			if f.reason != "" {
				f.reason = ""
				f.Up()
			}
			return Receipt{status, n}, nil
		case ctx.Err() != nil:
			return Receipt{}, context.Cause(ctx)
		case n == f.MaxAttempts:
			return Receipt{}, fmt.Errorf("event %s was not skipped: %w (attempt %d)", e.ID, err, n)
		}
		if f.reason != err.Error() {
			f.reason = err.Error()
			f.Down(err)
		}
		if err := wait.Sleep(ctx, pauses.Pause(n, after)); err != nil {
			return Receipt{}, err
		}
	}
}

const (
	// answerTime is how long a receiver may take to answer, the shortest time that Standard Webhooks recommends.
	answerTime = 15 * time.Second
	// longestWait bounds the Retry-After of a receiver.
	longestWait = time.Hour
	// mostRead is how much of an answer is read, in bytes, and bodyTime for how long. A connection can be used again
	// after the whole answer.
	mostRead = 64 << 10
	bodyTime = time.Second
	// mostShown is how much of a Location is shown, in bytes.
	mostShown = 200
	// secretPrefix begins a secret. Random bytes in Base64 follow.
	secretPrefix = "whsec_"
)

// A Receiver is a URL that gets events, signed by Standard Webhooks.
type Receiver struct {
	URL    *url.URL
	Header http.Header // of each request
	Secret string      // of NewSecret or ParseSecret; it verifies the events

	host      string // the field Host, or empty for the URL's
	transport http.RoundTripper
}

// NewReceiver returns a receiver without a secret. A URL of this machine never reaches another one.
func NewReceiver(text, agent string) (*Receiver, error) {
	target, err := url.Parse(text)
	switch {
	case err != nil || target.Scheme != "http" && target.Scheme != "https" || target.Hostname() == "":
		return nil, errors.New("must be a URL such as http://127.0.0.1:3000/hook")
	case target.User != nil:
		return nil, errors.New("must have no user name or password")
	case strings.ContainsFunc(target.RequestURI(), func(c rune) bool { return c <= ' ' || c >= 0x7f }):
		return nil, errors.New("has a character in its query that must be escaped, such as a space as %20")
	}
	if port, err := strconv.ParseUint(cmp.Or(target.Port(), "80"), 10, 16); err != nil || port == 0 {
		return nil, errors.New("must have a port from 1 to 65535")
	}
	transport := client.NewTransport(nil, settings.IsLoopback(target))
	return &Receiver{URL: target, Header: http.Header{"User-Agent": {agent}}, transport: transport}, nil
}

// Trust adds the certificate authorities in a file, if any, to those of the system.
func (r *Receiver) Trust(caCert string) error {
	if caCert == "" {
		return nil
	}
	system, err := x509.SystemCertPool()
	if err != nil {
		system = x509.NewCertPool()
	}
	roots, err := client.Roots(system, caCert)
	r.transport = client.NewTransport(roots, settings.IsLoopback(r.URL))
	return err
}

// ownFields are the header fields that Post or net/http sets.
var ownFields = []string{
	"Connection", "Content-Length", "Content-Type", "Expect", "Trailer", "Transfer-Encoding", "Upgrade",
	"Webhook-Id", "Webhook-Signature", "Webhook-Timestamp",
}

// AddHeader adds header fields to each request. The error is a clause about an invalid one.
func (r *Receiver) AddHeader(header http.Header) error {
	for name, values := range header {
		switch {
		case slices.Contains(ownFields, name):
			return fmt.Errorf("cannot set %s, which payctl sets itself", name)
		case name != "Host":
			r.Header[name] = values
		case len(values) > 1 || values[0] == "" || !httpguts.ValidHostHeader(values[0]):
			return errors.New("must have one Host, such as app.test:3000")
		default:
			r.host = values[0]
		}
	}
	return nil
}

// Post is the Attempt of a Forwarder. It sends an event as the service sent it.
func (r *Receiver) Post(ctx context.Context, e payments.Event) (status int, after time.Duration, err error) {
	body, now := []byte(e.Document), time.Now()
	signer, err := standardwebhooks.NewWebhook(r.Secret)
	if err != nil {
		return 0, 0, err
	}
	signature, err := signer.Sign(e.ID, now, body)
	if err != nil {
		return 0, 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL.String(), bytes.NewReader(body))
	if err != nil {
		return 0, 0, err
	}
	request.Host = cmp.Or(r.host, request.Host)
	request.Header = r.Header.Clone()
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(standardwebhooks.HeaderWebhookID, e.ID)
	request.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	request.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	response, err := r.transport.RoundTrip(request) // this follows no redirect
	if errors.Is(err, context.DeadlineExceeded) {
		return 0, 0, fmt.Errorf("the receiver does not answer within %s", answerTime)
	}
	if network, ok := errors.AsType[*net.OpError](err); ok {
		err = network.Err // without the port, which changes
	}
	if err != nil {
		return 0, 0, fmt.Errorf("the receiver does not answer: %w", err)
	}
	defer response.Body.Close()
	cut := time.AfterFunc(bodyTime, cancel)
	defer cut.Stop()
	_, _ = io.CopyN(io.Discard, response.Body, mostRead) // only the status decides
	if status = response.StatusCode; status/100 == 2 {
		return status, 0, nil
	}
	after, _ = client.RetryAfter(response.Header, now)
	reason := fmt.Sprintf("the receiver answers %d %s", status, http.StatusText(status))
	response.Request = request // the Location is relative to it
	if to, err := response.Location(); err == nil && status/100 == 3 {
		to.User, to.RawQuery, to.Fragment = nil, "", "" // these may hold secrets
		reason += ", a redirect to " + contract.Shorten(to.String(), mostShown)
	}
	return status, min(after, longestWait), errors.New(reason)
}

// NewSecret makes a secret for receivers to verify events.
func NewSecret() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// ParseSecret reads the content of a file with a secret. The error does not show it.
func ParseSecret(content []byte) (string, error) {
	secret := string(bytes.TrimSpace(content))
	text, ok := strings.CutPrefix(secret, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(key) < 24 || len(key) > 64 {
		return "", errors.New("the secret must be whsec_ and 24 to 64 bytes in Base64")
	}
	return secret, nil
}

// Verify returns nil if an event with this header and body was signed with the secret in the last five minutes.
func Verify(secret string, header http.Header, body []byte) error {
	signer, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return err
	}
	return signer.Verify(body, header)
}

// A CursorFile keeps the cursor to continue at. The zero CursorFile has no file.
type CursorFile struct {
	Path string `json:"-"`
	// Of is the owner: a name, a profile and an origin, or a client of the reference service.
	Of []string `json:"of"`
	// Cursor is the cursor to continue at. It is empty before the first event.
	Cursor string `json:"cursor"`

	saved time.Time
}

const (
	// saveInterval is the time between two saves that are not urgent: each waits for the disk.
	saveInterval = 100 * time.Millisecond
	// maxCursorFile bounds the file, in bytes. A cursor is no longer than a header field.
	maxCursorFile = 64 << 10
)

// NewCursorFile returns a cursor file in a folder, and creates the folder. The first save creates the file.
func NewCursorFile(folder string, of ...string) (*CursorFile, error) {
	key := sha256.Sum256(fmt.Appendf(nil, "%q", of))
	return &CursorFile{Path: filepath.Join(folder, hex.EncodeToString(key[:8])+".json"), Of: of},
		securefile.MakeFolder(folder)
}

// Clients returns the clients with cursor files in a folder.
func Clients(folder string) (clients []string, err error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	for _, path := range paths {
		file := CursorFile{Path: path}
		if err := file.Read(); err != nil {
			return nil, err
		}
		clients = append(clients, file.Of...)
	}
	return clients, err
}

// Read reads the file, if there is one.
func (p *CursorFile) Read() error {
	text, err := securefile.Read(p.Path, maxCursorFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	if err := json.Unmarshal(textutil.Decode(text), p); err != nil || len(p.Of) == 0 {
		return &securefile.Error{
			Reason: p.Path + " has no cursor to resume from", Next: shell.Note("remove the file to begin anew"),
		}
	}
	return nil
}

// Move changes the cursor. With now it is on the disk when Move returns. Otherwise it may be only after a later Move. A
// power cut leaves either the old cursor or the new one.
func (p *CursorFile) Move(cursor string, now bool) error {
	p.Cursor = cursor
	if p.Path == "" || !now && time.Since(p.saved) < saveInterval {
		return nil
	}
	p.saved = time.Now()
	text, err := json.Marshal(p, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	return securefile.Write(p.Path, append(text, '\n'))
}
