package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/payctl/payctl/internal/payments"
)

// A Failure is a refusal that was made here, with what led to it. errors.As finds its Refusal before one that the
// service sent; that one, if any, is in Cause.
type Failure struct {
	payments.Refusal
	// Cause is the transport's error, the end of a context, or the answer of the service; nil when there is none.
	Cause error

	reason string // why the service could not be reached; empty for other failures
	why    string // half a sentence for the failure that this one becomes the cause of
}

// Unwrap gives errors.Is and errors.As the refusal and its cause.
func (f *Failure) Unwrap() []error {
	if f.Cause == nil {
		return []error{&f.Refusal}
	}
	return []error{&f.Refusal, f.Cause}
}

// Reason is why the service could not be reached, as half a sentence; empty for other failures.
func (f *Failure) Reason() string { return f.reason }

func failure(kind payments.Kind, cause error, title, format string, args ...any) *Failure {
	return &Failure{
		Refusal: payments.Refusal{Problem: payments.Problem{
			Type: string(kind), Title: title, Detail: fmt.Sprintf(format, args...),
		}},
		Cause: cause,
	}
}

func invalidSettings(format string, args ...any) *Failure {
	return failure(payments.KindInvalidSettings, nil, "The settings cannot work.", format, args...)
}

func invalidRequest(format string, args ...any) *Failure {
	return failure(payments.KindInvalidRequest, nil, "The request cannot be sent.", format, args...)
}

func invalidCredential(detail string) *Failure {
	return failure(payments.KindCredential, nil, "The credential cannot be used.", "%s", detail)
}

func insecure(origin string) *Failure {
	return failure(payments.KindInsecure, nil, "Credentials do not travel unencrypted.",
		"%s is plain http and not this machine. Use https, or --allow-insecure-http if the network is yours alone.", origin)
}

// unreachable describes an error of the transport before a connection stood.
func (c *Client) unreachable(r *request, err error) *Failure {
	if elsewhere, ok := errors.AsType[*elsewhereError](err); ok {
		return r.at(failure(payments.KindInsecure, err, "Credentials do not travel unencrypted.",
			"%s is plain http, and %v. Nothing was sent. Use https, or --allow-insecure-http if the network is yours alone.", c.origin, elsewhere))
	}
	var lookup *net.DNSError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var operation *net.OpError
	var proxy *ProxyError
	next := "Check the base URL and the network, then try again."
	why := r.scrub(err.Error())
	switch {
	case errors.As(err, &certificate):
		why, next = "its certificate cannot be trusted ("+r.scrub(certificate.Err.Error())+")", "Check the base URL and this machine's clock; a service with an authority of its own needs that one's certificate, with --ca-cert FILE or the profile's ca_cert."
	case errors.As(err, &record):
		why, next = "it does not speak TLS", "Check whether the base URL should begin with http:// or have another port."
	case errors.As(err, &proxy):
		next = "Correct " + proxy.Variable + ", or unset it to go without a proxy."
	case errors.As(err, &operation) && operation.Op == "proxyconnect":
		why, next = "the proxy that the environment names cannot be used ("+r.scrub(operation.Err.Error())+")", "Check HTTPS_PROXY and HTTP_PROXY, or name the host in NO_PROXY."
	case errors.As(err, &operation) && operation.Err.Error() == alertProtocolVersion.Error():
		why, next = "it speaks no TLS 1.2 or newer, which credentials need", "Ask its operator for a version of TLS that is still safe."
	case errors.As(err, &lookup) && lookup.IsNotFound:
		why, next = "the name "+c.base.Hostname()+" is unknown", "Check the base URL."
	case errors.Is(err, context.DeadlineExceeded):
		why = "there was no connection in time"
	case isLoopback(c.base):
		next = "Start the reference service with `payctl serve`, or name another service with --base-url."
	}
	f := failure(payments.KindUnreachable, err, "The service could not be reached.",
		"%s: %s. Nothing was sent. %s", c.origin, why, next)
	f.reason = why
	return r.at(f)
}

// alertProtocolVersion is the alert of a peer that speaks no version of TLS that is offered (RFC 8446 section 6). The type
// in which crypto/tls hands it out is not exported, but has the same words.
const alertProtocolVersion tls.AlertError = 70

// unusable describes an answer that is none, or that nobody can read. Answer is nil when there was none.
func (c *Client) unusable(r *request, answer *Response, cause error, what string) *Failure {
	f := failure(payments.KindUnusable, cause, "The answer of the service cannot be used.",
		"%s %s: %s.%s Try again; if it stays so, check that the base URL %s is the service's.",
		r.method, r.url.Path, what, r.quote(answer), c.origin)
	f.why = what
	if answer != nil {
		f.Status = answer.Status
		addHeaders(&f.Refusal, answer.Header, c.config.Now())
	}
	return r.at(f)
}

// refused describes an error answer without a problem document whose status says all the same that nothing happened.
func (c *Client) refused(r *request, answer *Response) *Failure {
	f := failure(payments.KindRefused, nil, "The service refused.",
		"%s %s was answered with status %d (%s) and without a problem document.%s It may come from a proxy; check that the base URL %s is the service's.",
		r.method, r.url.Path, answer.Status, http.StatusText(answer.Status), r.quote(answer), c.origin)
	f.Status = answer.Status
	addHeaders(&f.Refusal, answer.Header, c.config.Now())
	return r.at(f)
}

func (c *Client) timedOut(r *request, cause error) *Failure {
	f := failure(payments.KindTimeout, cause, "The service did not answer in time.",
		"%s %s had no complete answer in the time it was given, %s at most. Try again, or allow more with --timeout.",
		r.method, r.url.Path, c.config.Timeout+r.hold)
	f.why = "there was no complete answer in time"
	return r.at(f)
}

// unknown describes a write that was sent and whose outcome is not known. Later is how a further attempt ended that did
// not tell either; nil when there was none.
func (c *Client) unknown(r *request, lost, later error) *Failure {
	cause, also := lost, ""
	if later != nil && !errors.Is(lost, later) {
		cause, also = errors.Join(lost, later), " Sent again, it met: "+brief(later)
		if errors.Is(later, context.Canceled) {
			also = " Then it was interrupted."
		}
	}
	key := ""
	if r.key != "" {
		key = " Its idempotency key is " + r.key + "."
	}
	f := failure(payments.KindOutcomeUnknown, cause, "It is not known whether the request took effect.",
		"%s %s was sent, but: %s%s%s Look for what became of it before you send it with another key.",
		r.method, r.url.Path, brief(lost), also, key)
	var met *payments.Refusal
	if errors.As(lost, &met) {
		f.Status, f.RequestID, f.RetryAfter = met.Status, met.RequestID, met.RetryAfter
	}
	return r.at(f)
}

// brief is an error as one sentence inside another problem's detail.
func brief(err error) string {
	var made *Failure
	var met *payments.Refusal
	switch {
	case errors.As(err, &made) && made.why != "":
		return made.why + "."
	case !errors.As(err, &met) && errors.Is(err, context.Canceled):
		return "it was interrupted before there was an answer."
	case met == nil:
		return err.Error() + "."
	}
	text := met.Title
	if met.Status != 0 {
		text = fmt.Sprintf("status %d, %s", met.Status, text)
	}
	return text
}

// interrupted is the end of a call by its caller.
func interrupted(ctx context.Context, r *request) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return fmt.Errorf("%s %s was interrupted: %w (%w)", r.method, r.url.Path, context.Canceled, cause)
	}
	return fmt.Errorf("%s %s was interrupted: %w", r.method, r.url.Path, context.Canceled)
}
