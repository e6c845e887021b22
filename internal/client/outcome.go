package client

import (
	"context"
	"crypto/tls"
	"errors"
	"mime"
	"net/http"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// A verdict says what one attempt did at the service.
type verdict uint8

const (
	done    verdict = iota // it had its effect, and the answer is good
	unsent                 // nothing left this machine
	refused                // the answer says that nothing was done
	lost                   // it was sent, and may have had its effect
)

// An outcome is how one attempt ended.
type outcome struct {
	verdict verdict
	answer  *Response // nil when there was no complete one
	err     error     // nil when done
	// passing says that another attempt may fare better.
	passing bool
}

// attempt sends a request once, following redirects where that is allowed.
func (c *Client) attempt(ctx context.Context, r *request, authorization string, hold time.Duration) outcome {
	target := r.url
	for hops := 0; ; hops++ {
		answer, sent, err := c.send(ctx, r, target, authorization, hold)
		switch {
		case err != nil:
			return c.broken(ctx, r, sent, err)
		case !isRedirect(answer.Status):
			return c.judge(r, answer)
		}
		next, err := c.redirect(r, target, answer, hops)
		if err != nil {
			return outcome{verdict: redirected(answer.Status), answer: answer, err: err}
		}
		target = next
	}
}

// broken judges an attempt without a complete answer.
func (c *Client) broken(ctx context.Context, r *request, sent bool, err error) outcome {
	result := outcome{verdict: unsent, passing: true}
	if sent {
		result.verdict = lost
	}
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var elsewhere *elsewhereError
	var proxy *ProxyError
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		result.err = interrupted(ctx, r)
	case !sent:
		result.err = c.unreachable(r, err)
		result.passing = !errors.As(err, &certificate) && !errors.As(err, &record) && !errors.As(err, &elsewhere) && !errors.As(err, &proxy)
	case ctx.Err() != nil:
		result.err = c.timedOut(r, errors.Join(ctx.Err(), err))
	default:
		result.passing = !errors.Is(err, errBodyTooLarge)
		result.err = c.unusable(r, nil, err, "there was no complete answer ("+r.scrub(err.Error())+")")
	}
	return result
}

// judge judges a complete answer that is no redirect.
func (c *Client) judge(r *request, answer *Response) outcome {
	status := answer.Status
	if status >= 200 && status < 300 || status == http.StatusNotModified && r.header.Get("If-None-Match") != "" {
		what := ""
		if r.accept != nil {
			what = r.accept(answer)
		}
		if what == "" {
			return outcome{verdict: done, answer: answer}
		}
		return outcome{verdict: lost, answer: answer, passing: true, err: c.unusable(r, answer, nil, what)}
	}
	result := outcome{verdict: lost, answer: answer, passing: r.write || isPassing(status)}
	if status >= 400 && status < 500 && !payments.GaveUp(status) {
		result.verdict, result.passing = refused, status == http.StatusTooManyRequests
	}
	result.err = c.errorOf(r, answer, result.verdict)
	if r.write && status == http.StatusForbidden && !isJSONAnswer(answer) {
		// Filters that look at answers refuse in this way what has been done (Squid's http_reply_access, ModSecurity's
		// phase 4), and others what they did not let through. Sent again, it would meet the same.
		result.verdict = lost
	}
	return result
}

// isJSONAnswer says whether an answer calls itself JSON, as services and gateways in front of them do, and filters not.
func isJSONAnswer(answer *Response) bool {
	media, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	return isJSON(media)
}

// errorOf describes an answer that is no success: by its problem document where it has one.
func (c *Client) errorOf(r *request, answer *Response, v verdict) error {
	if answer.Status < 400 {
		return c.unusable(r, answer, nil, "the status "+http.StatusText(answer.Status)+" is not one that this call can have")
	}
	if problem := refusalOf(answer, c.config.Now()); problem != nil {
		return problem
	}
	if v == refused {
		return c.refused(r, answer)
	}
	return c.unusable(r, answer, nil, "the service failed with status "+http.StatusText(answer.Status))
}

// isPassing says whether an error status is one that passes by itself.
func isPassing(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// keyInUse says whether the service is still at work on an earlier request with the same key.
func (o outcome) keyInUse() bool {
	return o.verdict == refused && payments.IsKind(o.err, payments.KindKeyInUse)
}

// tooOften says whether the service refused because it is asked too often.
func (o outcome) tooOften() bool {
	return o.verdict == refused && o.answer.Status == http.StatusTooManyRequests
}

// settles says whether an outcome tells, too, what became of an earlier attempt with the same key whose answer was
// lost. A service that honours keys looks the key up before it decides on the request, but may refuse the caller, the
// rate or the form of a request before that.
func (o outcome) settles() bool {
	if o.verdict == done {
		return true
	}
	if o.verdict != refused || o.keyInUse() {
		return false
	}
	var refusal *payments.Refusal
	if !errors.As(o.err, &refusal) || refusal.Document == nil {
		return false
	}
	switch refusal.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusConflict, http.StatusGone,
		http.StatusPreconditionFailed, http.StatusUnprocessableEntity:
		return true
	case http.StatusForbidden:
		return refusal.Kind() == payments.KindKYCRequired
	}
	return false
}
