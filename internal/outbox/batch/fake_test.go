package batch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// fake is a service, and the clock of all its clients. By default it honours keys for 24 hours and does not keep
// references unique.
type fake struct {
	outbox.Client
	ignoresKeys, unique, ignoresFilters bool
	repeats                             bool          // answers each request with the id of the first transfer
	lag                                 time.Duration // how long it takes until lists show a new transfer

	// answer decides what happens to an attempt: an error before its effect, or one after it.
	answer func(reference string, attempt int) (before, after error)
	// leaving is called before an attempt leaves the machine.
	leaving func(reference string)
	// shown changes a transfer that a list shows.
	shown func(*payments.Transfer)
	// listing is called with the filter of each list. Its error is the answer.
	listing func(payments.TransferFilter) error

	mu       sync.Mutex
	made     []payments.Transfer // oldest first
	keys     map[string]keyUse
	attempts map[string]int // that left, by reference
	inside   int
	most     int
	now      time.Time
}

// A keyUse is the first request with a key.
type keyUse struct {
	at       time.Time
	content  [sha256.Size]byte
	transfer payments.Transfer
}

// began is when the clock of a fake starts.
var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func newFake(answer func(string, int) (error, error)) *fake {
	if answer == nil {
		answer = func(string, int) (error, error) { return nil, nil }
	}
	return &fake{
		answer: answer, leaving: func(string) {}, shown: func(*payments.Transfer) {}, listing: noTrouble,
		keys: map[string]keyUse{}, attempts: map[string]int{}, now: began,
	}
}

func noTrouble(payments.TransferFilter) error { return nil }

func (f *fake) Digest(r effect.Request) string             { return string(r.Body) }
func (f *fake) Cautions(jsontext.Value) []string           { return nil }
func (f *fake) Authorize(context.Context) error            { return nil }
func (f *fake) World() string                              { return "" }
func (f *fake) HonoursKeys(context.Context, bool) bool     { return !f.ignoresKeys }
func (f *fake) KeepsReferencesUnique(context.Context) bool { return f.unique }

// Send implements outbox.Client, with the errors of the real client.
func (f *fake) Send(ctx context.Context, r effect.Request) effect.Result {
	var request payments.NewAutoTransfer
	if err := json.Unmarshal(r.Body, &request); err != nil {
		return effect.Result{Outcome: effect.NotSent, Err: err}
	}
	f.leaving(request.Reference)
	if err := r.MaySend(ctx, r.Lost); err != nil {
		if r.Lost != nil {
			return effect.Result{Outcome: effect.Unknown, Err: unknown(r.Lost, err)}
		}
		return effect.Result{Outcome: effect.NotSent, Err: err}
	}
	made, replayed, err := f.create(request, r)
	if err != nil {
		return outcomeOf(err)
	}
	document, err := payments.Encode(made)
	return effect.Result{
		Outcome: effect.Done, Err: err, Document: document, Subject: made.ID, State: string(made.State), Replayed: replayed,
		Response: &payments.Response{Status: 201},
	}
}

// outcomeOf returns the result of an attempt that ended with an error of the client.
func outcomeOf(err error) effect.Result {
	o := effect.Result{Outcome: effect.Refused, Err: err, Response: &payments.Response{Status: 400}}
	problem, ok := errors.AsType[*payments.ProblemError](err)
	if ok && problem.Status != 0 {
		o.Response.Status = problem.Status
	}
	switch {
	case !ok, problem.ProblemType() == payments.ProblemUnreachable, problem.ProblemType() == payments.ProblemJournal:
		o.Outcome, o.Response = effect.NotSent, nil
	case problem.ProblemType() == payments.ProblemOutcomeUnknown:
		o.Outcome = effect.Unknown
	case problem.Status == 401, problem.Status == 429, problem.ProblemType() == payments.ProblemInsufficientScope,
		problem.ProblemType() == payments.ProblemMoved:
		o.Outcome = effect.NotSent
	}
	return o
}

// create is the service's side of a write.
func (f *fake) create(
	request payments.NewAutoTransfer, r effect.Request,
) (made payments.Transfer, replayed bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.inside++
	f.most = max(f.most, f.inside)
	defer func() { f.inside-- }()
	f.attempts[request.Reference]++
	before, after := f.answer(request.Reference, f.attempts[request.Reference])
	if before != nil {
		if r.Lost != nil {
			before = unknown(r.Lost, before)
		}
		return made, false, before
	}
	use, isUsed := f.keys[r.Key]
	isUsed = isUsed && !f.ignoresKeys && f.now.Sub(use.at) < 24*time.Hour
	switch {
	case isUsed && use.content != sha256.Sum256(r.Body):
		return made, false, cmp.Or[error](after, refusal(payments.ProblemKeyReuse, 422))
	case isUsed:
		return use.transfer, true, after
	}
	if existing := f.withReference(request.Reference); f.unique && len(existing) > 0 {
		if existing[0].DestinationSavedContactID != request.DestinationSavedContactID {
			return made, false, cmp.Or[error](after, refusal(payments.ProblemReferenceInUse, 409))
		}
		return existing[0], true, after
	}
	made = f.make(request)
	if f.repeats {
		made.ID, f.made = f.made[0].ID, f.made[:1]
	}
	f.keys[r.Key] = keyUse{f.now, sha256.Sum256(r.Body), made}
	return made, false, after
}

