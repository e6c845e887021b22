package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
)

// The limit halves at the first of the refusals that come together, and grows by one in about as many answers as it is.
func TestTheGateHalvesAndRecovers(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	g := newGate(8, 0, f.clock, f.sleep)
	for range 8 {
		require.NoError(t, g.enter(t.Context()))
	}
	g.slow(time.Second)
	g.slow(2 * time.Second)
	require.InDelta(t, 4, g.limit, 0)
	for range 8 {
		g.leave(false)
	}
	require.NoError(t, g.enter(t.Context()))
	require.Equal(t, 2*time.Second, f.now.Sub(time.Unix(0, 0)), "the longest pause counts")
	g.leave(true)
	require.InDelta(t, 4.25, g.limit, 0)
	for range 100 {
		require.NoError(t, g.enter(t.Context()))
		g.leave(true)
	}
	require.InDelta(t, 8, g.limit, 0)
}

func TestTheRateIsHeldTo(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	s := f.sender()
	s.Rate = 10
	require.NoError(t, s.Run(t.Context(), file(t, 51, "1"), &lines{}))
	require.InDelta(t, 5, f.now.Sub(time.Unix(0, 0)).Seconds(), 0.5, "fifty gaps of a tenth of a second")
}

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

// lines collects results.
type lines struct {
	results []Result
	each    func(Result) error
}

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

func TestEveryRowIsReportedInItsOrder(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	report := &lines{}
	require.NoError(t, f.sender().Run(t.Context(), file(t, 100, "1.50"), report))
	require.Len(t, report.results, 100)
	for i, r := range report.results {
		require.Equal(t, fmt.Sprintf("r-%d", i), r.Reference)
		require.Equal(t, Created, r.Outcome)
		require.Equal(t, f.made[r.Reference].ID, r.TransferID)
		require.Equal(t, "USDC", r.Currency)
	}
	require.LessOrEqual(t, f.most, 4)
}

func TestWhatIsDoneIsNotSentAgain(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	source := file(t, 30, "1")
	require.NoError(t, f.sender().Run(t.Context(), source, &lines{}))
	f.journal = map[string]payments.JournalEntry{} // lost
	report := &lines{}
	require.NoError(t, f.sender().Run(t.Context(), source, report))
	require.Equal(t, 30, report.count(Created))
	for reference, n := range f.attempts {
		require.Equal(t, 1, n, reference)
	}
}

func TestRateLimitsAreObeyedAndTheRowIsSentAgain(t *testing.T) {
	t.Parallel()
	limited := refusal(payments.KindRateLimited, 429)
	limited.RetryAfter = 10 * time.Second
	f := newFake(func(_ string, attempt int) (error, error) {
		if attempt == 1 {
			return limited, nil
		}
		return nil, nil
	})
	report := &lines{}
	require.NoError(t, f.sender().Run(t.Context(), file(t, 40, "1"), report))
	require.Equal(t, 40, report.count(Created))
	require.GreaterOrEqual(t, f.now.Sub(time.Unix(0, 0)), 10*time.Second)
}

// A service that refuses everything for its rate is not asked for ever, be it by a row or before the first one. What it answers in
// between begins the time anew.
func TestAServiceThatIsAskedTooOftenForever(t *testing.T) {
	t.Parallel()
	limited := refusal(payments.KindRateLimited, 429)
	refused := 0
	f := newFake(func(reference string, _ int) (error, error) {
		if refused++; refused > 10_000 {
			return errors.New("it was asked for ever"), nil
		}
		if reference == "r-3" && refused%600 != 0 || reference == "r-5" { // 10 minutes
			return limited, nil
		}
		return nil, nil
	})
	s := f.sender()
	s.Concurrency = 1
	report := &lines{}
	require.ErrorIs(t, s.Run(t.Context(), file(t, 30, "1"), report), limited)
	require.Equal(t, 5, report.count(Created))
	require.Equal(t, 25, report.count(NotSent))
	require.Greater(t, f.now.Sub(time.Unix(0, 0)), 24*time.Minute)
	require.Less(t, f.now.Sub(time.Unix(0, 0)), 30*time.Minute)

	s = f.sender()
	s.Service = &busyLister{fake: f, errs: slices.Repeat([]error{limited}, 10_000)}
	require.ErrorIs(t, s.Run(t.Context(), file(t, 30, "1"), &lines{}), limited)
}

