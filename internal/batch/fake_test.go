package batch

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// fake is a service that honours keys, with a journal of nothing but what it is told. Answer decides what becomes of an
// attempt: an error before the effect, and one behind it.
type fake struct {
	payments.Transfers
	answer func(reference string, attempt int) (before, after error)

	mu       sync.Mutex
	made     map[string]payments.Transfer
	attempts map[string]int
	journal  map[string]payments.JournalEntry
	inside   int
	most     int
	now      time.Time
}

func newFake(answer func(string, int) (error, error)) *fake {
	if answer == nil {
		answer = func(string, int) (error, error) { return nil, nil }
	}
	return &fake{answer: answer, made: map[string]payments.Transfer{}, attempts: map[string]int{},
		journal: map[string]payments.JournalEntry{}, now: time.Unix(0, 0)}
}

func (f *fake) create(_ context.Context, p payments.PreparedTransfer) (payments.MadeTransfer, error) {
	n := p.Request
	f.mu.Lock()
	f.inside++
	f.most = max(f.most, f.inside)
	f.attempts[n.Reference]++
	before, after := f.answer(n.Reference, f.attempts[n.Reference])
	defer func() { f.inside--; f.mu.Unlock() }()
	if before != nil {
		return payments.MadeTransfer{}, before
	}
	if _, there := f.made[n.Reference]; !there {
		f.made[n.Reference] = payments.Transfer{
			ID: fmt.Sprintf("trf_%d", len(f.made)), State: payments.TransferStateAwaitingFunds, Route: string(n.Route), Amount: n.Amount,
			AmountType: n.AmountType, DestinationSavedContactID: n.DestinationSavedContactID, Reference: n.Reference, BatchID: n.BatchID,
		}
	}
	made := f.made[n.Reference]
	return payments.MadeTransfer{ID: made.ID, State: made.State}, after
}

func (f *fake) ListTransfers(_ context.Context, filter payments.TransferFilter) (payments.TransferPage, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	page := payments.TransferPage{Data: []payments.Transfer{}}
	for _, t := range f.made {
		if (filter.BatchID == "" || filter.BatchID == t.BatchID) && (filter.Reference == "" || filter.Reference == t.Reference) {
			page.Data = append(page.Data, t)
		}
	}
	return page, nil
}

func (f *fake) Lookup(_ context.Context, i payments.Intent) (payments.JournalEntry, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	entry, found := f.journal[i.Key]
	return entry, found, nil
}

func (f *fake) Prepare(_ context.Context, intents []payments.Intent) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, i := range intents {
		if _, there := f.journal[i.Key]; !there {
			f.journal[i.Key] = payments.JournalEntry{Intent: i, Result: payments.Result{Outcome: payments.OutcomeSending}}
		}
	}
	return nil
}

func (f *fake) Record(_ context.Context, entries []payments.JournalEntry) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range entries {
		f.journal[e.Key] = e
	}
	return nil
}

func (f *fake) End(i payments.Intent, result payments.Result) error {
	return f.Record(context.Background(), []payments.JournalEntry{{Intent: i, Result: result}})
}

// sleep lets the fake's clock run.
func (f *fake) sleep(ctx context.Context, d time.Duration) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
	return ctx.Err()
}

func (f *fake) clock() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func (f *fake) sender() *Sender {
	return &Sender{
		Service: f, Journal: f, BatchID: "bat_1", Concurrency: 4, Ahead: 7, Patience: time.Minute, RowTimeout: time.Minute,
		Key: func(reference string) payments.Idempotency { return payments.Idempotency{Key: reference} },
		Prepare: func(n payments.NewAutoTransfer, key payments.Idempotency) (payments.PreparedTransfer, error) {
			hash := fmt.Sprint(n.DestinationSavedContactID, n.Route, n.AmountType, n.Amount)
			intent := payments.Intent{Operation: "createAutoTransfer", Key: key.Key, BodyHash: hash, Reference: n.Reference, BatchID: n.BatchID}
			return payments.PreparedTransfer{Request: n, Key: key, Intent: intent}, nil
		},
		Create: f.create,
		Differences: func(n payments.NewAutoTransfer, t payments.Transfer) []string {
			return []string{fmt.Sprintf("amount: there %s, here %s", t.Amount, n.Amount)}
		},
		Now: f.clock, Sleep: f.sleep,
	}
}

// lines collects results, and what else a report is told.
type lines struct {
	results []Result
	each    func(Result) error

	mu   sync.Mutex
	told []string
}

func (l *lines) tell(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told = append(l.told, fmt.Sprintf(format, args...))
}

func (l *lines) LookedUp(done, all int) { l.tell("looked up %d of %d", done, all) }
func (l *lines) Begin()                 { l.tell("begun") }
func (l *lines) Trouble(err error)      { l.tell("trouble: %v", err) }
func (l *lines) Recovered()             { l.tell("recovered") }

func (l *lines) Row(r Result) error {
	l.results = append(l.results, r)
	if l.each != nil {
		return l.each(r)
	}
	return nil
}

func (l *lines) Idle() error { return nil }

func (l *lines) count(o Outcome) (n int) {
	for _, r := range l.results {
		if r.Outcome == o {
			n++
		}
	}
	return n
}

const way1 = "base:USDC->sepa:EUR"

// file is a source of n rows that has been read once.
func file(t testing.TB, n int, amount string) *Source {
	var b strings.Builder
	b.WriteString("reference,contact,route,amount\n")
	for i := range n {
		fmt.Fprintf(&b, "r-%d,sct,%s,%s\n", i, way1, amount)
	}
	s := written(t, "rows.csv", b.String())
	_, err := io.Copy(io.Discard, s.reader())
	require.NoError(t, err)
	return s
}

func refusal(kind payments.Kind, status int) *payments.Refusal {
	r := &payments.Refusal{}
	r.Type, r.Status, r.Title = string(kind), status, "no"
	return r
}

// busyLister fails to list so.
type busyLister struct {
	*fake
	mu   sync.Mutex
	errs []error
}

func (b *busyLister) ListTransfers(ctx context.Context, filter payments.TransferFilter) (payments.TransferPage, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.errs) > 0 {
		err := b.errs[0]
		b.errs = b.errs[1:]
		if err != nil {
			return payments.TransferPage{}, err
		}
	}
	return b.fake.ListTransfers(ctx, filter)
}
