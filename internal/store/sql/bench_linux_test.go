package sql_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
	storesql "github.com/payctl/payctl/internal/store/sql"
	"github.com/payctl/payctl/internal/store/sql/postgres"
	"github.com/payctl/payctl/internal/test/pgtest"
)

// BenchmarkCreate does what the creation of a transfer does in the store, and the three steps by which one settles. Each
// update creates a transfer and moves earlier ones.
func BenchmarkCreate(b *testing.B) {
	benchmarkCallers(b, func(b *testing.B, m meter, s store.Store, callers, worlds int) {
		clocks := make([]worldClock, worlds)
		for w := range worlds {
			require.NoError(b, s.Update(b.Context(), worldName(w), func(tx store.Tx) error {
				return createContact(tx)
			}))
		}
		for range worlds * 200 { // so that transfers settle from the beginning
			create(b, s, int(serial.Add(1)), worlds, clocks)
		}
		m.run(b, callers, func(n int) { create(b, s, n, worlds, clocks) })
	})
}

// BenchmarkView reads one of a hundred records.
func BenchmarkView(b *testing.B) {
	benchmarkCallers(b, func(b *testing.B, m meter, s store.Store, callers, worlds int) {
		const records = 100
		for w := range worlds {
			require.NoError(b, s.Update(b.Context(), worldName(w), func(tx store.Tx) error {
				for i := range records {
					if err := tx.Transfers().Put(newTransfer(transferID(i), i)); err != nil {
						return err
					}
				}
				return nil
			}))
		}
		m.run(b, callers, func(n int) {
			require.NoError(b, s.View(b.Context(), worldName(n%worlds), func(tx store.Tx) error {
				_, err := tx.Transfers().Get(transferID(n % records))
				return err
			}))
		})
	})
}

// A benchmark measures a store with a number of callers that use a number of worlds.
type benchmark func(b *testing.B, m meter, s store.Store, callers, worlds int)

// benchmarkCallers runs a benchmark with each dialect, and reports the processor time of this process, and of PostgreSQL.
func benchmarkCallers(b *testing.B, bench benchmark) {
	b.Helper()
	b.Run("sqlite", func(b *testing.B) {
		benchmarkSizes(b, meter{}, func(b *testing.B) store.Store { return openIn(b, b.TempDir()) }, bench)
	})
	b.Run("postgres", func(b *testing.B) {
		server := pgtest.Start(b) // one that waits for the disk
		pid, err := os.ReadFile(filepath.Join(filepath.Dir(server.Socket()), "data", "postmaster.pid"))
		require.NoError(b, err)
		benchmarkSizes(b, meter{strings.Fields(string(pid))[0]}, func(b *testing.B) store.Store {
			schema := fmt.Sprint("bench_", serial.Add(1))
			db, err := postgres.Open(b.Context(), postgres.Config{URL: server.URL(), Schema: schema})
			require.NoError(b, err)
			return storesql.New(db)
		}, bench)
	})
}

func benchmarkSizes(
	b *testing.B, m meter, open func(b *testing.B) store.Store, bench benchmark,
) {
	b.Helper()
	for _, size := range []struct{ callers, worlds int }{{1, 1}, {32, 1}, {32, 32}, {128, 1}} {
		b.Run(fmt.Sprintf("callers=%d/worlds=%d", size.callers, size.worlds), func(b *testing.B) {
			s := open(b)
			defer func() { require.NoError(b, s.Close()) }()
			bench(b, m, s, size.callers, size.worlds)
		})
	}
}

// processorTime is the processor time that a process has used, see proc(5).
func processorTime(pid string) time.Duration {
	fields := statOf(pid)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	const tick = 10 * time.Millisecond
	return time.Duration(user+system) * tick
}

// childrenTime is processorTime for the processes that a process has started.
func childrenTime(parent string) (all time.Duration) {
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		if fields := statOf(entry.Name()); len(fields) > 1 && fields[1] == parent {
			all += processorTime(entry.Name())
		}
	}
	return all
}

// statOf returns the fields of a process's status from its state on.
func statOf(pid string) []string {
	text, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	if err != nil { // it has ended, or the entry is no process
		return nil
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return strings.Fields(rest)
}

// serial gives every call of create another number.
var serial atomic.Int64

// A meter measures processor time.
type meter struct{ postgresPID string } // of PostgreSQL's first process; empty: there is none

// run calls do, b.N times in all, from several goroutines.
func (m meter) run(b *testing.B, callers int, do func(n int)) {
	b.Helper()
	last := serial.Load() + int64(b.N)
	own, postgres := processorTime("self"), childrenTime(m.postgresPID)
	b.ReportAllocs()
	b.ResetTimer()
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			for n := serial.Add(1); n <= last; n = serial.Add(1) {
				do(int(n))
			}
		})
	}
	group.Wait()
	b.StopTimer()
	each := func(all time.Duration) float64 { return float64(all.Microseconds()) / float64(b.N) }
	b.ReportMetric(each(processorTime("self")-own), "cpu-µs/op")
	if m.postgresPID != "" {
		b.ReportMetric(each(childrenTime(m.postgresPID)-postgres), "postgres-cpu-µs/op")
	}
}

// began is when every world begins.
var began = time.Date(2026, time.January, 1, 9, 0, 0, 0, time.UTC)

// A worldClock tells the time in a world, in which a millisecond passes with each transfer.
type worldClock struct{ transfers atomic.Int64 }