func TestAnOutageEndsTheBatchAndTellsWhatWasNotSent(t *testing.T) {
	t.Parallel()
	f := newFake(func(reference string, _ int) (error, error) {
		if len(reference) > 3 { // from r-10 on
			return refusal(payments.KindUnreachable, 0), nil
		}
		return nil, nil
	})
	report := &lines{}
	err := f.sender().Run(t.Context(), file(t, 50, "1"), report)
	require.ErrorContains(t, err, "no")
	require.Len(t, report.results, 50)
	require.Equal(t, len(f.made), report.count(Created))
	require.Equal(t, 50-len(f.made), report.count(NotSent))
	require.LessOrEqual(t, len(f.made), 10)
	require.Greater(t, f.now.Sub(time.Unix(0, 0)), time.Minute, "it was tried for a while")
}

func TestWhatStopsABatchAndWhatDoesNot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err     error
		outcome Outcome
		stops   bool
	}{
		{refusal(payments.KindLimitExceeded, 409), Refused, false},
		{refusal(payments.KindKYCRequired, 403), Refused, false},
		{refusal(payments.KindOutcomeUnknown, 0), Unknown, false},
		{refusal(payments.KindBeingSent, 0), Unknown, false},
		{refusal(payments.KindUnauthenticated, 401), NotSent, true},
		{refusal(payments.KindInsufficientScope, 403), NotSent, true},
		{refusal(payments.KindJournal, 0), NotSent, true},
		{refusal(payments.KindMoved, 308), NotSent, true},
		{refusal(payments.KindRefused, 404), Refused, false},
		{errors.New("no credential"), NotSent, true},
	} {
		f := newFake(func(reference string, _ int) (error, error) {
			if reference == "r-3" {
				return c.err, nil
			}
			return nil, nil
		})
		report := &lines{}
		err := f.sender().Run(t.Context(), file(t, 30, "1"), report)
		require.Len(t, report.results, 30)
		require.Equal(t, c.outcome, report.results[3].Outcome, "%v", c.err)
		require.Equal(t, c.stops, err != nil, "%v", c.err)
		if !c.stops {
			require.Equal(t, 29, report.count(Created))
		}
	}
}

func TestOneUnknownAfterAnotherStopsTheBatch(t *testing.T) {
	t.Parallel()
	f := newFake(func(string, int) (error, error) { return nil, refusal(payments.KindOutcomeUnknown, 0) })
	report := &lines{}
	require.Error(t, f.sender().Run(t.Context(), file(t, 200, "1"), report))
	require.Len(t, report.results, 200)
	require.Less(t, report.count(Unknown), 30)
	require.Positive(t, report.count(NotSent))
}

// What stands before a service refuses one row as the other.
func TestOneAnswerOfAProxyAfterAnotherStopsTheBatch(t *testing.T) {
	t.Parallel()
	f := newFake(func(string, int) (error, error) { return refusal(payments.KindRefused, 404), nil })
	report := &lines{}
	require.Error(t, f.sender().Run(t.Context(), file(t, 200, "1"), report))
	require.Len(t, report.results, 200)
	require.Less(t, report.count(Refused), 30)
	require.Positive(t, report.count(NotSent))
}

// A file that was edited, or shares rows with another, is another batch. Where that one was paid on another machine, or so
// long ago that its keys are forgotten, its rows are found by their references and not paid again.
func TestRowsThatAnotherBatchHasPaid(t *testing.T) {
	t.Parallel()
	for _, rows := range []int{30, 3 * maxCertain} {
		f := newFake(nil)
		require.NoError(t, f.sender().Run(t.Context(), file(t, rows-10, "1"), &lines{}))
		f.journal, f.attempts = map[string]payments.JournalEntry{}, map[string]int{}
		edited := f.sender()
		edited.BatchID = "bat_2"
		edited.Differences = func(n payments.NewAutoTransfer, t payments.Transfer) (found []string) {
			if n.BatchID != t.BatchID && t.Reference != "r-3" { // which was made without a batch, say
				found = append(found, "batch: there "+t.BatchID+", here "+n.BatchID)
			}
			return found
		}
		var all sample
		for n := range rows {
			all.add(fmt.Sprintf("r-%d", n))
		}
		edited.Sample = all.references
		report := &lines{}
		require.NoError(t, edited.Run(t.Context(), file(t, rows, "1"), report))
		require.Equal(t, rows-11, report.count(Refused))
		require.Equal(t, 11, report.count(Created))
		require.Equal(t, "payctl:reference-reused", report.results[0].ProblemType)
		require.Contains(t, report.results[0].Detail, "batch: there bat_1, here bat_2")
		require.Equal(t, f.made["r-3"].ID, report.results[3].TransferID)
		require.Len(t, f.attempts, 10, "nothing else was sent")
	}
}

