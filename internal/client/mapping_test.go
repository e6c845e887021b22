package client

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// TestEveryAssumedOperationCanBeMapped calls a service that has all assumed operations at other paths.
func TestEveryAssumedOperationCanBeMapped(t *testing.T) {
	t.Parallel()
	key := testKey{Key: "k"}
	calls := map[string]func(context.Context, *Client) error{
		"describeAccessToken": func(ctx context.Context, c *Client) error { _, err := c.DescribeAccessToken(ctx, "t"); return err },
		"revokeAccessToken":   func(ctx context.Context, c *Client) error { return c.RevokeAccessToken(ctx, "t") },
		"createAccount": func(ctx context.Context, c *Client) error {
			_, err := c.CreateAccount(ctx, payments.NewAccount{}, key)
			return err
		},
		"listAccounts": func(ctx context.Context, c *Client) error {
			_, err := c.ListAccounts(ctx, payments.AccountFilter{})
			return err
		},
		"getAccount": func(ctx context.Context, c *Client) error {
			_, err := c.GetAccount(ctx, "x", payments.ReadOptions{})
			return err
		},
		"updateAccount": func(ctx context.Context, c *Client) error {
			_, err := c.UpdateAccount(ctx, "x", payments.AccountPatch{}, key)
			return err
		},
		"getKycStatus": func(ctx context.Context, c *Client) error {
			_, err := c.GetKYCStatus(ctx, "x", payments.ReadOptions{})
			return err
		},
		"submitKyc": func(ctx context.Context, c *Client) error {
			_, err := c.SubmitKYC(ctx, "x", payments.KYCSubmission{}, key)
			return err
		},
		"createSavedContact": func(ctx context.Context, c *Client) error {
			_, err := c.CreateSavedContact(ctx, payments.NewSavedContact{}, key)
			return err
		},
		"listSavedContacts": func(ctx context.Context, c *Client) error {
			_, err := c.ListSavedContacts(ctx, payments.SavedContactFilter{})
			return err
		},
		"getSavedContact": func(ctx context.Context, c *Client) error {
			_, err := c.GetSavedContact(ctx, "x", payments.ReadOptions{})
			return err
		},
		"updateSavedContact": func(ctx context.Context, c *Client) error {
			_, err := c.UpdateSavedContact(ctx, "x", payments.SavedContactPatch{}, key)
			return err
		},
		"deleteSavedContact": func(ctx context.Context, c *Client) error { return c.DeleteSavedContact(ctx, "x") },
		"listTransfers": func(ctx context.Context, c *Client) error {
			_, err := c.ListTransfers(ctx, payments.TransferFilter{})
			return err
		},
		"getTransfer": func(ctx context.Context, c *Client) error {
			_, err := c.GetTransfer(ctx, "x", payments.ReadOptions{})
			return err
		},
		"cancelTransfer": func(ctx context.Context, c *Client) error { _, err := c.CancelTransfer(ctx, "x", key); return err },
		"listEvents": func(ctx context.Context, c *Client) error {
			_, err := c.ListEvents(ctx, payments.EventFilter{})
			return err
		},
	}
	for _, op := range contract.Operations {
		if op.Origin != contract.Assumed || op.Access != contract.Bearer || strings.HasPrefix(op.Path, "/sandbox/") {
			continue
		}
		require.Contains(t, calls, op.ID, "a new operation needs a call here")
		elsewhere, parameter := "/moved/"+op.ID, ""
		if strings.Contains(op.Path, "{") {
			elsewhere, parameter = elsewhere+"/{id}/v7", "/x/v7"
		}
		s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
			replyJSON(w, 200, `{"id":"x","state":"s","status":"s","accountId":"x","kycStatus":"s","data":[],"nextCursor":null,"cursor":"c","expiresAt":"2026-01-01T00:00:00Z"}`)
		})
		c, _ := connect(t, s.URL, mapped(op.ID, "PUT "+elsewhere))
		require.NoError(t, calls[op.ID](t.Context(), c), op.ID)
		require.Equal(t, "PUT /moved/"+op.ID+parameter, s.request(0).Method+" "+s.request(0).URL.Path)
	}
}
