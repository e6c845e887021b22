package client

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// A service, or a cache before it, that answers with something else than was asked for must not lead money or data to
// another account or contact.
func TestAResponseToAnotherRequestIsNotUsed(t *testing.T) {
	t.Parallel()
	account := payments.NewAccount{ExternalID: "mine"}
	contact := payments.NewSavedContact{ExternalID: "mine", AccountID: "acc_1"}
	for name, c := range map[string]struct {
		answer, fault string
		call          func(context.Context, *Client) error
	}{
		"get account": {`{"id":"acc_2"}`, `its id is "acc_2", and not "acc_1"`, func(ctx context.Context, c *Client) error {
			_, err := c.GetAccount(ctx, "acc_1", payments.ReadOptions{})
			return err
		}},
		"get contact": {`{"id":"sct_2"}`, `its id is "sct_2", and not "sct_1"`, func(ctx context.Context, c *Client) error {
			_, err := c.GetSavedContact(ctx, "sct_1", payments.ReadOptions{})
			return err
		}},
		"get transfer": {`{"id":"trf_2"}`, `its id is "trf_2", and not "trf_1"`, readCall},
		"cancel":       {`{"id":"trf_2"}`, `id: there trf_2, here trf_1`, cancelCall},
		"update account": {`{"id":"acc_2"}`, `id: there acc_2, here acc_1`, func(ctx context.Context, c *Client) error {
			_, err := c.UpdateAccount(ctx, "acc_1", payments.AccountPatch{}, testKey{})
			return err
		}},
		"update contact": {`{"id":"sct_2"}`, `id: there sct_2, here sct_1`, func(ctx context.Context, c *Client) error {
			_, err := c.UpdateSavedContact(ctx, "sct_1", payments.SavedContactPatch{}, testKey{})
			return err
		}},
		"create account": {`{"id":"acc_2","externalId":"Mine"}`, `external id: there Mine, here mine`,
			func(ctx context.Context, c *Client) error {
				_, err := c.CreateAccount(ctx, account, testKey{})
				return err
			}},
		"create contact": {`{"id":"sct_2","externalId":"other"}`, `external id: there other, here mine`,
			func(ctx context.Context, c *Client) error {
				_, err := c.CreateSavedContact(ctx, contact, testKey{})
				return err
			}},
		"create contact of an account": {`{"id":"sct_2","accountId":"acc_2"}`, `accountId: there acc_2, here acc_1`,
			func(ctx context.Context, c *Client) error {
				_, err := c.CreateSavedContact(ctx, contact, testKey{})
				return err
			}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { replyJSON(w, 200, c.answer) })
			client, _ := connect(t, s.URL)
			require.ErrorContains(t, c.call(t.Context(), client), c.fault)
		})
	}
}
