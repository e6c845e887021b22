package client

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// row returns the request of a row of a batch.
func row() payments.NewAutoTransfer {
	amount, err := payments.ParseDecimal("12.50")
	if err != nil {
		panic(err)
	}
	return payments.NewAutoTransfer{
		Route: payments.RouteChoice{RouteKey: "a:X->b:Y"}, Reference: "Inv 1", BatchID: "bat_1", Amount: &amount, AmountType: payments.AmountTypeSource,
	}
}

// A response that shows no transfer, or another one, leaves the outcome unknown.
func TestResponsesToAnAutoTransfer(t *testing.T) {
	t.Parallel()
	type create = func(context.Context, *Client, testKey) (payments.WriteResult[payments.Transfer], error)
	single := func(
		ctx context.Context, c *Client, key testKey,
	) (payments.WriteResult[payments.Transfer], error) {
		return c.CreateAutoTransfer(ctx, row(), key)
	}
	for name, c := range map[string]struct {
		status int
		body   string
		done   bool
	}{
		"made":                        {201, `{"id":"trf_1","state":"awaiting_funds","reference":"Inv 1","amount":"12.50","batchId":"bat_1"}`, true},
		"200":                         {200, `{"id":"trf_1","reference":"Inv 1"}`, true},
		"without what it was given":   {201, `{"id":"trf_1"}`, true},
		"null":                        {201, `{"id":"trf_1","reference":null,"amount":null}`, true},
		"an amount of other digits":   {201, `{"id":"trf_1","reference":"Inv 1","amount":"12.5"}`, true},
		"a reference in another case": {201, `{"id":"trf_1","reference":"INV 1","amount":"12.50"}`, false},
		"with spaces around it":       {201, `{"id":"trf_1","reference":" Inv 1","amount":"12.50"}`, false},
		"unknown members":             {201, `{"new":[{"a":1}],"id":"trf_1","flow":"a new one"}`, true},
		"another's reference":         {201, `{"id":"trf_1","reference":"Inv 2","amount":"12.50"}`, false},
		"another amount":              {201, `{"id":"trf_1","reference":"Inv 1","amount":"12.51"}`, false},
		"no identifier":               {201, `{"state":"awaiting_funds"}`, false},
		"an empty one":                {201, `{"id":""}`, false},
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
			for _, call := range []create{single} {
				client, _ := connect(t, s.URL)
				result, err := call(t.Context(), client, testKey{Key: "k-1"})
				if c.done {
					require.NoError(t, err)
					require.Equal(t, "trf_1", result.Value.ID)
					continue
				}
				require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
				require.Empty(t, result.Value.ID)
			}
			require.Equal(t, 1, s.count())
		})
	}
}