var emptyMember = regexp.MustCompile(`"\w+":"",`)

// List implements outbox.Client.
func (f *fake) List(ctx context.Context, _ *contract.Operation, query url.Values) (rows effect.Rows, err error) {
	page, err := f.ListTransfers(ctx, payments.TransferFilter{
		Reference: query.Get("reference"), PageQuery: payments.PageQuery{Cursor: query.Get("cursor"), Limit: 100},
	})
	for _, t := range page.Data {
		document, err := payments.Encode(t)
		if err != nil {
			return rows, err
		}
		document = emptyMember.ReplaceAll(document, nil) // members that f.shown has removed
		rows.Documents = append(rows.Documents, document)
	}
	if page.NextCursor != nil {
		rows.Next = *page.NextCursor
	}
	return rows, err
}

// Read implements outbox.Client.
func (f *fake) Read(ctx context.Context, _ *contract.Operation, params ...string) (jsontext.Value, error) {
	read, err := f.GetTransfer(ctx, params[0])
	if err != nil {
		return nil, err
	}
	return payments.Encode(read.Value)
}

// make creates a transfer, as a request of any client would.
func (f *fake) make(request payments.NewAutoTransfer) payments.Transfer {
	made := payments.Transfer{
		ID: fmt.Sprintf("trf_%d", len(f.made)), State: payments.TransferStateAwaitingFunds, Route: request.Route.RouteKey,
		Amount: request.Amount, AmountType: request.AmountType, Metadata: request.Metadata, Reference: request.Reference,
		DestinationSavedContactID: request.DestinationSavedContactID, BatchID: request.BatchID, CreatedAt: f.now,
	}
	f.made = append(f.made, made)
	return made
}

// withReference returns the transfers with a reference, oldest first.
func (f *fake) withReference(reference string) (found []payments.Transfer) {
	for _, t := range f.made {
		if t.Reference == reference {
			found = append(found, t)
		}
	}
	return found
}

// ids returns the ids of the transfers with a reference, oldest first.
func (f *fake) ids(reference string) (ids []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range f.withReference(reference) {
		ids = append(ids, t.ID)
	}
	return ids
}