func worldName(w int) string { return fmt.Sprint("client-", w) }

func transferID(n int) string { return fmt.Sprintf("trf_%026d", n) }

const (
	benchContact = "sct_00000000000000000000000001"
	benchAccount = "acc_00000000000000000000000001"
	settleStep   = 50 * time.Millisecond
)

func createContact(tx store.Tx) error {
	if err := tx.Worlds().Put(&store.World{Instance: "wld_1", Number: 1}); err != nil {
		return err
	}
	account := payments.Account{ID: benchAccount, Email: "ada@example.com"}
	if err := tx.Accounts().Put(&store.Account{Account: account}); err != nil {
		return err
	}
	return tx.Contacts().Put(&store.Contact{
		ID: benchContact, NewSavedContact: payments.NewSavedContact{AccountID: benchAccount, Label: "Ada"},
	})
}

func newTransfer(id string, n int) *store.Transfer {
	amount := payments.MustDecimal("12.50")
	at := began
	return &store.Transfer{
		Transfer: &payments.Transfer{
			ID: id, AccountID: benchAccount, Route: "base:USDC->sepa:EUR", FlowType: payments.FlowTypeOfframp,
			Provider: "europay", DestinationSavedContactID: benchContact, Amount: &amount,
			ExchangeRate: payments.MustDecimal("0.925925925925925926"),
			Source:       payments.TransferSide{PaymentRail: "base", Currency: "USDC", Amount: &amount},
			Destination:  payments.TransferSide{PaymentRail: "sepa", Currency: "EUR", Amount: &amount},
			Fees: []payments.Fee{
				{Type: "network", Side: "source", Currency: "USDC", Amount: &amount},
				{Type: "bank", Side: "destination", Currency: "EUR", Amount: &amount},
			},
			Reference: fmt.Sprint("invoice-", n), CreatedAt: at,
		},
		State: payments.TransferStateAwaitingFunds, OnchainTransactions: []payments.OnchainTransaction{}, UpdatedAt: at,
		Revision: 1,
	}
}

// create creates the n-th transfer, and moves those whose time has come.
func create(b *testing.B, s store.Store, n, worlds int, clocks []worldClock) {
	reference, key := fmt.Sprint("invoice-", n), fmt.Sprint("createAutoTransfer k-", n)
	clock := &clocks[n%worlds]
	err := s.Update(b.Context(), worldName(n%worlds), func(tx store.Tx) error {
		if _, err := tx.Worlds().Get(store.WorldID); err != nil {
			return err
		}
		now := began.Add(time.Duration(clock.transfers.Add(1)) * time.Millisecond)
		if err := settle(tx, now); err != nil {
			return err
		}
		_, known := tx.Keys().Get(key)
		_, used := tx.TransferByReference(reference)
		contact, err := tx.Contacts().Get(benchContact)
		if err != nil || known == nil || used == nil {
			return fmt.Errorf("%w, %w, %w", err, known, used)
		}
		if _, err := tx.Accounts().Get(contact.AccountID); err != nil {
			return err
		}
		transfer := newTransfer(transferID(n), n)
		if err := move(tx, transfer, payments.TransferStateAwaitingFunds, now); err != nil {
			return err
		}
		if err := tx.Keys().Put(&store.Key{ID: key, Response: make([]byte, 1000), At: now}); err != nil {
			return err
		}
		return tx.Schedule(store.Job{At: now.Add(24 * time.Hour), Kind: store.JobExpireKey, Subject: key})
	}, store.Need{Kind: store.NeedReference, ID: reference}, store.Need{Kind: store.NeedContact, ID: benchContact},
		store.Need{Kind: store.NeedKey, ID: key})
	if err != nil {
		b.Error(err)
	}
}

var nextState = map[payments.TransferState]payments.TransferState{
	payments.TransferStateAwaitingFunds:    payments.TransferStateFundsReceived,
	payments.TransferStateFundsReceived:    payments.TransferStatePaymentSubmitted,
	payments.TransferStatePaymentSubmitted: payments.TransferStatePaymentProcessed,
}

// settle moves the transfers whose time has come.
func settle(tx store.Tx, now time.Time) error {
	for range 100 {
		job, err := tx.NextJob()
		if err != nil || job.At.After(now) {
			return nil //nolint:nilerr // there is none
		}
		if err := tx.FinishJob(); err != nil {
			return err
		}
		record, err := tx.Transfers().Get(job.Subject)
		if err != nil {
			return err
		}
		changed := *record
		changed.Revision++
		if err := move(tx, &changed, nextState[record.State], job.At); err != nil {
			return err
		}
	}
	return nil
}

// move puts a transfer into a state, with its event and the job for its next state.
func move(tx store.Tx, transfer *store.Transfer, state payments.TransferState, at time.Time) error {
	event := &store.Event{
		Type: payments.EventTypeTransferStateChanged, SubjectID: transfer.ID, At: at,
		From: string(transfer.State), To: string(state),
	}
	transfer.State, transfer.UpdatedAt = state, at
	if _, err := tx.Events().Append(event); err != nil {
		return err
	}
	if nextState[state] != "" {
		job := store.Job{At: at.Add(settleStep), Kind: store.JobTransfer, Subject: transfer.ID, Revision: transfer.Revision}
		if err := tx.Schedule(job); err != nil {
			return err
		}
	}
	return tx.Transfers().Put(transfer)
}