// A run that looks references up may die before it has: rows that it put down, and nobody knows whether it sent, are looked up
// by the next one too. At a service that has forgotten their keys they would be paid twice otherwise.
func TestRowsThatARunPutDownAndDidNotLookUp(t *testing.T) {
	t.Parallel()
	for _, outcome := range []payments.Outcome{payments.OutcomeSending, payments.OutcomeUnknown, payments.OutcomeNotSent} {
		for _, open := range []int{5, 30} {
			f := newFake(nil)
			require.NoError(t, f.sender().Run(t.Context(), file(t, 30, "1"), &lines{}))
			f.journal, f.attempts = map[string]payments.JournalEntry{}, map[string]int{}
			edited := f.sender()
			edited.BatchID = "bat_2"
			for n := range 30 {
				reference := fmt.Sprintf("r-%d", n)
				edited.Sample = append(edited.Sample, reference)
				if n < open {
					f.journal[reference] = payments.JournalEntry{Intent: payments.Intent{Key: reference}, Result: payments.Result{Outcome: outcome}}
				}
			}
			edited.Differences = func(n payments.NewAutoTransfer, _ payments.Transfer) (found []string) {
				if n.Reference != "r-4" { // which was made by the run that died, say
					found = []string{"batch"}
				}
				return found
			}
			report := &lines{}
			require.NoError(t, edited.Run(t.Context(), file(t, 30, "1"), report))
			require.Equal(t, 29, report.count(Refused))
			require.Equal(t, 1, report.count(Created))
			require.Empty(t, f.attempts, "nothing was sent")
			if outcome != payments.OutcomeNotSent {
				require.Equal(t, payments.OutcomeDone, f.journal["r-4"].Outcome)
				require.Equal(t, outcome, f.journal["r-3"].Outcome, "that one is another's")
			}
		}
	}
}

// What a run found by looking it up is done for the next one, which may look less and comes when keys are forgotten.
func TestARowThatWasFoundIsDoneForTheNextRun(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	require.NoError(t, f.sender().Run(t.Context(), file(t, 2, "1"), &lines{}))
	f.journal, f.attempts = map[string]payments.JournalEntry{}, map[string]int{}
	for _, every := range []bool{true, false} {
		other := f.sender()
		other.BatchID, other.Sample, other.Every = "bat_2", []string{"r-9"}, every
		other.Differences = func(payments.NewAutoTransfer, payments.Transfer) []string { return nil }
		report := &lines{}
		require.NoError(t, other.Run(t.Context(), file(t, 30, "1"), report))
		require.Equal(t, 30, report.count(Created))
		for _, reference := range []string{"r-0", "r-1"} {
			require.Equal(t, payments.OutcomeDone, f.journal[reference].Outcome)
			require.Equal(t, f.made[reference].ID, f.journal[reference].Subject)
			require.Zero(t, f.attempts[reference])
		}
	}
}

// Where a sample is not enough, every row is looked up, however few are shared.
func TestEveryReferenceIsLookedUp(t *testing.T) {
	t.Parallel()
	for _, every := range []bool{false, true} {
		f := newFake(nil)
		require.NoError(t, f.sender().Run(t.Context(), file(t, 2, "1"), &lines{}))
		f.journal, f.attempts = map[string]payments.JournalEntry{}, map[string]int{}
		other := f.sender()
		other.BatchID, other.Sample, other.Every = "bat_2", []string{"r-9"}, every
		report := &lines{}
		require.NoError(t, other.Run(t.Context(), file(t, 30, "1"), report))
		require.Equal(t, map[bool]int{false: 0, true: 2}[every], report.count(Refused))
		require.Equal(t, map[bool]int{false: 30, true: 28}[every], len(f.attempts))
	}
}

func TestASampleStandsForAFile(t *testing.T) {
	t.Parallel()
	var s sample
	for n := range maxCertain {
		s.add(fmt.Sprint(n))
	}
	require.Len(t, s.references, maxCertain, "all of a small one")
	for n := range 9 * maxCertain {
		s.add(fmt.Sprint(maxCertain + n))
		require.LessOrEqual(t, len(s.references), maxCertain)
		require.GreaterOrEqual(t, len(s.references), maxCertain/2)
	}
	for n, reference := range s.references {
		require.Equal(t, fmt.Sprint(16*n), reference, "they stand evenly apart")
	}
}

