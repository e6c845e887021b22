package service_test

import (
	"errors"
	"slices"
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
	kycTags = []string{
		"", "+kyc-rejected", "+kyc-under-review", "+kyc-resubmission", "+kyc-incomplete", "+kyc-expired", "+kyc-paused",
		"+kyc-stuck",
	}
	transferTags = []string{
		"", "+transfer-failed", "+transfer-returned", "+transfer-undeliverable", "+transfer-slow", "+transfer-review",
	}
)

// Whatever clients do, in any order, every write passes the audit, and every failure is a refusal. The events are
// exactly what was written, in order, whatever pages they are read in.
func TestNothingLeavesTheStateTables(t *testing.T) {
	t.Parallel()
	var visited = map[payments.TransferState]bool{}
	rapid.Check(t, func(t *rapid.T) {
		w := empty(t)
		accounts := []string{w.approved(t).ID}
		var contacts, transfers []string
		var read []payments.Event
		cursor := ""
		page := func() int {
			got := w.events(t, payments.EventFilter{After: cursor, Limit: rapid.IntRange(1, 5).Draw(t, "limit")})
			require.NotEmpty(t, got.Cursor)
			read, cursor = append(read, got.Data...), got.Cursor
			return len(got.Data)
		}
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
				accounts = append(accounts, must(w.CreateAccount(background, request, once)).Value.ID)
			case 1:
				key := must(payments.ParseRouteKey(rapid.SampledFrom(all).Draw(t, "route")))
				label := "Grace" + rapid.SampledFrom(transferTags).Draw(t, "label")
				request := contactTo(t, key.DestinationRail, key.DestinationCurrency, label)
				request.AccountID = pick(accounts, "account")
				contact, err := w.CreateSavedContact(background, request, once)
				refusable(err)
				if err == nil {
					contacts = append(contacts, contact.Value.ID)
				}
			case 2, 3:
				id, over := pick(contacts, "contact"), all
				contact, err := w.GetSavedContact(background, id, service.ReadOptions{})
				if err == nil && rapid.IntRange(0, 9).Draw(t, "wrong route") < 9 {
					over = w.routesOf(t, routesTo(contact.Value))
				}
				request := to(payments.SavedContact{ID: id}, rapid.SampledFrom(over).Draw(t, "route"), "")
				if rapid.Bool().Draw(t, "fixed") {
					amount := rapid.StringMatching(`[1-9][0-9]{0,4}(\.[0-9]{1,2})?`).Draw(t, "amount")
					sides := []payments.AmountType{"", payments.AmountTypeSource, payments.AmountTypeTarget}
					request.Amount = new(money.MustDecimal(amount))
					request.AmountType = rapid.SampledFrom(sides).Draw(t, "side")
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
					answer := payments.KYCAnswer{Name: r.Name, Value: "01234567"}
					submission.Requirements = append(submission.Requirements, answer)
				}
				_, err = w.SubmitKYC(background, id, submission, once)
				refusable(err)
			case 6:
				refusable(w.DeleteSavedContact(background, pick(contacts, "contact")))
			default:
				w.advance(t, time.Duration(rapid.IntRange(0, 30).Draw(t, "tenths"))*100*time.Millisecond)
				page()
			}
		}
		w.advance(t, time.Hour)
		for _, id := range transfers {
			transfer := w.transfer(id)
			visited[transfer.State] = true
			require.Equal(t, transfer.State.Failed(), transfer.ExpectedSettlementAt == nil, transfer.State)
		}
		for page() > 0 {
		}
		requireFeed(t, w, read)
	})
	require.GreaterOrEqual(t, len(visited), 3, "%v", visited)
	if testing.Short() {
		return // a few schedules may not reach all of these
	}
	for _, state := range []payments.TransferState{
		payments.TransferStatePaymentProcessed, payments.TransferStateFailed, payments.TransferStateRefunded,
		payments.TransferStateCanceled,
	} {
		require.True(t, visited[state], "no transfer ended as %s, so the test does not cover it", state)
	}
}

// requireFeed requires that all events are what was written, and that filters select the events that they match.
func requireFeed(t *rapid.T, w *world, all []payments.Event) {
	require.Len(t, all, len(*w.seen))
	for i, e := range all {
		require.Equal(t, (*w.seen)[i], summary(e), "event %d", i)
		if i > 0 {
			require.Greater(t, e.ID, all[i-1].ID, "identifiers sort like the events")
		}
	}
	last := all[len(all)-1].ID
	require.Equal(t, last, w.events(t, payments.EventFilter{After: payments.LatestEvent}).Cursor)

	some := rapid.SampledFrom(all)
	from := rapid.IntRange(0, len(all)-1).Draw(t, "from")
	subject := some.Draw(t, "about").SubjectID
	kinds := []payments.EventType{some.Draw(t, "type").Type}
	for _, filter := range []payments.EventFilter{
		{SubjectID: subject}, {SubjectID: subject, Types: kinds}, {Types: kinds},
	} {
		filter.After, filter.Limit = all[from].ID, 2
		var read []payments.Event
		for {
			got := w.events(t, filter)
			read, filter.After = append(read, got.Data...), got.Cursor
			if len(got.Data) == 0 {
				break
			}
		}
		others := func(e payments.Event) bool { return !filter.Matches(e) }
		expected := slices.DeleteFunc(slices.Clone(all[from+1:]), others)
		require.Equal(t, expected, append([]payments.Event{}, read...))
		require.Equal(t, last, filter.After, "the cursor passes events that do not match")
	}
}

func routesTo(contact payments.SavedContact) payments.RouteSelection {
	end := payments.RouteEndpoint{PaymentRail: &contact.PaymentRail, Currency: &contact.Currency}
	return payments.RouteSelection{SelectedDestination: &end}
}

func (w *world) routesOf(t require.TestingT, selection payments.RouteSelection) []string {
	var info payments.TransferInfo
	require.NoError(t, json.Unmarshal(must(w.SelectRoutes(background, selection)), &info))
	var keys []string
	for _, route := range info.Routes {
		keys = append(keys, route.RouteKey)
	}
	return keys
}
