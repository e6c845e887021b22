// Command client is the documented integration of ../openapi-fetch.ts with the Go client that oapi-codegen generates.
// It checks that tokens, headers, unions, null, lists in queries and problems work as the contract says.
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"
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
	log.SetFlags(0)
	log.SetPrefix("FAIL  oapi-codegen: ")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	token := ""
	client := must(api.NewClientWithResponses(os.Getenv("PAYCTL_BASE_URL"),
		api.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
			if token == "" {
				request.SetBasicAuth(os.Getenv("PAYCTL_CLIENT_ID"), os.Getenv("PAYCTL_CLIENT_SECRET"))
			} else {
				request.Header.Set("Authorization", "Bearer "+token)
			}
			return nil
		})))
	token = status(200, must(client.CreateAccessTokenWithResponse(ctx, api.AccessTokenRequest{}))).JSON200.AccessToken

	externalID := "oapi-codegen-" + rand.Text()
	account := openAccount(ctx, client, externalID)
	contact := status(201, must(client.CreateSavedContactWithResponse(ctx, nil, api.NewSavedContact{
		AccountId: &account, Label: "Supplier", HolderName: "Erika Mustermann", HolderType: api.AccountTypeIndividual,
		PaymentRail: "sepa", Currency: "EUR", Iban: new("DE89370400440532013000"),
	}))).JSON201.Id
	first, second := pay(ctx, client, contact, externalID)
	status(200, must(client.AdvanceSandboxClockWithResponse(ctx, nil, api.SandboxAdvance{Duration: "10m"})))
	list(ctx, client, account, first, second)

	refused := must(client.CreateAutoTransferWithBodyWithResponse(ctx, nil, "application/json", strings.NewReader("{}")))
	problem := status(400, refused).ApplicationproblemJSON400
	equal("title", problem.Title, "One or more validation errors occurred.")
	equal("errors", problem.Errors, &map[string][]string{
		"destinationSavedContactId": {"The destinationSavedContactId field is required."},
		"route":                     {"The route field is required."},
	})
	status(204, must(client.DeleteSavedContactWithResponse(ctx, contact, nil)))
	missing := status(404, must(client.GetSavedContactWithResponse(ctx, contact, nil)))
	equal("status", missing.ApplicationproblemJSON404.Status, 404)
	status(204, must(client.RevokeAccessTokenWithResponse(ctx)))
	status(401, must(client.GetTransferWithResponse(ctx, first, nil)))
	fmt.Println("ok    oapi-codegen: the documented integration")
}

// openAccount creates an account, changes it, and waits for its approval.
func openAccount(ctx context.Context, client *api.ClientWithResponses, externalID string) (id string) {
	created := status(201, must(client.CreateAccountWithResponse(ctx,
		&api.CreateAccountParams{IdempotencyKey: new(rand.Text())},
		api.NewAccount{
			Type: api.AccountTypeIndividual, FirstName: new("Ada"), LastName: new("Lovelace"), Email: "ada@example.com",
			Country: "GB", ExternalId: &externalID,
		})))
	id = created.JSON201.Id
	equal("Location", created.Headers201.Location, "/accounts/"+id+"/v1")

	phone := "+442079460000"
	for want, patch := range map[*string]nullable.Nullable[string]{
		&phone: nullable.NewNullableWithValue(phone), nil: nullable.NewNullNullable[string](),
	} {
		changed := must(client.UpdateAccountWithApplicationMergePatchPlusJSONBodyWithResponse(ctx, id, nil,
			api.AccountPatch{PhoneNumber: patch}))
		equal("phoneNumber", status(200, changed).JSON200.PhoneNumber, want)
	}

	var etag *string
	for {
		check := must(client.GetKycStatusWithResponse(ctx, id,
			&api.GetKycStatusParams{IfNoneMatch: etag, Prefer: new("wait=10")}))
		if check.StatusCode() == http.StatusNotModified {
			continue
		}
		switch status(200, check).JSON200.Status {
		case api.KYCStatusApproved:
			return id
		case api.KYCStatusPending:
			etag = &check.Headers200.ETag
		default:
			log.Fatalf("the identity check became %s", check.JSON200.Status)
		}
	}
}

// pay selects a route and pays a contact twice: by the route's key, with one repetition, and by the whole route.
func pay(ctx context.Context, client *api.ClientWithResponses, contact, reference string) (first, second string) {
	source := nullable.NewNullableWithValue(api.RouteEndpoint{Currency: new("USDC"), PaymentRail: new("ethereum")})
	info := status(200, must(client.SelectRoutesWithResponse(ctx, api.RouteSelection{SelectedSource: source}))).JSON200
	equal("selectedSource", info.SelectedSource, source)
	i := slices.IndexFunc(info.Routes, func(r api.TransferRoute) bool { return r.RouteKey == "ethereum:USDC->sepa:EUR" })
	if i < 0 {
		log.Fatalf("no route to SEPA in %v", info.Routes)
	}
	route := info.Routes[i]

	body := api.NewAutoTransfer{
		DestinationSavedContactId: contact, Amount: new("100.00"), Reference: new(reference + "-1"),
	}
	check(body.Route.FromRouteKey(route.RouteKey))
	params := &api.CreateAutoTransferParams{IdempotencyKey: new(rand.Text())}
	created := status(201, must(client.CreateAutoTransferWithResponse(ctx, params, body)))
	again := status(201, must(client.CreateAutoTransferWithResponse(ctx, params, body)))
	equal("id of the repetition", again.JSON201.Id, created.JSON201.Id)
	equal("Idempotency-Replayed", again.Headers201.IdempotencyReplayed, new("true"))
	equal("amount", created.JSON201.Amount.MustGet(), "100.00")

	body.Reference = new(reference + "-2")
	check(body.Route.FromTransferRoute(route))
	other := status(201, must(client.CreateAutoTransferWithResponse(ctx, nil, body)))
	equal("route", other.JSON201.Route, route.RouteKey)
	return created.JSON201.Id, other.JSON201.Id
}

// list lists transfers and events, with several values of a filter.
func list(ctx context.Context, client *api.ClientWithResponses, account, first, second string) {
	transfers := status(200, must(client.ListTransfersWithResponse(ctx, &api.ListTransfersParams{
		AccountId: &account, State: &[]api.TransferState{api.TransferStatePaymentProcessed, api.TransferStateRefunded},
	}))).JSON200
	var found []string
	for _, transfer := range transfers.Data {
		found = append(found, transfer.Id)
	}
	equal("transfers, newest first", found, []string{second, first})
	equal("nextCursor", transfers.NextCursor.IsNull(), true)

	events := status(200, must(client.ListEventsWithResponse(ctx, &api.ListEventsParams{
		SubjectId: &first, Types: &[]api.EventType{api.EventTypeTransferCreated, api.EventTypeTransferStateChanged},
	}))).JSON200.Data
	equal("from of the first event", events[0].From.IsNull(), true)
	equal("to of the last event", events[len(events)-1].To.MustGet(), string(api.TransferStatePaymentProcessed))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

// status requires the status of a response. Each operation has its own response type.
func status[R interface {
	StatusCode() int
	GetBody() []byte
}](want int, response R) R {
	if response.StatusCode() != want {
		log.Fatalf("got status %d, want %d: %s", response.StatusCode(), want, response.GetBody())
	}
	return response
}

func equal[T any](what string, got, want T) {
	if !reflect.DeepEqual(got, want) {
		log.Fatalf("%s is %#v, want %#v", what, got, want)
	}
}
