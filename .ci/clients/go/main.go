// Command client runs the steps of ../flow.ts with the Go client that oapi-codegen generated into the package api.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/oapi-codegen/nullable"

	"payctl.example/client/api"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		cancel()
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	f := &flow{externalID: "oapi-codegen-" + rand.Text()}
	client, err := api.NewClientWithResponses(os.Getenv("PAYCTL_BASE_URL"),
		api.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
			if f.token != "" {
				request.Header.Set("Authorization", "Bearer "+f.token)
			}
			return nil
		}))
	if err != nil {
		return err
	}
	f.client = client
	for _, step := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"create an access token", f.createAccessToken},
		{"create an individual account", f.createAccount},
		{"poll the KYC status until approved", f.pollKYC},
		{"change the account by a merge patch", f.updateAccount},
		{"create a saved contact", f.createSavedContact},
		{"select the route from USDC on Ethereum to EUR by SEPA", f.selectRoutes},
		{"create an auto transfer by the key of the route, and repeat it", f.createAutoTransferByKey},
		{"poll the transfer until payment_processed", f.pollTransfer},
		{"create an auto transfer by the route that was selected", f.createAutoTransferByRoute},
		{"advance the clock of the sandbox until the transfer is settled", f.advanceClock},
		{"list by two values of a filter", f.list},
		{"read the problem of an auto transfer without its required fields", f.createAutoTransferOfNothing},
		{"delete the saved contact", f.deleteSavedContact},
		{"revoke the access token", f.revokeAccessToken},
	} {
		if err := step.run(ctx); err != nil {
			fmt.Println("FAIL  oapi-codegen:", step.name)
			return err
		}
		fmt.Println("ok    oapi-codegen:", step.name)
	}
	return nil
}

// A flow holds what later steps need of earlier ones.
type flow struct {
	client     *api.ClientWithResponses
	token      string
	externalID string
	accountID  string
	contactID  string
	route      api.TransferRoute
	transferID string
	secondID   string
}

func (f *flow) createAccessToken(ctx context.Context) error {
	response, err := f.client.CreateAccessTokenWithResponse(ctx, api.AccessTokenRequest{},
		func(_ context.Context, request *http.Request) error {
			request.SetBasicAuth(os.Getenv("PAYCTL_CLIENT_ID"), os.Getenv("PAYCTL_CLIENT_SECRET"))
			return nil
		})
	if err := status(response, err, 200); err != nil {
		return err
	}
	f.token = response.JSON200.AccessToken
	return nil
}

func (f *flow) createAccount(ctx context.Context) error {
	response, err := f.client.CreateAccountWithResponse(ctx, &api.CreateAccountParams{IdempotencyKey: new(rand.Text())},
		api.NewAccount{
			Type:       api.AccountTypeIndividual,
			FirstName:  new("Ada"),
			LastName:   new("Lovelace"),
			Email:      "ada@example.com",
			Country:    "GB",
			ExternalId: &f.externalID,
		})
	if err := status(response, err, 201); err != nil {
		return err
	}
	f.accountID = response.JSON201.Id
	return equal("Location", response.Headers201.Location, "/accounts/"+f.accountID+"/v1")
}

func (f *flow) pollKYC(ctx context.Context) error {
	var etag *string
	for {
		response, err := f.client.GetKycStatusWithResponse(ctx, f.accountID,
			&api.GetKycStatusParams{IfNoneMatch: etag, Prefer: new("wait=10")})
		if err := status(response, err, 200, 304); err != nil {
			return err
		}
		if response.JSON200 == nil {
			continue
		}
		switch response.JSON200.Status {
		case api.KYCStatusApproved:
			return nil
		case api.KYCStatusPending:
			etag = &response.Headers200.ETag
		default:
			return fmt.Errorf("KYC became %s", response.JSON200.Status)
		}
	}
}

func (f *flow) updateAccount(ctx context.Context) error {
	for _, phone := range []nullable.Nullable[string]{
		nullable.NewNullableWithValue("+442079460000"), nullable.NewNullNullable[string](),
	} {
		response, err := f.client.UpdateAccountWithApplicationMergePatchPlusJSONBodyWithResponse(ctx, f.accountID, nil,
			api.AccountPatch{PhoneNumber: phone})
		if err := status(response, err, 200); err != nil {
			return err
		}
		var want *string
		if !phone.IsNull() {
			want = new(phone.MustGet())
		}
		if err := equal("phoneNumber", response.JSON200.PhoneNumber, want); err != nil {
			return err
		}
	}
	return nil
}