// Before the first row a service that is asked too often, or away for a moment, is waited for like later.
func TestTheBeginningIsAsPatientAsTheRows(t *testing.T) {
	t.Parallel()
	limited := refusal(payments.KindRateLimited, 429)
	limited.RetryAfter = 10 * time.Second
	f := newFake(nil)
	s := f.sender()
	busy := &busyLister{fake: f, errs: []error{limited, refusal(payments.KindUnreachable, 0), nil, limited, nil, refusal(payments.KindUnusable, 0), refusal(payments.KindInternal, 500)}}
	s.Service, s.Sample = busy, []string{"r-0", "r-1", "r-2"}
	report := &lines{}
	require.NoError(t, s.Run(t.Context(), file(t, 30, "1"), report))
	require.Equal(t, 30, report.count(Created))
	require.Empty(t, busy.errs)
	require.GreaterOrEqual(t, f.now.Sub(time.Unix(0, 0)), 20*time.Second)
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

// A batch that ends before its first row reports every row all the same.
func TestABatchThatCannotBeginReportsEveryRow(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	s := f.sender()
	s.Service = unlisted{f}
	report := &lines{}
	require.Error(t, s.Run(t.Context(), file(t, 30, "1"), report))
	require.Equal(t, 30, report.count(NotSent))
	require.Empty(t, f.attempts)
}

// unlisted is a service whose list cannot be had.
type unlisted struct{ *fake }

func (unlisted) ListTransfers(context.Context, payments.TransferFilter) (payments.TransferPage, error) {
	return payments.TransferPage{}, refusal(payments.KindUnreachable, 0)
}

func TestAReferenceOfAnotherTransferIsRefusedWithBothShown(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	require.NoError(t, f.sender().Run(t.Context(), file(t, 3, "1"), &lines{}))
	f.answer = func(string, int) (error, error) { return refusal(payments.KindKeyReuse, 422), nil }
	report := &lines{}
	require.NoError(t, f.sender().Run(t.Context(), file(t, 3, "2"), report))
	require.Equal(t, 3, report.count(Refused))
	require.Equal(t, "payctl:reference-reused", report.results[0].ProblemType)
	require.Contains(t, report.results[0].Detail, "there 1.00, here 2.00")
	require.Equal(t, f.made["r-0"].ID, report.results[0].TransferID)
}

func TestAnInterruptFinishesWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("interrupted")
	f := newFake(nil)
	report := &lines{each: func(r Result) error {
		if r.Reference == "r-20" {
			cancel(why)
		}
		return nil
	}}
	require.ErrorIs(t, f.sender().Run(ctx, file(t, 500, "1"), report), why)
	require.Len(t, report.results, 500)
	require.Equal(t, len(f.made), report.count(Created), "whatever was sent is reported")
	require.Equal(t, 500-len(f.made), report.count(NotSent))
	require.Positive(t, report.count(NotSent))
}

func TestAReportThatCannotBeWrittenStopsTheBatch(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	full := errors.New("no space left")
	report := &lines{each: func(r Result) error {
		if r.Reference == "r-5" {
			return full
		}
		return nil
	}}
	require.ErrorIs(t, f.sender().Run(t.Context(), file(t, 500, "1"), report), full)
	require.Less(t, len(f.made), 500)
}

// Whatever becomes of attempts, running the same file until it is through leaves every row with one transfer, and every
// run reports each row once, in its order.
func TestRepeatedRunsPayEveryRowOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(rt, "rows")
		source := file(t, n, "1")
		troubles := rapid.SliceOfN(rapid.SampledFrom([]string{"", "", "", "lost", "unsent", "limited", "refused"}), 1, 60).Draw(rt, "troubles")
		next := 0
		f := newFake(func(string, int) (error, error) {
			trouble := ""
			if next < len(troubles) {
				trouble = troubles[next]
				next++
			}
			switch trouble {
			case "lost":
				return nil, refusal(payments.KindOutcomeUnknown, 0)
			case "unsent":
				return refusal(payments.KindUnreachable, 0), nil
			case "limited":
				return refusal(payments.KindRateLimited, 429), nil
			case "refused":
				return refusal(payments.KindConflict, 409), nil
			}
			return nil, nil
		})
		for {
			report := &lines{}
			_ = f.sender().Run(t.Context(), source, report)
			require.Len(rt, report.results, n)
			for i, r := range report.results {
				require.Equal(rt, fmt.Sprintf("r-%d", i), r.Reference)
			}
			if report.count(Created) == n {
				break
			}
		}
		require.Len(rt, f.made, n)
	})
}
