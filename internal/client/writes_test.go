package client

import (
	"context"
	"net/http"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/payments"
)

// A testKey has the parameters with which a test sends a write.
type testKey struct {
	Key     string
	MaySend effect.SendCheck
	Lost    error
	Match   string
}

// A notSentError is the error of a write that was not sent.
type notSentError struct{ error }

func (e *notSentError) Unwrap() error { return e.error }

// sendTest sends a write as package outbox does.
func sendTest[T any](
	ctx context.Context, c *Client, operation string, body any, key testKey, params ...string,
) (made payments.WriteResult[T], err error) {
	w := effect.Request{
		Operation: operation, Params: params, Key: key.Key, MaySend: key.MaySend, Lost: key.Lost, Match: key.Match,
	}
	if body != nil {
		if w.Body, err = json.Marshal(body, json.Deterministic(true)); err != nil {
			return made, err
		}
	}
	result := c.Send(ctx, w)
	switch result.Outcome {
	case effect.Done:
		_ = json.Unmarshal(result.Document, &made.Value)
		made.Replayed = result.Replayed
		return made, nil
	case effect.NotSent:
		if result.Response == nil {
			return made, &notSentError{result.Err}
		}
	}
	return made, result.Err
}

func (c *Client) CreateAutoTransfer(
	ctx context.Context, transfer payments.NewAutoTransfer, key testKey,
) (payments.WriteResult[payments.Transfer], error) {
	return sendTest[payments.Transfer](ctx, c, "createAutoTransfer", transfer, key)
}

func (c *Client) CancelTransfer(
	ctx context.Context, id string, key testKey,
) (payments.WriteResult[payments.Transfer], error) {
	return sendTest[payments.Transfer](ctx, c, "cancelTransfer", nil, key, id)
}

// A 2xx with a JSON object is the answer to a write, whatever its members: package outbox checks them. Any other body
// leaves the outcome unknown.
func TestResponsesToAWrite(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		body   string
		id     string // in the answer
		done   bool
	}{
		"made":                        {201, `{"id":"trf_1","state":"awaiting_funds","reference":"Inv 1","amount":"12.50","batchId":"bat_1"}`, "trf_1", true},
		"200":                         {200, `{"id":"trf_1"}`, "trf_1", true},
		"202":                         {202, `{"id":"trf_1"}`, "trf_1", true},
		"another payment":             {201, `{"id":"trf_1","reference":"Inv 2","amount":"12.51"}`, "trf_1", true},
		"errors":                      {200, `{"id":"trf_1","errors":["no"]}`, "trf_1", true},
		"unknown members":             {201, `{"new":[{"a":1}],"id":"trf_1","flow":"a new one"}`, "trf_1", true},
		"no identifier":               {201, `{"state":"awaiting_funds"}`, "", true},
		"an empty one":                {201, `{"id":""}`, "", true},
		"an object for one":           {201, `{"id":{"id":"trf_1"}}`, "", true},
		"null for one":                {201, `{"id":null}`, "", true},
		"wrapped":                     {201, `{"data":{"id":"trf_1"}}`, "", true},
		"twice":                       {201, `{"id":"trf_1","id":"trf_2"}`, "", false},
		"another member twice":        {201, `{"id":"trf_1","fees":[{"a":1,"a":2}]}`, "", false},
		"cut":                         {201, `{"id":"trf_1","state":"awaiting`, "", false},
		"cut behind a member":         {201, `{"id":"trf_1"`, "", false},
		"something behind":            {201, `{"id":"trf_1"}{"id":"trf_2"}`, "", false},
		"no JSON in what is not used": {201, `{"id":"trf_1","fees":[1,,2]}`, "", false},
		"no UTF-8 in what is unused":  {201, "{\"id\":\"trf_1\",\"memo\":\"\xff\"}", "", false},
		"a list":                      {201, `[{"id":"trf_1"}]`, "", false},
		"a text":                      {201, `"trf_1"`, "", false},
		"null":                        {201, `null`, "", false},
		"nothing":                     {201, "", "", false},
		"no content":                  {204, "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { replyJSON(w, test.status, test.body) })
			c, _ := connect(t, s.URL)
			result := c.Send(t.Context(), effect.Request{Operation: "createAutoTransfer", Body: []byte(`{}`), Key: "k-1"})
			require.Equal(t, test.id, result.Subject)
			require.Equal(t, test.status, result.Response.Status, "the answer is kept")
			if test.done {
				require.Equal(t, effect.Done, result.Outcome)
				require.JSONEq(t, test.body, string(result.Document))
			} else {
				require.Equal(t, payments.ProblemOutcomeUnknown, kindOf(t, result.Err))
				require.Equal(t, effect.Unknown, result.Outcome)
			}
			require.Equal(t, 1, s.count())
		})
	}
}