func (f *flow) createSavedContact(ctx context.Context) error {
	const iban = "DE89370400440532013000"
	response, err := f.client.CreateSavedContactWithResponse(ctx,
		&api.CreateSavedContactParams{IdempotencyKey: new(rand.Text())},
		api.NewSavedContact{
			AccountId:   &f.accountID,
			Label:       "Supplier",
			HolderName:  "Erika Mustermann",
			HolderType:  api.AccountTypeIndividual,
			PaymentRail: "sepa",
			Currency:    "EUR",
			Iban:        new(iban),
		})
	if err := status(response, err, 201); err != nil {
		return err
	}
	f.contactID = response.JSON201.Id
	if masked := response.JSON201.Iban; masked == nil || *masked == iban {
		return errors.New("the IBAN is read back unmasked, or not at all")
	}
	return nil
}

func (f *flow) selectRoutes(ctx context.Context) error {
	source := nullable.NewNullableWithValue(api.RouteEndpoint{Currency: new("USDC"), PaymentRail: new("ethereum")})
	destination := nullable.NewNullableWithValue(api.RouteEndpoint{Currency: new("EUR"), PaymentRail: new("sepa")})
	response, err := f.client.SelectRoutesWithResponse(ctx,
		api.RouteSelection{SelectedSource: source, SelectedDestination: destination})
	if err := status(response, err, 200); err != nil {
		return err
	}
	info := response.JSON200
	if len(info.Routes) != 1 || len(info.TransactionsInfo) != 1 {
		return fmt.Errorf("got %d routes and the terms of %d, want one", len(info.Routes), len(info.TransactionsInfo))
	}
	f.route = info.Routes[0]
	return errors.Join(
		equal("selectedSource", info.SelectedSource, source),
		equal("selectedDestination", info.SelectedDestination, destination),
		equal("routeKey", f.route.RouteKey, "ethereum:USDC->sepa:EUR"),
		equal("flowType", f.route.FlowType, api.FlowTypeOfframp),
		equal("routeKey of the terms", info.TransactionsInfo[0].RouteKey, f.route.RouteKey),
	)
}

func (f *flow) createAutoTransferByKey(ctx context.Context) error {
	body := api.NewAutoTransfer{
		DestinationSavedContactId: f.contactID,
		Amount:                    new("100.00"),
		Reference:                 new(f.externalID + "-1"),
	}
	if err := body.Route.FromRouteKey(f.route.RouteKey); err != nil {
		return err
	}
	params := &api.CreateAutoTransferParams{IdempotencyKey: new(rand.Text())}
	response, err := f.client.CreateAutoTransferWithResponse(ctx, params, body)
	if err := status(response, err, 201); err != nil {
		return err
	}
	transfer := response.JSON201
	f.transferID = transfer.Id
	again, err := f.client.CreateAutoTransferWithResponse(ctx, params, body)
	if err := status(again, err, 201); err != nil {
		return err
	}
	return errors.Join(
		equal("route", transfer.Route, f.route.RouteKey),
		equal("accountId", transfer.AccountId, f.accountID),
		equal("destinationSavedContactId", transfer.DestinationSavedContactId, f.contactID),
		equal("amount", transfer.Amount.MustGet(), "100.00"),
		equal("Idempotency-Replayed", again.Headers201.IdempotencyReplayed, new("true")),
		equal("id of the repetition", again.JSON201.Id, transfer.Id),
	)
}

func (f *flow) pollTransfer(ctx context.Context) error {
	var etag *string
	for {
		response, err := f.client.GetTransferWithResponse(ctx, f.transferID,
			&api.GetTransferParams{IfNoneMatch: etag, Prefer: new("wait=10")})
		if err := status(response, err, 200, 304); err != nil {
			return err
		}
		if response.JSON200 == nil {
			continue
		}
		switch state := response.JSON200.State; state {
		case api.TransferStatePaymentProcessed:
			return nil
		case api.TransferStateAwaitingFunds, api.TransferStateInReview, api.TransferStateFundsReceived,
			api.TransferStatePaymentSubmitted:
			etag = &response.Headers200.ETag
		default:
			return fmt.Errorf("the transfer became %s", state)
		}
	}
}

func (f *flow) createAutoTransferByRoute(ctx context.Context) error {
	body := api.NewAutoTransfer{
		DestinationSavedContactId: f.contactID,
		Amount:                    new("50"),
		Reference:                 new(f.externalID + "-2"),
	}
	if err := body.Route.FromTransferRoute(f.route); err != nil {
		return err
	}
	response, err := f.client.CreateAutoTransferWithResponse(ctx,
		&api.CreateAutoTransferParams{IdempotencyKey: new(rand.Text())}, body)
	if err := status(response, err, 201); err != nil {
		return err
	}
	f.secondID = response.JSON201.Id
	return equal("route", response.JSON201.Route, f.route.RouteKey)
}

