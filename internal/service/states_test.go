package service_test

import (
	"errors"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/service"
)

var (
	kycTags      = []string{"", "+kyc-rejected", "+kyc-under-review", "+kyc-resubmission", "+kyc-incomplete", "+kyc-expired", "+kyc-paused", "+kyc-stuck"}
	transferTags = []string{"", "+transfer-failed", "+transfer-returned", "+transfer-undeliverable", "+transfer-slow", "+transfer-review"}
)

// Whatever clients do in whatever order, the audit of every write holds, and whatever is not done is refused.
func TestNothingLeavesTheStateTables(t *testing.T) {
	t.Parallel()
	var visited = map[payments.TransferState]bool{}
	rapid.Check(t, func(t *rapid.T) {
		w := empty(t)
		accounts := []string{w.approved(t).ID}
		var contacts, transfers []string
		pick := func(from []string, what string) string {
			if len(from) == 0 || rapid.IntRange(0, 19).Draw(t, "no "+what) == 19 {
				return "none"
			}
			return rapid.SampledFrom(from).Draw(t, what)
		}
		all := w.routesOf(t, payments.RouteSelection{})
		refusable := func(err error) {
			var refusal *payments.ProblemError
			require.True(t, err == nil || errors.As(err, &refusal), "%v", err)
		}
		for range rapid.IntRange(10, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 8).Draw(t, "step") {
			case 0:
				request := person("ada" + rapid.SampledFrom(kycTags).Draw(t, "tag") + "@example.com")
				if rapid.Bool().Draw(t, "business") {
					request.Type, request.LegalName = payments.AccountTypeBusiness, "Analytical Engines"
					request.RegistrationNumber = rapid.SampledFrom([]string{"", "01234567"}).Draw(t, "number")
				}
				account, err := w.CreateAccount(background, request, once)
				require.NoError(t, err)
				accounts = append(accounts, account.Value.ID)
			case 1:
				route := rapid.SampledFrom(all).Draw(t, "route")
				key, err := payments.ParseRouteKey(route)
				require.NoError(t, err)
				request := contactTo(t, key.DestinationRail, key.DestinationCurrency, "Grace"+rapid.SampledFrom(transferTags).Draw(t, "label"))
				request.AccountID = pick(accounts, "account")
				contact, err := w.CreateSavedContact(background, request, once)
				refusable(err)
				if err == nil {
					contacts = append(contacts, contact.Value.ID)
				}
			case 2, 3:
				id := pick(contacts, "contact")
				request := payments.NewAutoTransfer{DestinationSavedContactID: id, Route: payments.RouteChoice{RouteKey: rapid.SampledFrom(all).Draw(t, "route")}}
				if contact, err := w.GetSavedContact(background, id, service.ReadOptions{}); err == nil && rapid.IntRange(0, 9).Draw(t, "wrong route") < 9 {
					request.Route.RouteKey = rapid.SampledFrom(w.routesOf(t, routesTo(contact.Value))).Draw(t, "route to it")
				}
				if rapid.Bool().Draw(t, "fixed") {
					request.Amount = new(money.MustDecimal(rapid.StringMatching(`[1-9][0-9]{0,4}(\.[0-9]{1,2})?`).Draw(t, "amount")))
					request.AmountType = rapid.SampledFrom([]payments.AmountType{"", payments.AmountTypeSource, payments.AmountTypeTarget}).Draw(t, "side")
				}
				transfer, err := w.CreateAutoTransfer(background, request, once)
				refusable(err)
				if err == nil {
					transfers = append(transfers, transfer.Value.ID)
				}
			case 4:
				_, err := w.CancelTransfer(background, pick(transfers, "transfer"), once)
				refusable(err)
			case 5:
				id := pick(accounts, "account")
				kyc, err := w.GetKYCStatus(background, id, service.ReadOptions{})
				refusable(err)
				var submission payments.KYCSubmission
				for _, r := range kyc.Value.Requirements {
					submission.Requirements = append(submission.Requirements, payments.KYCAnswer{Name: r.Name, Value: "01234567"})
				}
				_, err = w.SubmitKYC(background, id, submission, once)
				refusable(err)
			case 6:
				refusable(w.DeleteSavedContact(background, pick(contacts, "contact")))
			default:
				w.advance(t, time.Duration(rapid.IntRange(0, 30).Draw(t, "tenths"))*100*time.Millisecond)
			}
		}
		w.advance(t, time.Hour)
		for _, id := range transfers {
			transfer := w.transfer(t, id)
			visited[transfer.State] = true
			require.Equal(t, transfer.State.Failed(), transfer.ExpectedSettlementAt == nil, "%s expects settlement at %v", transfer.State, transfer.ExpectedSettlementAt)
		}
	})
	require.GreaterOrEqual(t, len(visited), 4, "%v", visited)
	if testing.Short() {
		return // few schedules may not reach each of these
	}
	for _, state := range []payments.TransferState{payments.TransferStatePaymentProcessed, payments.TransferStateFailed, payments.TransferStateRefunded, payments.TransferStateCanceled} {
		require.True(t, visited[state], "no transfer ended as %s; the test has become blind", state)
	}
}

func routesTo(contact payments.SavedContact) payments.RouteSelection {
	end := payments.RouteEndpoint{PaymentRail: &contact.PaymentRail, Currency: &contact.Currency}
	return payments.RouteSelection{SelectedDestination: &end}
}

func (w *world) routesOf(t require.TestingT, selection payments.RouteSelection) []string {
	text, err := w.SelectRoutes(background, selection)
	require.NoError(t, err)
	var info payments.TransferInfo
	require.NoError(t, json.Unmarshal(text, &info))
	var keys []string
	for _, route := range info.Routes {
		keys = append(keys, route.RouteKey)
	}
	return keys
}
