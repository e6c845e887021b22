package client

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"slices"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/payments"
)

// An attemptResult is the result of an attempt or a call. For a read, done means that the response can be used.
type attemptResult struct {
	outcome   effect.Outcome
	response  *payments.Response // nil without a complete one
	err       error              // nil if it is done
	retryable bool               // another attempt may succeed
}

// isUnread reports whether a refusal means that the service did not look at the request itself.
func isUnread(status int, err error) bool {
	return status == http.StatusUnauthorized || status == http.StatusTooManyRequests ||
		payments.IsProblem(err, payments.ProblemInsufficientScope) || payments.IsProblem(err, payments.ProblemMoved)
}

// judgeFailure judges an attempt without a complete response.
func (c *Client) judgeFailure(ctx context.Context, r *request, sent bool, err error) attemptResult {
	result := attemptResult{outcome: effect.NotSent, retryable: true}
	if sent {
		result.outcome = effect.Unknown
	}
	_, forbidden := errors.AsType[*forbiddenError](err)
	switch {
	case forbidden:
		result.err, result.retryable = err, false
	case errors.Is(context.Cause(ctx), errSilent):
		result.err = c.timedOut(r, errors.Join(context.DeadlineExceeded, err))
	case errors.Is(ctx.Err(), context.Canceled):
		result.err = interrupted(ctx, r)
	case !sent:
		result.err = c.unreachable(r, err)
		_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
		_, plainHTTP := errors.AsType[tls.RecordHeaderError](err)
		_, otherMachine := errors.AsType[*notLoopbackError](err)
		_, badProxy := errors.AsType[*ProxyError](err)
		result.retryable = !untrusted && !plainHTTP && !otherMachine && !badProxy
	case ctx.Err() != nil:
		result.err = c.timedOut(r, errors.Join(ctx.Err(), err))
	default:
		result.retryable = !errors.Is(err, errBodyTooLarge) && !errors.Is(err, errNotFinal)
		result.err = c.unusable(r, nil, err, "there was no complete answer ("+c.mask(r).Text(failure(err))+")")
	}
	return result
}

// judgeResponse judges a complete response.
func (c *Client) judgeResponse(r *request, response *payments.Response) attemptResult {
	status := response.Status
	switch status {
	case http.StatusMovedPermanently, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return attemptResult{outcome: effect.Refused, response: response, err: c.moved(r, response)}
	case http.StatusFound, http.StatusSeeOther:
		// Web frameworks use these after they carried out a request (RFC 9110 section 15.4.4).
		return attemptResult{outcome: effect.Unknown, response: response, err: c.moved(r, response)}
	}
	if status >= 200 && status < 300 {
		fault := r.accept(response)
		if fault == "" {
			return attemptResult{outcome: effect.Done, response: response}
		}
		return attemptResult{outcome: effect.Unknown, response: response, retryable: true,
			err: c.unusable(r, response, nil, fault)}
	}
	isTransient := slices.Contains(transientStatuses, status)
	result := attemptResult{outcome: effect.Unknown, response: response, retryable: r.isWrite || isTransient}
	if status >= 400 && status < 500 && !payments.GaveUp(status) {
		result.outcome, result.retryable = effect.Refused, status == http.StatusTooManyRequests
	}
	problem := readProblem(response, c.config.Now(),
		func(name string) string { return c.config.ServiceMap.Problem(r.op, name) })
	if r.returnsToken {
		problem = c.tokenProblem(r, response)
	}
	switch {
	case status < 400:
		result.err = c.unusable(r, response, nil, "the status "+http.StatusText(status)+" is not one that this call can have")
	case problem != nil:
		result.err = c.withAssumption(r, problem)
	case result.outcome == effect.Refused:
		result.err = c.withAssumption(r, c.refusedWithoutProblem(r, response))
	default:
		result.err = c.unusable(r, response, nil, "the service failed with status "+http.StatusText(status))
	}
	if r.isWrite && status == http.StatusForbidden && !isJSON(mediaType(response)) {
		// Services and gateways answer with JSON, filters do not. A filter of responses answers like this after the
		// request was carried out (Squid's http_reply_access, ModSecurity's phase 4). A filter of requests did not let
		// it through. Another attempt would meet the same filter.
		result.outcome = effect.Unknown
	}
	return result
}

// transientStatuses are the error statuses that usually pass.
var transientStatuses = []int{
	http.StatusRequestTimeout, http.StatusTooManyRequests,
	http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
}

// keyInUse reports whether the service is still processing an earlier request with the same key.
func (r attemptResult) keyInUse() bool {
	return r.outcome == effect.Refused && payments.IsProblem(r.err, payments.ProblemKeyInUse)
}

// tokenRejected reports whether the service rejected the token before it read the request (RFC 6750 section 3.1).
func (r attemptResult) tokenRejected() bool {
	return r.outcome == effect.Refused && r.response.Status == http.StatusUnauthorized && rejectsToken(r.response.Header)
}

// resolvesEarlier reports whether a result also tells what became of an earlier, lost attempt with the same key. A
// service that honours keys looks up the key before it judges the request. But it may first refuse the caller, the rate
// or the form of a request.
func (r attemptResult) resolvesEarlier() bool {
	problem, ok := errors.AsType[*payments.ProblemError](r.err)
	switch {
	case r.outcome == effect.Done:
		return true
	case r.outcome != effect.Refused, r.keyInUse(), !ok, problem.Document == nil:
		return false
	}
	switch problem.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusGone,
		http.StatusPreconditionFailed, http.StatusUnprocessableEntity:
		return true
	case http.StatusConflict:
		// Many services answer 409 while they process the earlier attempt, each with its own type.
		return payments.Describe(problem.ProblemType()).Type == problem.ProblemType()
	case http.StatusForbidden:
		return problem.ProblemType() == payments.ProblemKYCRequired
	}
	return false
}