func (f *flow) advanceClock(ctx context.Context) error {
	clock, err := f.client.AdvanceSandboxClockWithResponse(ctx, nil, api.SandboxAdvance{Duration: "10m"})
	if err := status(clock, err, 200); err != nil {
		return err
	}
	transfer, err := f.client.GetTransferWithResponse(ctx, f.secondID, nil)
	if err := status(transfer, err, 200); err != nil {
		return err
	}
	return errors.Join(
		equal("mode", clock.JSON200.Mode, api.ClockModeReal),
		equal("state", transfer.JSON200.State, api.TransferStatePaymentProcessed),
	)
}

func (f *flow) list(ctx context.Context) error {
	transfers, err := f.client.ListTransfersWithResponse(ctx, &api.ListTransfersParams{
		AccountId: &f.accountID,
		State:     &[]api.TransferState{api.TransferStatePaymentProcessed, api.TransferStateRefunded},
		Limit:     new(api.Limit(10)),
	})
	if err := status(transfers, err, 200); err != nil {
		return err
	}
	accounts, err := f.client.ListAccountsWithResponse(ctx, &api.ListAccountsParams{
		ExternalId: &f.externalID,
		KycStatus:  &[]api.KYCStatus{api.KYCStatusApproved, api.KYCStatusRejected},
	})
	if err := status(accounts, err, 200); err != nil {
		return err
	}
	events, err := f.client.ListEventsWithResponse(ctx, &api.ListEventsParams{
		SubjectId: &f.transferID,
		Types:     &[]api.EventType{api.EventTypeTransferCreated, api.EventTypeTransferStateChanged},
	})
	if err := status(events, err, 200); err != nil {
		return err
	}
	var found []string
	for _, transfer := range transfers.JSON200.Data {
		found = append(found, transfer.Id)
	}
	slices.Sort(found)
	feed := events.JSON200.Data
	if len(accounts.JSON200.Data) != 1 || len(feed) < 2 {
		return fmt.Errorf("got %d accounts and %d events", len(accounts.JSON200.Data), len(feed))
	}
	last := feed[len(feed)-1]
	return errors.Join(
		equal("transfers", found, slices.Sorted(slices.Values([]string{f.transferID, f.secondID}))),
		equal("nextCursor", transfers.JSON200.NextCursor.IsNull(), true),
		equal("account", accounts.JSON200.Data[0].Id, f.accountID),
		equal("first event", feed[0].Type, api.EventTypeTransferCreated),
		equal("from of the first event", feed[0].From.IsNull(), true),
		equal("last event", last.Type, api.EventTypeTransferStateChanged),
		equal("to of the last event", last.To.MustGet(), string(api.TransferStatePaymentProcessed)),
	)
}

func (f *flow) createAutoTransferOfNothing(ctx context.Context) error {
	response, err := f.client.CreateAutoTransferWithBodyWithResponse(ctx, nil, "application/json", strings.NewReader("{}"))
	if err := status(response, err, 400); err != nil {
		return err
	}
	problem := response.ApplicationproblemJSON400
	return errors.Join(
		equal("last segment of type", problem.Type[strings.LastIndex(problem.Type, "/"):], "/validation-error"),
		equal("title", problem.Title, "One or more validation errors occurred."),
		equal("status", problem.Status, 400),
		equal("detail", problem.Detail, new("The request body failed validation.")),
		equal("instance", problem.Instance, new("/transfers/auto/v1")),
		equal("errors", problem.Errors, &map[string][]string{
			"destinationSavedContactId": {"The destinationSavedContactId field is required."},
			"route":                     {"The route field is required."},
		}),
	)
}

func (f *flow) deleteSavedContact(ctx context.Context) error {
	deleted, err := f.client.DeleteSavedContactWithResponse(ctx, f.contactID, nil)
	if err := status(deleted, err, 204); err != nil {
		return err
	}
	missing, err := f.client.GetSavedContactWithResponse(ctx, f.contactID, nil)
	if err := status(missing, err, 404); err != nil {
		return err
	}
	return equal("status", missing.ApplicationproblemJSON404.Status, 404)
}

func (f *flow) revokeAccessToken(ctx context.Context) error {
	revoked, err := f.client.RevokeAccessTokenWithResponse(ctx)
	if err := status(revoked, err, 204); err != nil {
		return err
	}
	refused, err := f.client.GetTransferWithResponse(ctx, f.transferID, nil)
	return status(refused, err, 401)
}

// status checks the status of a response, of which each operation has a type of its own.
func status[R interface {
	StatusCode() int
	GetBody() []byte
}](response R, err error, want ...int) error {
	if err != nil {
		return err
	}
	if !slices.Contains(want, response.StatusCode()) {
		return fmt.Errorf("got status %d, want %d: %s", response.StatusCode(), want, response.GetBody())
	}
	return nil
}

func equal[T any](what string, got, want T) error {
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("%s is %#v, want %#v", what, got, want)
	}
	return nil
}
