package compact_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/routes"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
	"github.com/payctl/payctl/internal/store/memory/compact"
	"github.com/payctl/payctl/internal/test/paytest"
)

// BenchmarkCodec encodes and decodes settled transfers as the service makes them, with their keys and events.
func BenchmarkCodec(b *testing.B) {
	var (
		transfers []*store.Transfer
		keys      []*store.Key
		events    []*store.Event
	)
	s := memory.New()
	settle(b, s, 5000)
	require.NoError(b, s.View(b.Context(), "client", func(tx store.Tx) (err error) {
		if transfers, err = tx.Transfers().List(store.Query{Limit: 5000}); err != nil {
			return err
		}
		if keys, err = tx.Keys().List(store.Query{Limit: 5000}); err != nil {
			return err
		}
		events, err = tx.Events().After(store.EventQuery{After: 5000, Limit: 5000})
		return err
	}))
	b.Run("transfer", func(b *testing.B) { benchmarkCodec(b, transfers) })
	b.Run("key", func(b *testing.B) { benchmarkCodec(b, keys) })
	b.Run("event", func(b *testing.B) {
		benchmarkRecords(b, events, func(e *store.Event) string { return e.SubjectID })
	})
}

// settle makes transfers, and lets them settle while those that follow are made.
func settle(b *testing.B, s store.Store, number int) {
	catalogue, err := routes.Default()
	require.NoError(b, err)
	clock := sandbox.NewManualClock(paytest.Start)
	script := sandbox.Script{KYCDelay: time.Second, SettleDelay: 100 * time.Millisecond}
	client := service.New(s, "client", catalogue, clock, script, service.NewIDs(rand.Reader))
	ctx := context.Background()
	_, err = client.CreateAccount(ctx, payments.NewAccount{
		Type: payments.AccountTypeIndividual, FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", Country: "GB",
	}, payments.Idempotency{})
	require.NoError(b, err)
	clock.Advance(10 * time.Second)
	contact, err := client.CreateSavedContact(ctx, payments.NewSavedContact{
		Label: "Ada", HolderName: "Ada", HolderType: payments.AccountTypeIndividual, PaymentRail: "sepa", Currency: "EUR",
		IBAN: "DE89370400440532013000",
	}, payments.Idempotency{})
	require.NoError(b, err)
	for i := range number {
		amount := payments.MustDecimal(fmt.Sprintf("%d.%02d", 10+i%90, i%100))
		reference := fmt.Sprintf("invoice-%06d", i)
		body := fmt.Sprintf(`{"destinationSavedContactId":%q,"route":"base:USDC->sepa:EUR","amount":%q,"reference":%q}`,
			contact.Value.ID, amount, reference)
		_, err := client.CreateAutoTransfer(ctx, payments.NewAutoTransfer{
			DestinationSavedContactID: contact.Value.ID, Route: payments.RouteReference{RouteKey: "base:USDC->sepa:EUR"},
			Amount: &amount, Reference: reference,
		}, payments.Idempotency{Key: fmt.Sprintf("key-%06d", i), Fingerprint: payments.FingerprintOf("POST", "/transfers/auto/v1", []byte(body))})
		require.NoError(b, err)
		clock.Advance(time.Millisecond)
	}
	clock.Advance(time.Hour)
	for range number {
		require.NoError(b, client.RunDueJobs(ctx))
	}
}

func benchmarkCodec[T any, P store.Record[T]](b *testing.B, records []*T) {
	benchmarkRecords(b, records, func(record *T) string { return P(record).RecordID() })
}

func benchmarkRecords[T any](b *testing.B, records []*T, own func(*T) string) {
	codec := compact.NewCodec[T](compact.NewDictionary())
	var encoded [][]byte
	for _, record := range records {
		one, ok := codec.Append(nil, own(record), record)
		require.True(b, ok)
		encoded = append(encoded, one)
	}
	b.Run("append", func(b *testing.B) {
		b.ReportAllocs()
		var room []byte
		sum, n := 0, 0
		for b.Loop() {
			record := records[n%len(records)]
			room, _ = codec.Append(room[:0], own(record), record)
			sum += len(room)
			n++
		}
		b.ReportMetric(float64(sum)/float64(n), "B/record")
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		n := 0
		for b.Loop() {
			if _, err := codec.Decode(encoded[n%len(encoded)], own(records[n%len(records)])); err != nil {
				b.Fatal(err)
			}
			n++
		}
	})
}
