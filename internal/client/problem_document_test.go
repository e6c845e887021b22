package client

import (
	"cmp"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

func TestProblemDocuments(t *testing.T) {
	t.Parallel()
	const own, plain = "application/problem+json; charset=utf-8", "application/json"
	type problem = payments.Problem
	const teapot = "I'm a teapot"
	tests := map[string]struct {
		contentType, body string
		want              *problem // without the status, and without the type about:blank; nil means no problem
	}{
		"as published": {own, `{"type":"https://x.test/problems/validation-error","title":"Validation errors occurred.",
			"status":400,"detail":"d","instance":"/i","requestId":"r","traceId":"t","errors":{"route":["It is required."]},
			"extra":true}`,
			&problem{
				Type: "https://x.test/problems/validation-error", Title: "Validation errors occurred.", Detail: "d", Instance: "/i",
				RequestID: "r", TraceID: "t", Errors: payments.FieldErrors{"route": {"It is required."}},
			}},
		"empty object": {own, `{}`, &problem{Title: teapot}},
		"as JSON":      {plain, `{"title":"T","status":400}`, &problem{Title: "T"}},
		"wrong types": {own, `{"type":1,"title":null,"status":"400","detail":"d","errors":[]}`,
			&problem{Type: "1", Title: teapot, Detail: "d"}},
		"one message a field": {own, `{"errors":{"a":"m","b":["n","o"],"c":7}}`,
			&problem{Title: teapot, Errors: payments.FieldErrors{"a": {"m"}, "b": {"n", "o"}, "c": {"7"}}}},
		"a list of errors": {own, `{"errors":[{"detail":"m","pointer":"#/bank/iban"},{"field":"a","message":"n"},"x"]}`,
			&problem{Title: teapot, Errors: payments.FieldErrors{"bank/iban": {"m"}, "a": {"n"}}}},
		"another JSON":      {plain, `{"message":"Forbidden","status":"no"}`, nil},
		"one member":        {plain, `{"title":"T"}`, nil},
		"null":              {own, `null`, nil},
		"an array":          {own, `[]`, nil},
		"malformed":         {own, `{"title":`, nil},
		"duplicate members": {own, `{"title":"T","title":"U"}`, nil},
		"as text":           {"text/plain", `{"type":"a","title":"T","status":400}`, nil},
		"nothing":           {own, ``, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
				w.Header().Set("Retry-After", "7")
				w.Header().Set("Allow", "GET, HEAD")
				w.Header().Set("WWW-Authenticate", "Bearer")
				reply(w, http.StatusTeapot, test.contentType, test.body)
			})
			c, _ := connect(t, s.URL)
			refusal := refusalIn(t, readCall(t.Context(), c))
			// The header fields count with and without a document.
			require.Equal(t, 7*time.Second, refusal.RetryAfter)
			require.Equal(t, []string{"GET", "HEAD"}, refusal.Allow)
			require.Equal(t, "Bearer", refusal.Challenge)
			require.Equal(t, http.StatusTeapot, refusal.Status, "the status line decides")
			if test.want == nil {
				require.Equal(t, payments.ProblemRefused, refusal.ProblemType())
				require.Nil(t, refusal.Document)
				return
			}
			test.want.Status, test.want.Type = http.StatusTeapot, cmp.Or(test.want.Type, "about:blank")
			require.Equal(t, *test.want, refusal.Problem)
			require.Equal(t, test.body, string(refusal.Document), "as it was received")
		})
	}
}

// The message of an error is shown in whatever format it has, without personal data.
func TestErrorsWithoutAProblemDocument(t *testing.T) {
	t.Parallel()
	for contentType, body := range map[string]string{
		"application/json":        `{"error":{"code":7,"message":"No such thing, a@b.example."}}`,
		"application/xml":         `<error><code>7</code><message>No such thing, a@b.example.</message></error>`,
		"application/problem+xml": `<problem xmlns="urn:ietf:rfc:7807"><detail>No such thing, a@b.example.</detail></problem>`,
		"text/plain":              "No such\nthing, a@b.example.",
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { reply(w, http.StatusTeapot, contentType, body) })
		c, _ := connect(t, s.URL)
		refusal := refusalIn(t, readCall(t.Context(), c))
		require.Contains(t, refusal.Detail, "No such thing", contentType)
		require.NotContains(t, refusal.Detail, "a@b.example", contentType)
	}
}

// A list without its rows must not pass for an empty list: a write that is not found in a list may be sent again.
func TestListsHaveRows(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{}`, `{"data":null,"nextCursor":null}`, `{"items":[],"others":[]}`} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { replyJSON(w, 200, body) })
		c, _ := connect(t, s.URL)
		_, err := c.ListTransfers(t.Context(), payments.TransferFilter{})
		require.Equal(t, payments.ProblemUnusable, kindOf(t, err), body)
		_, err = c.ListAccounts(t.Context(), payments.AccountFilter{})
		require.Equal(t, payments.ProblemUnusable, kindOf(t, err), body)
		_, err = c.ListSavedContacts(t.Context(), payments.SavedContactFilter{})
		require.Equal(t, payments.ProblemUnusable, kindOf(t, err), body)
	}
}