// ListTransfers lists the newest first.
func (f *fake) ListTransfers(
	_ context.Context, filter payments.TransferFilter,
) (page payments.TransferPage, err error) {
	if err := f.listing(filter); err != nil {
		return page, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	page.Data = []payments.Transfer{}
	end := len(f.made)
	if filter.Cursor != "" {
		if end, err = strconv.Atoi(filter.Cursor); err != nil {
			return page, err
		}
	}
	for i := end - 1; i >= 0; i-- {
		t := f.made[i]
		isTooOld := !filter.CreatedAfter.IsZero() && !t.CreatedAt.After(filter.CreatedAfter)
		if f.now.Sub(t.CreatedAt) < f.lag || isTooOld && !f.ignoresFilters {
			continue
		}
		if len(page.Data) == cmp.Or(filter.Limit, 20) {
			cursor := strconv.Itoa(i + 1)
			page.NextCursor = &cursor
			break
		}
		if f.ignoresFilters || (filter.BatchID == "" || filter.BatchID == t.BatchID) &&
			(filter.Reference == "" || filter.Reference == t.Reference) {
			f.shown(&t)
			page.Data = append(page.Data, t)
		}
	}
	return page, nil
}

func (f *fake) GetTransfer(_ context.Context, id string) (found payments.ReadResult[payments.Transfer], err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range f.made {
		if t.ID == id {
			found.Value = t
			return found, nil
		}
	}
	return found, payments.NotFound("transfer", id)
}

// GetSavedContact finds no contact: this service shows none.
func (f *fake) GetSavedContact(
	_ context.Context, id string,
) (found payments.ReadResult[payments.SavedContact], err error) {
	return found, payments.NotFound("saved contact", id)
}

// sleep advances the clock.
func (f *fake) sleep(ctx context.Context, d time.Duration) error {
	f.advance(d)
	return ctx.Err()
}

func (f *fake) advance(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
}

func (f *fake) clock() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// took returns how long the clock has run.
func (f *fake) took() time.Duration { return f.clock().Sub(began) }

// A machine sends files with a journal of its own.
type machine struct {
	*fake
	t    testing.TB
	path string
	wrap func(outbox.Journal) outbox.Journal // nil means the journal itself
	// limits are those of the profile.
	limits journal.Limits
}

func (f *fake) machine(t testing.TB) *machine {
	return &machine{fake: f, t: t, path: filepath.Join(t.TempDir(), "journal.db")}
}

// run sends a file in a new program. A test may change its sender.
func (m *machine) run(source checkedFile, report *lines, change ...func(*Sender)) error {
	return m.runUntil(m.t.Context(), source, report, change...)
}

func (m *machine) runUntil(ctx context.Context, source checkedFile, report *lines, change ...func(*Sender)) error {
	o, end := m.outbox()
	defer end()
	var ended atomic.Int64
	s := &Sender{
		Outbox: o, BatchID: "bat_1", Concurrency: 4, Ahead: 7, RowTimeout: time.Minute,
		Begin:   func() { report.call("begun") },
		Trouble: func(err error) { report.call("trouble: %v", err) },
		Pause:   func(time.Time) {},
		Ended:   func(*Row) { ended.Add(1) },
	}
	for _, change := range change {
		change(s)
	}
	if source.Transfers.BatchID != s.BatchID { // another machine may be sending the file
		source.Transfers.BatchID = s.BatchID
	}
	for _, row := range source.File.Rows { // as if the file was read again
		report.results = append(report.results, &Row{
			Line: row.Line, fields: row.fields, newWrite: row.newWrite, Sum: row.Sum,
			ContactID: row.ContactID, Beneficiary: row.Beneficiary,
		})
	}
	err := s.Run(ctx, report.results)
	require.EqualValues(m.t, len(report.results), ended.Load(), "each row ends once")
	report.paidTwice = s.Twice
	return err
}

// outbox returns the outbox of a program, and a function that ends the program.
func (m *machine) outbox() (o *outbox.Outbox, end func()) {
	file := &journal.Journal{Path: m.path, Service: "https://fake.example", Now: m.clock, Limits: m.limits}
	var writes outbox.Journal = file
	if m.wrap != nil {
		writes = m.wrap(file)
	}
	o = outbox.New(m.fake, writes, outbox.Options{
		Timeout: time.Second, Now: m.clock, Sleep: m.sleep, ListLag: m.lag,
	})
	return o, func() { require.NoError(m.t, file.Close()) }
}

// lines collects the results and the calls of a sender.
type lines struct {
	results   []*Row
	paidTwice []PaidTwice

	mu    sync.Mutex
	calls []string
}

func (l *lines) call(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, fmt.Sprintf(format, args...))
}

func (l *lines) count(o effect.Outcome) (n int) {
	for _, r := range l.results {
		if r.Outcome == o {
			n++
		}
	}
	return n
}

const testRoute = "base:USDC->sepa:EUR"

// file returns a checked file of n rows.
func file(t require.TestingT, n int, amount string) checkedFile {
	var b strings.Builder
	b.WriteString("reference,contact,route,amount\n")
	for i := range n {
		fmt.Fprintf(&b, "r-%d,sct,%s,%s\n", i, testRoute, amount)
	}
	return checked(t, terms{}, b.String())
}

// row returns row n of file, as another client would send it.
func row(n int, amount, batchID string) payments.NewAutoTransfer {
	value := money.MustDecimal(amount)
	return payments.NewAutoTransfer{
		Reference: fmt.Sprintf("r-%d", n), DestinationSavedContactID: "sct", Route: payments.RouteChoice{RouteKey: testRoute},
		Amount: &value, AmountType: payments.AmountTypeSource, BatchID: batchID,
	}
}

// cell returns the text of a row in a column of the report.
func cell(r *Row, column string) (text string) {
	for _, cell := range r.Cells() {
		if cell.Column == column {
			text = cell.Text
		}
	}
	return text
}

func refusal(kind payments.ProblemType, status int) *payments.ProblemError {
	r := &payments.ProblemError{}
	r.Type, r.Status, r.Title = string(kind), status, "no"
	return r
}

// unknown returns the client's error for a call whose first attempt was lost.
func unknown(lost, later error) error {
	return payments.NewLocalProblem(payments.ProblemOutcomeUnknown, fmt.Errorf("%w; %w", lost, later), "lost", "no")
}

// TestMain makes fewer random runs with -short.
func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		if err := flag.Set("rapid.checks", "50"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
