package server

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// A call is one request to one operation.
type call struct {
	server  *server
	w       http.ResponseWriter
	r       *http.Request
	op      *contract.Operation
	token   string  // the presented Bearer token
	session Session // what it opens

	ahead     *received // the body, where it was read before the request was held back
	seen      *observed // the answer; nil when nobody watches
	requestID string    // in the answer
	fault     string    // the rule of the fault that happened
	form      string    // the media type that the client prefers of those that the answer exists in; empty: it did not say
}

// fail answers with a problem document.
func (c *call) fail(err error) {
	c.server.failAs(c.w, c.r, err, c.requestID)
}

// name names the request, after its session was looked for: a world names its own, those for its tokens too.
func (c *call) name() {
	if c.session.Watch != nil {
		c.requestID = c.session.Watch.NewRequestID()
	} else {
		c.requestID = c.server.nameRequest(c.r)
	}
	c.w.Header()[headerRequestID] = []string{c.requestID}
}

// run checks everything that the contract asks of any request that is authorized, then answers it.
func (c *call) run(handle handler) error {
	if err := c.accept(); err != nil {
		return err
	}
	if err := c.checkQuery(); err != nil {
		return err
	}
	return handle(c)
}

// authorize opens the session of the presented token, for operations that ask for one.
func (c *call) authorize() error {
	if c.op.Access != contract.Bearer {
		return nil
	}
	token, err := bearerToken(c.r.Header.Values("Authorization"))
	if err != nil {
		return err
	}
	session, err := c.server.Identity.OpenSession(c.r.Context(), token)
	if err != nil {
		return invalidToken(err)
	}
	c.token, c.session = token, session
	if session.Expired != nil && !c.op.IsSandbox() { // advancing the clock must lock nobody out
		return invalidToken(session.Expired)
	}
	c.w.Header()["Cache-Control"] = noStore
	c.nameWorld(session.World)
	if c.op.Scope != "" && !slices.Contains(session.Scopes, c.op.Scope) {
		return outOfScope(c.op.Scope, "The operation needs the scope "+c.op.Scope+".")
	}
	return nil
}

// reauthorize refuses a token that expired or was revoked since the request began. A service that stops answers what it held
// all the same.
func (c *call) reauthorize() error {
	session, err := c.server.Identity.OpenSession(context.WithoutCancel(c.r.Context()), c.token)
	if err == nil && session.Expired != nil {
		err = session.Expired
	}
	return invalidToken(err)
}

// nameWorld names the life of the world that the answer is of. A service that plays another one does not show a world.
func (c *call) nameWorld(instance string) {
	if !c.server.IgnoreIdempotencyKeys {
		c.w.Header()[headerWorld] = []string{instance}
	}
}

// accept checks that the client takes the form that the answer will have (RFC 9110 section 12.5.1).
func (c *call) accept() error {
	accepts := c.r.Header.Values("Accept")
	if len(accepts) == 0 {
		return nil
	}
	forms := []string{mediaJSON}
	switch c.op {
	case &contract.GetOpenAPIDocumentYAML:
		forms = []string{mediaYAML}
	case &contract.ListEvents:
		forms = append(forms, mediaEventStream)
	}
	accept, best := strings.Join(accepts, ","), 0.0
	for _, form := range forms {
		if q := quality(accept, form); q > best {
			best, c.form = q, form
		}
	}
	if best == 0 {
		return payments.Refuse(payments.KindNotAcceptable, "The answer exists as %s only.", strings.Join(forms, " and "))
	}
	return nil
}

func (c *call) checkQuery() error {
	if c.r.URL.RawQuery == "" {
		return nil
	}
	query, err := parseQuery(c.r.URL.RawQuery)
	if err != nil {
		return err
	}
	fields := c.offending(c.op.ValidateQuery(query))
	if len(fields) == 0 {
		return nil
	}
	refusal := payments.Invalid(fields)
	refusal.Detail = "The request's query failed validation."
	return refusal
}

// offending are the fields that a report names. Unknown ones offend only under strict validation.
func (c *call) offending(report contract.Report) payments.FieldErrors {
	fields := payments.FieldErrors(report.Errors)
	if c.server.Strict {
		for _, name := range report.Unknown {
			if fields == nil {
				fields = payments.FieldErrors{}
			}
			fields.Add(name, "The "+name+" field is not known.")
		}
	}
	return fields
}
