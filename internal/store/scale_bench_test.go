package store_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
	"github.com/payctl/payctl/internal/store/sql/sqlite"
)

const world = "client"

var epoch = time.Date(2026, time.January, 1, 9, 0, 0, 0, time.UTC)

// identifier is that of a transfer; they sort by number.
func identifier(number int) string { return fmt.Sprintf("trf_%026d", number) }

// transfer is one of a thousand accounts, as large as those that the service makes.
func transfer(number int) *store.Transfer {
	amount := payments.MustDecimal("12.50")
	at := epoch.Add(time.Duration(number) * time.Millisecond)
	return &store.Transfer{
		Transfer: &payments.Transfer{
			ID: identifier(number), AccountID: fmt.Sprintf("acc_%026d", number%1000), Route: "base:USDC->sepa:EUR", FlowType: payments.FlowTypeOfframp,
			Provider: "europay", DestinationSavedContactID: fmt.Sprintf("sct_%026d", number%1000), Amount: &amount, ExchangeRate: payments.MustDecimal("0.925925925925925926"),
			Source:      payments.TransferSide{PaymentRail: "base", Currency: "USDC", Amount: &amount},
			Destination: payments.TransferSide{PaymentRail: "sepa", Currency: "EUR", Amount: &amount},
			Fees:        []payments.Fee{{Type: "network", Side: "source", Currency: "USDC", Amount: &amount}, {Type: "bank", Side: "destination", Currency: "EUR", Amount: &amount}},
			Reference:   fmt.Sprint("invoice-", number), ExternalID: fmt.Sprint("ext-", number),
			CreatedAt: at,
		},
		State: payments.TransferStatePaymentProcessed, OnchainTransactions: []payments.OnchainTransaction{}, UpdatedAt: at,
		Revision: 4,
	}
}

// BenchmarkScale does the same in a world of a thousand transfers and in one of a million. Get, list and create are to
// cost no more than half as much again in the second.
func BenchmarkScale(b *testing.B) {
	for _, kind := range []struct {
		name string
		open func(testing.TB) store.Store
	}{
		{"mem", func(testing.TB) store.Store { return memory.New() }},
		{"sqlite", func(t testing.TB) store.Store {
			s, err := sqlite.Open(t.Context(), t.TempDir())
			require.NoError(t, err)
			return s
		}},
	} {
		for _, size := range []int{1_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/%d", kind.name, size), func(b *testing.B) {
				s := kind.open(b)
				defer func() { require.NoError(b, s.Close()) }()
				each := grow(b, s, size)
				benchmarkScale(b, s, size, each)
			})
		}
	}
}

// grow adds transfers, many to a transaction, and returns how many bytes of memory one takes.
func grow(b *testing.B, s store.Store, size int) float64 {
	b.Helper()
	before := heap()
	for from := 0; from < size; from += 1000 {
		require.NoError(b, s.Update(b.Context(), world, func(tx store.Tx) error {
			for i := from; i < min(from+1000, size); i++ {
				if err := tx.Transfers().Put(transfer(i)); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	return float64(heap()-before) / float64(size)
}

// heap is how much memory is in use.
func heap() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

func benchmarkScale(b *testing.B, s store.Store, size int, each float64) {
	const stride = 7919 // a prime, so that every record has its turn
	b.Run("get", func(b *testing.B) {
		for i := range b.N {
			require.NoError(b, s.View(b.Context(), world, func(tx store.Tx) error {
				_, err := tx.Transfers().Get(identifier(i * stride % size))
				return err
			}))
		}
		b.ReportMetric(each, "B/transfer")
	})
	for name, where := range map[string]func(i int) map[string]string{
		"page": func(int) map[string]string { return nil },
		"page-state": func(int) map[string]string {
			return map[string]string{store.ColumnState: string(payments.TransferStatePaymentProcessed)}
		},
		"by-reference": func(i int) map[string]string {
			return map[string]string{store.ColumnReference: fmt.Sprint("invoice-", i*stride%size)}
		},
	} {
		b.Run(name, func(b *testing.B) {
			for i := range b.N {
				require.NoError(b, s.View(b.Context(), world, func(tx store.Tx) error {
					_, err := tx.Transfers().List(store.Query{Limit: 20, Before: identifier(size), Where: where(i)})
					return err
				}))
			}
		})
	}
	b.Run("transfer-by-reference", func(b *testing.B) {
		for i := range b.N {
			require.NoError(b, s.View(b.Context(), world, func(tx store.Tx) error {
				_, err := tx.TransferByReference(fmt.Sprint("invoice-", i*stride%size))
				return err
			}))
		}
	})
	next := size
	b.Run("create", func(b *testing.B) {
		for range b.N {
			next++
			require.NoError(b, s.Update(b.Context(), world, func(tx store.Tx) error { return tx.Transfers().Put(transfer(next)) }))
		}
	})
	b.Run("change", func(b *testing.B) {
		for i := range b.N {
			require.NoError(b, s.Update(b.Context(), world, func(tx store.Tx) error {
				record, err := tx.Transfers().Get(identifier(i * stride % size))
				if err != nil {
					return err
				}
				changed := *record
				changed.State = []payments.TransferState{payments.TransferStateReturned, payments.TransferStateRefunded}[i/size%2]
				return tx.Transfers().Put(&changed)
			}))
		}
	})
}
