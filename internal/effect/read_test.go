package effect

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
)

// Members of other types, names and forms are read as far as they have a meaning. They hide no other member.
func TestReadIsLenient(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 27, 19, 0, 0, 0, time.UTC)
	for document, want := range map[string]payments.Account{
		`{"id":7,"createdAt":"2026-11-27T19:00:00+0000"}`:             {ID: "7", CreatedAt: at},
		`{"id":"a","externalId":12}`:                                  {ID: "a", ExternalID: "12"},
		`{"id":"a","createdAt":1795806000,"updatedAt":1795806000000}`: {ID: "a", CreatedAt: at, UpdatedAt: at},
		`{"id":"a","createdAt":"yesterday","type":["x"]}`:             {ID: "a", Type: `["x"]`},
		`{"id":null,"address":"12 High Street","country":false}`:      {Country: "false"},
		`{"id":"a","createdAt":"2026-11-27 19:00:00","metadata":[]}`:  {ID: "a", CreatedAt: at},
	} {
		var account payments.Account
		require.NoError(t, Read(jsontext.Value(document), &account), document)
		require.JSONEq(t, document, string(account.Document))
		account.Document = nil
		require.Equal(t, want, account, document)
	}
	var transfer payments.Transfer
	require.NoError(t, Read(jsontext.Value(`{"source":{"amount":5.0},"destination":{"amount":"1e2"}}`), &transfer))
	require.Equal(t, "5.0 100", transfer.Source.Amount.String()+" "+transfer.Destination.Amount.String())
	var kyc payments.KYC
	require.NoError(t, Read(jsontext.Value(`{"status":"rejected","reasons":"BLURRED","attempt":"2"}`), &kyc))
	require.Equal(t, []payments.KYCReason{{Code: "BLURRED"}}, kyc.Reasons)
	require.Equal(t, 2, kyc.Attempt)
	require.Error(t, Read(jsontext.Value(`{"status":"approved","status":"rejected"}`), &kyc))
}

// A shown document has no credentials and no numbers of accounts or cards, under any name. It has all the rest.
func TestDocumentsWithoutSecrets(t *testing.T) {
	t.Parallel()
	shown := payments.WithoutSecrets(jsontext.Value(`{"id":"4111111111111111","note":"from DE89 3704 0044 0532 0130 00 today",` +
		`"payload":{"card":4111111111111111,"Password":"hunter2","x":["eyJhbGciOi.eyJzdWIiOiIx.c2ln"]},` +
		`"depositInstructions":{"iban":"DE89370400440532013000"},"amount":1234567890123}`))
	require.JSONEq(t, `{"id":"4111111111111111","note":"from DE****************3000 today",`+
		`"payload":{"card":"************1111","Password":"***","x":["***"]},`+
		`"depositInstructions":{"iban":"DE89370400440532013000"},"amount":1234567890123}`, string(shown))
	a := payments.Account{
		Document: jsontext.Value(`{"first_name":"Ada","E-Mail":"yes@example.com","email":"ada@example.com","country":"GB"}`),
	}.Masked()
	require.JSONEq(t, `{"first_name":"A***","E-Mail":"y***@example.com","email":"a***@example.com","country":"GB"}`,
		string(a.Document))
}

// Read accepts any document and keeps all of its members.
func TestReadAnyDocument(t *testing.T) {
	t.Parallel()
	value := rapid.Deferred(func() *rapid.Generator[any] { return anyJSON(2) })
	rapid.Check(t, func(t *rapid.T) {
		members := rapid.MapOf(rapid.SampledFrom([]string{
			"id", "state", "source", "destination", "createdAt", "updatedAt", "reasons", "requirements", "statusHistory", "fees",
			"timeline", "metadata", "refund", "amount", "reference", "route", "address", "externalId", "status", "attempt",
			"type", "subjectId", "from", "to", "data", "nextCursor", "iban", "label", "x",
		}), value).Draw(t, "members")
		text, err := json.Marshal(members)
		require.NoError(t, err)
		for _, into := range []any{
			&payments.Transfer{}, &payments.Account{}, &payments.KYC{}, &payments.SavedContact{}, &payments.Event{},
			&payments.TransferPage{}, &payments.EventPage{},
		} {
			require.NoError(t, Read(text, into))
		}
		var transfer payments.Transfer
		require.NoError(t, Read(text, &transfer))
		var back map[string]any
		require.NoError(t, json.Unmarshal(transfer.Document, &back))
		require.Len(t, back, len(members))
	})
}

func anyJSON(depth int) *rapid.Generator[any] {
	leaves := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.String().AsAny(), rapid.Int64().AsAny(),
		rapid.SampledFrom([]string{"", "2026-13-01", "1e999999999", "9e99", "-5", "0x10", "DE89370400440532013000"}).AsAny(),
	}
	if depth > 0 {
		leaves = append(leaves, rapid.SliceOfN(anyJSON(depth-1), 0, 3).AsAny(),
			rapid.MapOfN(rapid.SampledFrom([]string{"amount", "currency", "code", "at"}), anyJSON(depth-1), 0, 3).AsAny())
	}
	return rapid.OneOf(leaves...)
}
