package transfer

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

// A ledger is a service that promises nothing: it has forgotten every idempotency key.
type ledger struct {
	payments.Service
	payments.EventStreamer
	transfers []payments.Transfer
}

func (*ledger) Authorize(context.Context) error { return nil }

func (*ledger) Encode(_ string, _ []string, body any) (string, []byte, error) {
	encoded, err := json.Marshal(body)
	return "/", encoded, err
}

func (*ledger) World() string                              { return "" }
func (*ledger) HonoursKeys(context.Context, bool) bool     { return false }
func (*ledger) KeepsReferencesUnique(context.Context) bool { return false }

func (l *ledger) ListTransfers(context.Context, payments.TransferFilter) (payments.TransferPage, error) {
	return payments.TransferPage{Data: l.transfers}, nil
}

func (l *ledger) SendAutoTransfer(
	ctx context.Context, n payments.NewAutoTransfer, _ []byte, key payments.Idempotency,
) (written payments.WriteResult[payments.Transfer], err error) {
	if err := key.MaySend(ctx, nil); err != nil {
		return written, err
	}
	written.Value = payments.Transfer{
		ID: fmt.Sprintf("trf_%d", len(l.transfers)), State: payments.TransferStateAwaitingFunds, Route: n.Route.RouteKey,
		DestinationSavedContactID: n.DestinationSavedContactID, Reference: n.Reference, ExternalID: n.ExternalID,
		Amount: n.Amount, AmountType: payments.AmountTypeSource,
	}
	l.transfers = append(l.transfers, written.Value)
	return written, nil
}

func TestAReferenceIsPaidOnceWithoutKeysAndJournal(t *testing.T) {
	t.Parallel()
	service := &ledger{}
	run := func(reference, amount string) (printed string, err error) {
		var out bytes.Buffer
		d := &cmdutil.Deps{
			Streams: &ui.Streams{Out: &out, Err: io.Discard}, Options: &cmdutil.Options{}, Now: time.Now,
			Enum:    func(string, string) []string { return nil },
			Missing: func(string, func(string) string) []string { return nil },
			Settings: func() (settings.Settings, error) {
				return settings.Settings{BaseURL: &url.URL{Scheme: "http", Host: "127.0.0.1"}, Output: "json"}, nil
			},
			Connect: func(options cmdutil.ClientOptions) (*outbox.Outbox, error) {
				require.Equal(t, cmdutil.ClientOptions{Timeout: 7 * time.Second}, options)
				// Each run is on another machine: its journal has no entry.
				writes := &journal.Journal{
					Path: filepath.Join(t.TempDir(), journal.FileName), Service: "https://api.example.com", Now: time.Now,
				}
				t.Cleanup(func() { require.NoError(t, writes.Close()) })
				return outbox.New(service, writes, outbox.Options{Now: time.Now}), nil
			},
		}
		cmd := newAuto(d)
		cmd.SetArgs([]string{"--contact", "sct_1", "--route", "base:USDC->sepa:EUR", "--amount", amount,
			"--reference", reference, "--timeout", "7s"})
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		err = cmd.ExecuteContext(t.Context())
		return out.String(), err
	}
	for range 2 {
		printed, err := run("invoice-42", "5")
		require.NoError(t, err)
		require.Contains(t, printed, `"trf_0"`)
		require.Len(t, service.transfers, 1)
	}
	_, err := run("invoice-42", "6")
	require.True(t, payments.IsKind(err, payments.KindReferenceReused), "%v", err)
	require.ErrorContains(t, err, "amount: there 5.00, here 6.00")
	require.Len(t, service.transfers, 1)

	for range 2 {
		_, err = run("", "5")
		require.NoError(t, err)
	}
	require.Len(t, service.transfers, 3, "nothing tells a repetition from another payment")
	require.NotEqual(t, service.transfers[1].ExternalID, service.transfers[2].ExternalID)
}
