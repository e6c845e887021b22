package client

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// row is what a row of a batch asks for.
func row() payments.NewAutoTransfer {
	amount, err := payments.ParseDecimal("12.50")
	if err != nil {
		panic(err)
	}
	return payments.NewAutoTransfer{Route: "a:X->b:Y", Reference: "Inv 1", BatchID: "bat_1", Amount: &amount, AmountType: payments.AmountTypeSource}
}

// singleCall makes the same transfer by itself.
func singleCall(ctx context.Context, c *Client) error {
	_, err := c.CreateAutoTransfer(ctx, row(), payments.Idempotency{Key: "k-1"})
	return err
}

// preparedCall makes the transfer of a row of a batch.
func preparedCall(ctx context.Context, c *Client) error {
	prepared, err := c.PrepareAutoTransfer(row(), payments.Idempotency{Key: "k-1"})
	if err != nil {
		return err
	}
	_, err = c.SendAutoTransfer(ctx, prepared)
	return err
}

// Of the answer to a row only some is made sense of. What is no transfer, or another one, is not taken for the row's, nor for
// that of a single line.
func TestWhatIsTakenForTheTransferOfARow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		body   string
		done   bool
	}{
		"made":                        {201, `{"id":"trf_1","state":"awaiting_funds","reference":"Inv 1","amount":"12.50","batchId":"bat_1"}`, true},
		"200":                         {200, `{"id":"trf_1","reference":"Inv 1"}`, true},
		"without what it was given":   {201, `{"id":"trf_1"}`, true},
		"null":                        {201, `{"id":"trf_1","reference":null,"amount":null}`, true},
		"written otherwise":           {201, `{"id":"trf_1","reference":" INV 1","amount":"12.5"}`, true},
		"unknown members":             {201, `{"new":[{"a":1}],"id":"trf_1","amountType":"a new one"}`, true},
		"another's reference":         {201, `{"id":"trf_1","reference":"Inv 2","amount":"12.50"}`, false},
		"another amount":              {201, `{"id":"trf_1","reference":"Inv 1","amount":"12.51"}`, false},
		"no identifier":               {201, `{"state":"awaiting_funds"}`, false},
		"an empty one":                {201, `{"id":""}`, false},
		"a number for one":            {201, `{"id":17}`, false},
		"an object for one":           {201, `{"id":{"id":"trf_1"}}`, false},
		"null for one":                {201, `{"id":null}`, false},
		"of another case":             {201, `{"ID":"trf_1"}`, false},
		"wrapped":                     {201, `{"data":{"id":"trf_1"}}`, false},
		"twice":                       {201, `{"id":"trf_1","id":"trf_2"}`, false},
		"another member twice":        {201, `{"id":"trf_1","fees":[{"a":1,"a":2}]}`, false},
		"cut":                         {201, `{"id":"trf_1","state":"awaiting`, false},
		"cut behind a member":         {201, `{"id":"trf_1"`, false},
		"something behind":            {201, `{"id":"trf_1"}{"id":"trf_2"}`, false},
		"no JSON in what is not used": {201, `{"id":"trf_1","fees":[1,,2]}`, false},
		"no UTF-8 in what is unused":  {201, "{\"id\":\"trf_1\",\"memo\":\"\xff\"}", false},
		"a list":                      {201, `[{"id":"trf_1"}]`, false},
		"nothing":                     {201, "", false},
		"no content":                  {204, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { replyJSON(w, c.status, c.body) })
			for _, call := range []func(context.Context, *Client) error{preparedCall, singleCall} {
				entry, err := newMachine(t).call(s.URL, call)
				if c.done {
					require.NoError(t, err)
					require.Equal(t, payments.OutcomeDone, entry.Outcome)
					require.Equal(t, "trf_1", entry.Subject)
					continue
				}
				require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
				require.Equal(t, payments.OutcomeUnknown, entry.Outcome)
				require.Empty(t, entry.Subject)
			}
		})
	}
}

// A service may name what was given no name.
func TestAReferenceThatTheServiceMakesUp(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		replyJSON(w, 201, `{"id":"trf_1","reference":"P-000017","amount":"12.50"}`)
	})
	entry, err := newMachine(t).call(s.URL, func(ctx context.Context, c *Client) error {
		nameless := row()
		nameless.Reference, nameless.ExternalID = "", "mine-1"
		_, err := c.CreateAutoTransfer(ctx, nameless, payments.Idempotency{Key: "k-1"})
		return err
	})
	require.NoError(t, err)
	require.Equal(t, payments.OutcomeDone, entry.Outcome)
}

// lostAndFound is what becomes of a row whose answer was lost and that is sent again when its key is too old to be relied on, where
// its reference leads to a transfer with those members too.
func lostAndFound(t *testing.T, members string) (payments.JournalEntry, error) {
	t.Helper()
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if r.Method == http.MethodPost {
			hangUp(w)
			return
		}
		replyJSON(w, 200, `{"data":[{"id":"trf_1","reference":"Inv 1",`+members+`}],"nextCursor":null}`)
	})
	m := newMachine(t)
	_, err := m.call(s.URL, preparedCall)
	require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
	m.pass(25 * time.Hour)
	return m.call(s.URL, preparedCall)
}

// The transfer that a row's reference leads to may be one that another batch made, with another content, or one of the same
// batch with another amount, as another machine that went on with the batch made it: a row that was put down and may never
// have left is not done by it.
func TestARowWhoseReferenceAnotherTransferHas(t *testing.T) {
	t.Parallel()
	for members, done := range map[string]bool{
		`"batchId":"bat_1"`: true, `"batchId":"bat_2"`: false, `"batchId":""`: true, `"batchId":null`: true,

		`"batchId":"bat_1","amount":"12.50"`: true, `"batchId":"bat_1","amount":"12.5"`: true,
		`"batchId":"bat_1","amount":null`: true, `"batchId":"bat_1","amount":"10"`: false,
	} {
		entry, err := lostAndFound(t, members)
		if done {
			require.NoError(t, err, members)
			require.Equal(t, payments.OutcomeDone, entry.Outcome)
			continue
		}
		require.Equal(t, payments.KindAlreadySent, kindOf(t, err))
		require.ErrorContains(t, err, "trf_1")
		require.Equal(t, payments.OutcomeUnknown, entry.Outcome)
	}
}
