package service_test

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/routes"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store/memory"
)

// withoutACH is the built-in catalogue without the rail ach.
func withoutACH(t *testing.T) *routes.Catalogue {
	t.Helper()
	text, err := os.ReadFile("../routes/catalogue.yaml")
	require.NoError(t, err)
	var kept []string
	for line := range strings.Lines(string(text)) {
		if !strings.Contains(line, "ach:") && !strings.Contains(line, "rail: ach,") {
			line = strings.ReplaceAll(line, "ach, ", "")
			kept = append(kept, line)
		}
	}
	file := filepath.Join(t.TempDir(), "catalogue.yaml")
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(kept, "")), 0o600))
	less, err := routes.Load(file)
	require.NoError(t, err)
	return less
}

// A store may be opened with another catalogue than the one that its transfers were made by. Nothing else in the world
// stands still because of them.
func TestCatalogueWithoutTheRouteOfATransfer(t *testing.T) {
	t.Parallel()
	kept := memory.New()
	before := newWorld(t, kept, "client")
	before.approved(t)
	contact := before.save(t, "base", "USDC", "Grace")
	review := before.save(t, "base", "USDC", "Grace+transfer-review")
	unfunded := before.save(t, "base", "USDC", "Grace+transfer-unfunded")
	fixed := before.send(t, to(contact, achToBase, "100.00"))
	flexible := before.send(t, to(contact, achToBase, ""))
	reviewed := before.send(t, to(review, achToBase, ""))
	waiting := before.send(t, to(unfunded, achToBase, ""))
	settled := before.send(t, to(unfunded, achToBase, "5.00"))
	wrong := before.send(t, to(unfunded, achToBase, "6.00"))
	unsettled := before.send(t, to(unfunded, achToBase, ""))

	clock := sandbox.NewManualClock(before.clock.Now())
	after := &world{service.New(audited{kept, t}, "client", withoutACH(t), clock, script, service.NewIDs(rand.Reader)), clock}
	_, err := after.SetSandboxTransferState(background, waiting.ID, payments.SandboxTransferState{State: payments.TransferStateFundsReceived})
	requireRefused(t, err, payments.KindConflict)
	deposit := func(transfer payments.Transfer) payments.Transfer {
		written, err := after.CreateSandboxDeposit(background, transfer.ID, payments.SandboxDeposit{Amount: payments.MustDecimal("5.00")}, once)
		require.NoError(t, err)
		return written.Value
	}
	require.Equal(t, payments.TransferStateFundsReceived, deposit(settled).State)
	for transfer, reason := range map[*payments.Transfer]string{&wrong: service.ReasonFundingMismatch, &unsettled: service.ReasonRouteUnavailable} {
		failed := deposit(*transfer)
		require.Equal(t, payments.TransferStateFailed, failed.State)
		require.Equal(t, reason, *failed.FailureReason)
		require.Equal(t, "5.00", failed.Refund.Amount.String(), "what came goes back")
	}

	after.advance(t, time.Minute)
	for _, id := range []string{fixed.ID, settled.ID} {
		require.Equal(t, payments.TransferStatePaymentProcessed, after.transfer(t, id).State, "its price was settled")
	}
	for _, id := range []string{flexible.ID, reviewed.ID} {
		transfer := after.transfer(t, id)
		require.Equal(t, payments.TransferStateFailed, transfer.State)
		require.Equal(t, service.ReasonRouteUnavailable, *transfer.FailureReason)
		require.Nil(t, transfer.Refund, "nothing was taken")
	}
	after.advance(t, sandbox.FundingLifetime)
	require.Equal(t, payments.TransferStateExpired, after.transfer(t, waiting.ID).State)
}
