package client

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

const (
	fullAccount = `{"id":"acc_1","kycStatus":"approved","type":"individual","firstName":"Ada","email":"a@b.test","country":"GB",` +
		`"externalId":"x","address":{"line1":"1"},"metadata":{"a":"b"},"createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z"}`
	fullKYC = `{"accountId":"acc_1","status":"rejected","level":"basic","attempt":1,"rejectType":"retry","reasons":[{"code":"C","message":"m"}],` +
		`"requirements":[{"name":"n","status":"open"}],"verificationUrl":null,"submittedAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z"}`
	fullContact = `{"id":"sct_1","label":"Ada","holderName":"Ada L","holderType":"individual","paymentRail":"sepa","currency":"EUR",` +
		`"iban":"DE**************3000","createdAt":"2026-01-01T00:00:00Z"}`
	fullTransfer = `{"id":"trf_1","accountId":"acc_1","route":"sepa:EUR->sepa:EUR","flowType":"transfer","provider":"p","state":"settled",` +
		`"source":{"currency":"EUR","paymentRail":"sepa","provider":"p","amount":"12.50"},"destination":{"currency":"EUR","amount":"12.50"},` +
		`"exchangeRate":"1.00","fees":[{"type":"t","side":"source","currency":"EUR","amount":"0.10"}],"reference":"r",` +
		`"stateHistory":[{"state":"settled","at":"2026-01-01T00:00:00Z"}],"createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z"}`
	fullEvent = `{"id":"evt_1","type":"kyc.statusChanged","occurredAt":"2026-01-01T00:00:00Z","subjectId":"acc_1","from":null,"to":"approved","data":{}}`
)

// strangeValues are what a service may send in place of any member; nil stands for none.
var strangeValues = map[string]jsontext.Value{
	"absent": nil, "null": jsontext.Value("null"), "a number": jsontext.Value("5.0"), "a text": jsontext.Value(`"x"`),
	"true":          jsontext.Value("true"),
	"an empty list": jsontext.Value("[]"), "a list": jsontext.Value(`["x",7,{"a":null}]`),
	"an object":      jsontext.Value(`{"value":"x","at":7}`),
	"a large number": jsontext.Value("1e300"), "a time": jsontext.Value(`"2026-11-27T19:00:00+0000"`),
}

// variants calls each with every document that has one member of a document in another form, or under another name.
func variants(t *testing.T, document string, each func(name, member string, variant jsontext.Value)) {
	t.Helper()
	var members map[string]jsontext.Value
	require.NoError(t, json.Unmarshal([]byte(document), &members))
	for member, was := range members {
		for name, value := range strangeValues {
			delete(members, member)
			if value != nil {
				members[member] = value
			}
			text, err := json.Marshal(members)
			require.NoError(t, err)
			each(name, member, text)
		}
		delete(members, member)
		members[strings.ToUpper(member)+"_name"] = was
		text, err := json.Marshal(members)
		require.NoError(t, err)
		each("renamed", member, text)
		delete(members, strings.ToUpper(member)+"_name")
		members[member] = was
	}
}

// No member of any resource stops its reading, alone or in a list, and what came is kept as it came. An id that is
// shown and is another one is refused: it may be another customer's.
func TestNoMemberStopsARead(t *testing.T) {
	t.Parallel()
	var body atomic.Pointer[string]
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { replyJSON(w, 200, *body.Load()) })
	c, _ := connect(t, s.URL, func(config *Config) { config.Retries = 0 })
	for _, test := range []struct {
		document, id string
		get          func(context.Context) (jsontext.Value, error)
		list         func(context.Context) (int, error)
	}{
		{fullAccount, "id", func(ctx context.Context) (jsontext.Value, error) {
			read, err := c.GetAccount(ctx, "acc_1")
			return read.Value.Document, err
		}, func(ctx context.Context) (int, error) {
			page, err := c.ListAccounts(ctx, payments.AccountFilter{})
			return len(page.Data), err
		}},
		{fullKYC, "accountId", func(ctx context.Context) (jsontext.Value, error) {
			read, err := c.GetKYCStatus(ctx, "acc_1")
			return read.Value.Document, err
		}, nil},
		{fullContact, "id", func(ctx context.Context) (jsontext.Value, error) {
			read, err := c.GetSavedContact(ctx, "sct_1")
			return read.Value.Document, err
		}, func(ctx context.Context) (int, error) {
			page, err := c.ListSavedContacts(ctx, payments.SavedContactFilter{})
			return len(page.Data), err
		}},
		{fullTransfer, "id", func(ctx context.Context) (jsontext.Value, error) {
			read, err := c.GetTransfer(ctx, "trf_1")
			return read.Value.Document, err
		}, func(ctx context.Context) (int, error) {
			page, err := c.ListTransfers(ctx, payments.TransferFilter{})
			return len(page.Data), err
		}},
		{fullEvent, "", nil, func(ctx context.Context) (int, error) {
			page, err := c.ListEvents(ctx, payments.EventFilter{})
			return len(page.Data), err
		}},
	} {
		variants(t, test.document, func(name, member string, variant jsontext.Value) {
			text := string(variant)
			body.Store(&text)
			if test.get != nil {
				document, err := test.get(t.Context())
				if member == test.id && name != "absent" && name != "null" && name != "renamed" {
					require.Equal(t, payments.ProblemUnusable, kindOf(t, err), text)
				} else {
					require.NoError(t, err, text)
					require.JSONEq(t, string(payments.WithoutSecrets(variant)), string(document))
				}
			}
			if test.list != nil {
				for _, end := range []string{`,"nextCursor":null`, `,"nextCursor":""`, ``} {
					text := `{"data":[` + text + `]` + end + `}`
					body.Store(&text)
					rows, err := test.list(t.Context())
					require.NoError(t, err, text)
					require.Equal(t, 1, rows, text)
				}
			}
		})
	}
}

// JSON is read under media types that do not say what it is, a list may be the rows alone, and a token needs nothing
// but itself.
func TestOtherFormsOfAnswers(t *testing.T) {
	t.Parallel()
	for _, media := range []string{
		"text/plain", "text/json", "application/vnd.bank+json", "application/vnd.bank.v1", "application/octet-stream",
	} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
			w.Header().Set("Content-Type", media)
			_, _ = w.Write([]byte(`[` + fullTransfer + `]`))
		})
		c, _ := connect(t, s.URL)
		page, err := c.ListTransfers(t.Context(), payments.TransferFilter{})
		require.NoError(t, err, media)
		require.Len(t, page.Data, 1)
	}
	for media, body := range map[string]string{
		"application/json":                     "\ufeff" + `{"id":"trf_1","memo":"é"}`,
		"application/json; charset=ISO-8859-1": "{\"id\":\"trf_1\",\"memo\":\"\xe9\"}",
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { reply(w, http.StatusOK, media, body) })
		c, _ := connect(t, s.URL)
		read, err := c.GetTransfer(t.Context(), "trf_1")
		require.NoError(t, err, media)
		require.JSONEq(t, `{"id":"trf_1","memo":"é"}`, string(read.Value.Document))
	}
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		replyJSON(w, 200, `{"access_token":"tok_abcdefgh12345678","expires_in":"3600","scope":["a"]}`)
	})
	c, _ := connect(t, s.URL)
	token, err := c.CreateAccessToken(t.Context(), "id", "secret-secret", payments.AccessTokenRequest{})
	require.NoError(t, err)
	require.Equal(t, 3600, token.ExpiresIn)
}
