package server

import (
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
}

// fail answers with a problem document.
func (c *call) fail(err error) {
	if c.session.NewRequestID == nil {
		c.server.fail(c.w, c.r, err)
		return
	}
	c.server.failAs(c.w, c.r, err, c.session.NewRequestID)
}

// run checks everything that the contract asks of any request, then answers it.
func (c *call) run(handle handler) error {
	if err := c.authorize(); err != nil {
		return err
	}
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
	if session.Expired != nil && !isSandbox(c.op) {
		return invalidToken(session.Expired)
	}
	c.w.Header().Set("Payctl-World", session.World)
	if c.op.Scope != "" && !slices.Contains(session.Scopes, c.op.Scope) {
		refusal := payments.Refuse(payments.KindInsufficientScope, "The operation needs the scope %s.", c.op.Scope)
		refusal.Challenge = `Bearer realm="payments", error="insufficient_scope", scope="` + c.op.Scope + `"`
		return refusal
	}
	c.token, c.session = token, session
	return nil
}

// accept checks that the client takes the form that the answer will have (RFC 9110 section 12.5.1).
func (c *call) accept() error {
	accepts := c.r.Header.Values("Accept")
	if len(accepts) == 0 {
		return nil
	}
	form := mediaJSON
	if c.op == &contract.GetOpenAPIDocumentYAML {
		form = mediaYAML
	}
	if !acceptable(strings.Join(accepts, ","), form) {
		return payments.Refuse(payments.KindNotAcceptable, "The answer exists as %s only.", form)
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
	report := c.op.ValidateQuery(query)
	return c.verdict(report, "The request's query failed validation.")
}

// verdict turns a report into a refusal. Unknown names count only under strict validation.
func (c *call) verdict(report contract.Report, detail string) error {
	fields := payments.FieldErrors(report.Errors)
	if c.server.Strict {
		for _, name := range report.Unknown {
			if fields == nil {
				fields = payments.FieldErrors{}
			}
			fields.Add(name, "The "+name+" field is not known.")
		}
	}
	if len(fields) == 0 {
		return nil
	}
	refusal := payments.Invalid(fields)
	refusal.Detail = detail
	return refusal
}
