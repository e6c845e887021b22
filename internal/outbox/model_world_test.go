package outbox_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// A modelService is the service of the model.
type modelService struct {
	kind      serviceKind
	transfers []modelTransfer // oldest first
	keys      map[string]modelKey
}

// A serviceKind is what a service does, and what its clients believe that it does.
type serviceKind struct {
	honoursKeys, uniqueReferences bool
	// keysFor is how long keys are honoured; zero means 24 hours.
	keysFor time.Duration
	// believesKeys and believesUnique are what the clients take a service for that is not so.
	believesKeys, believesUnique bool
}

func (k serviceKind) String() string {
	return fmt.Sprintf("keys=%t unique=%t", k.honoursKeys, k.uniqueReferences)
}

type modelTransfer struct {
	payments.Transfer

	bodyHash string
	message  *modelMessage // the request that created it
}

type modelKey struct {
	since    time.Duration
	bodyHash string
	transfer payments.Transfer
}

// A modelMessage is a request to create a transfer on its way to the service.
type modelMessage struct {
	program  *modelProgram
	request  payments.NewAutoTransfer
	key      string
	bodyHash string
	sent     time.Duration // when it left
	looked   time.Duration // when its program last asked the service for the reference; negative: it has not
	arrived  bool
	lost     bool
	answer   payments.WriteResult[payments.Transfer]
	refusal  error
}

// accept applies a message that arrives.
func (s *modelService) accept(m *modelMessage, now time.Duration) {
	m.arrived = true
	lifetime := 24 * time.Hour
	if s.kind.keysFor > 0 {
		lifetime = s.kind.keysFor
	}
	if s.kind.honoursKeys {
		if known, ok := s.keys[m.key]; ok && now-known.since < lifetime {
			if known.bodyHash == m.bodyHash {
				m.answer = payments.WriteResult[payments.Transfer]{Value: known.transfer, Replayed: true}
			} else {
				m.refusal = payments.NewProblem(payments.KindKeyReuse, "The key belongs to another request.")
			}
			return
		}
	}
	if s.kind.uniqueReferences && m.request.Reference != "" {
		for _, t := range s.transfers {
			if t.Reference != m.request.Reference {
				continue
			}
			if t.bodyHash == m.bodyHash {
				m.answer = payments.WriteResult[payments.Transfer]{Value: t.Transfer, Replayed: true}
			} else {
				m.refusal = payments.NewProblem(payments.KindReferenceInUse, "The reference belongs to another transfer.")
			}
			return
		}
	}
	transfer := payments.Transfer{
		ID: fmt.Sprintf("trf_%d", len(s.transfers)+1), Reference: m.request.Reference, ExternalID: m.request.ExternalID,
		Amount: m.request.Amount,
		Route:  m.request.Route.RouteKey, AmountType: payments.AmountTypeSource, State: payments.TransferStateAwaitingFunds,
		DestinationSavedContactID: m.request.DestinationSavedContactID,
	}
	s.transfers = append(s.transfers, modelTransfer{transfer, m.bodyHash, m})
	s.keys[m.key] = modelKey{now, m.bodyHash, transfer}
	m.answer.Value = transfer
}

// find returns a transfer by its identifier.
func (s *modelService) find(id string) *modelTransfer {
	at := slices.IndexFunc(s.transfers, func(t modelTransfer) bool { return t.ID == id })
	if at < 0 {
		return nil
	}
	return &s.transfers[at]
}

// A modelMachine has a clock and a journal.
type modelMachine struct {
	name    string
	skew    time.Duration // by which its wall clock is ahead
	journal *memoryJournal
}

// A modelProgram is a run of payctl on a machine. It is a coroutine that stops before each step; each is one call of the
// service, the journal or the clock.
type modelProgram struct {
	world   *modelWorld
	machine *modelMachine
	name    string
	writer  *memoryWriter
	next    func() (modelStep, bool)
	kill    func()
	yield   func(modelStep) bool
	step    modelStep // the one that it stops before
	chosen  int       // what happens in it

	looked   time.Duration // when it last asked the service for the reference; negative: it has not
	messages []*modelMessage
	// paidNothing: it has ended with an error that says so.
	paidNothing bool
}

// A modelStep is what a program is about to do. The first outcome is that it succeeds; the others are failures.
type modelStep struct {
	what      string
	outcomes  []string
	atService bool // the step asks or changes the service; other steps are seen on their own machine alone
	waits     bool // for another program of its machine
}

var errKilled = errors.New("killed")

// begin starts a program, up to its first step.
func (w *modelWorld) begin(machine *modelMachine, c modelCommand) *modelProgram {
	w.started++
	p := &modelProgram{
		world: w, machine: machine, name: fmt.Sprintf("%s/%s#%d", machine.name, c.name, w.started), looked: -1,
	}
	p.writer = &memoryWriter{memoryJournal: machine.journal, name: p.name}
	next, kill := iter.Pull(func(yield func(modelStep) bool) {
		defer func() {
			if cause := recover(); cause != nil && cause != errKilled { //nolint:errorlint // as it was thrown
				panic(cause)
			}
		}()
		p.yield = yield
		c.run(p)
		p.writer.write() // as the journal is closed
		delete(machine.journal.alive, p.name)
	})
	p.next, p.kill = next, kill
	return p
}

// goOn lets a program make its step, up to its next one. It returns false when the program has ended.
func (p *modelProgram) goOn(outcome int) bool {
	p.chosen = outcome
	var ok bool
	p.step, ok = p.next()
	return ok
}

// die ends a program at once. What it has not yet written is lost.
func (p *modelProgram) die() {
	p.writer.ended = nil
	delete(p.machine.journal.alive, p.name)
	p.kill()
}

// stop is called by a program before each step on its own machine. It returns which outcome the step has.
func (p *modelProgram) stop(what string, failures ...string) int {
	return p.pause(modelStep{what: what, outcomes: append([]string{""}, failures...)})
}

// stopBeforeService is stop for a step at the service.
func (p *modelProgram) stopBeforeService(what string, failures ...string) int {
	return p.pause(modelStep{what: what, outcomes: append([]string{""}, failures...), atService: true})
}

func (p *modelProgram) pause(step modelStep) int {
	if !p.yield(step) {
		panic(errKilled)
	}
	p.writer.write()
	return p.chosen
}

func (p *modelProgram) now() time.Time { return modelEpoch.Add(p.world.now + p.machine.skew) }

var modelEpoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// outbox returns the real Outbox, with the client and the journal of the model.
func (p *modelProgram) outbox() *outbox.Outbox {
	return outbox.New(&modelClient{p: p}, &modelJournal{memoryWriter: p.writer, p: p}, outbox.Options{
		Timeout: 30 * time.Second, Now: p.now,
		Sleep: func(context.Context, time.Duration) error {
			p.pause(modelStep{what: "waits for the other program", outcomes: []string{""}, waits: true})
			return nil
		},
	})
}

// A modelJournal is the journal of a machine, at which the program stops before each call.
type modelJournal struct {
	*memoryWriter

	p *modelProgram
}

// Claim implements outbox.Journal.
func (j *modelJournal) Claim(
	ctx context.Context, intents []journal.Intent, takeOver bool,
) ([]journal.Claim, error) {
	j.p.stop("claims the write")
	claims, err := j.memoryWriter.Claim(ctx, intents, takeOver)
	if j.p.world.rules.ignoreClaims {
		for i := range claims {
			claims[i] = journal.Claim{Mine: true}
		}
	}
	return claims, err
}

// Renew implements outbox.Journal.
func (j *modelJournal) Renew(ctx context.Context, intent journal.Intent) (bool, error) {
	j.p.stop("renews its claim")
	return j.memoryWriter.Renew(ctx, intent)
}

// Record implements outbox.Journal.
func (j *modelJournal) Record(ctx context.Context, entries []journal.Entry) error {
	j.p.stop("records what it found")
	return j.memoryWriter.Record(ctx, entries)
}

// Lookup implements outbox.Journal.
func (j *modelJournal) Lookup(ctx context.Context, intents ...journal.Intent) ([]journal.Entry, error) {
	j.p.stop("reads the journal")
	return j.memoryWriter.Lookup(ctx, intents...)
}

// A modelClient is the client of the model. It sends a write at most twice.
type modelClient struct {
	payments.Service
	payments.EventStreamer

	p *modelProgram
}

var _ outbox.Client = (*modelClient)(nil)

// Authorize implements outbox.Client.
func (c *modelClient) Authorize(context.Context) error { return nil }

// World implements outbox.Client.
func (c *modelClient) World() string { return "" }

// HonoursKeys implements outbox.Client.
func (c *modelClient) HonoursKeys(context.Context, bool) bool {
	return c.p.world.service.kind.honoursKeys || c.p.world.service.kind.believesKeys
}

// KeepsReferencesUnique implements outbox.Client.
func (c *modelClient) KeepsReferencesUnique(context.Context) bool {
	return c.p.world.service.kind.uniqueReferences || c.p.world.service.kind.believesUnique
}

// Encode implements outbox.Client.
func (c *modelClient) Encode(operation string, _ []string, body any) (string, []byte, error) {
	encoded, err := json.Marshal(body, json.Deterministic(true))
	return operation, encoded, err
}

// ListTransfers implements payments.Transfers.
func (c *modelClient) ListTransfers(
	_ context.Context, filter payments.TransferFilter,
) (page payments.TransferPage, err error) {
	if c.p.stopBeforeService("looks the reference up", "no answer") > 0 {
		return page, payments.NewLocalProblem(payments.KindUnreachable, nil, "There was no answer.", "")
	}
	c.p.looked = c.p.world.now
	for _, t := range slices.Backward(c.p.world.service.transfers) {
		if t.Reference == filter.Reference && (filter.ExternalID == "" || t.ExternalID == filter.ExternalID) && !c.p.world.rules.hideTransfers {
			page.Data = append(page.Data, t.Transfer)
		}
	}
	return page, nil
}

// GetTransfer implements payments.Transfers.
func (c *modelClient) GetTransfer(
	_ context.Context, id string, _ payments.ReadOptions,
) (result payments.ReadResult[payments.Transfer], err error) {
	c.p.stopBeforeService("reads " + id)
	found := c.p.world.service.find(id)
	if found == nil {
		return result, payments.NotFound("transfer", id)
	}
	result.Value = found.Transfer
	return result, nil
}

var errNoAnswer = errors.New("no answer came")

// SendAutoTransfer implements outbox.Client. Like the real client, it sends a request again if MaySend allows it.
func (c *modelClient) SendAutoTransfer(
	ctx context.Context, request payments.NewAutoTransfer, body []byte, key payments.Idempotency,
) (result payments.WriteResult[payments.Transfer], err error) {
	const attempts = 2
	hash := sha256.Sum256(body)
	lost := key.Lost
	for attempt := 1; ; attempt++ {
		if err := key.MaySend(ctx, lost); err != nil && !c.p.world.rules.ignoreMaySend {
			if lost == nil {
				return result, &payments.NotSentError{Err: err}
			}
			return result, outcomeUnknown(errors.Join(lost, err))
		}
		m := &modelMessage{
			program: c.p, request: request, key: key.Key, bodyHash: hex.EncodeToString(hash[:4]),
			sent: c.p.world.now, looked: c.p.looked,
		}
		if c.exchange(m) {
			if m.refusal != nil {
				return result, m.refusal
			}
			return m.answer, nil
		}
		if lost == nil {
			lost = errNoAnswer
		}
		if attempt == attempts {
			return result, outcomeUnknown(lost)
		}
		c.p.stop("pauses before it sends again")
	}
}

// exchange sends a request and waits for its response. It returns false if none comes.
func (c *modelClient) exchange(m *modelMessage) bool {
	c.p.messages = append(c.p.messages, m)
	c.p.world.messages = append(c.p.world.messages, m)
	const late = "the connection breaks; the request is still on its way"
	switch c.p.stopBeforeService("has sent the request", "the request is lost", late) {
	case 1:
		m.lost = true
		return false
	case 2:
		return false
	}
	if m.lost { // while time went by
		return false
	}
	if !m.arrived {
		c.p.world.arrive(m)
	}
	return c.p.stop("the answer is on its way", "the answer is lost") == 0
}

func outcomeUnknown(cause error) error {
	return payments.NewLocalProblem(payments.KindOutcomeUnknown, cause, "No answer came.", "")
}

// A modelCommand is a command that a user runs.
type modelCommand struct {
	name string
	run  func(*modelProgram)
}

// A line is `payctl transfer auto` for a reference.
type line struct {
	amount string
	key    string // --idempotency-key; empty: the one that is made of the reference
	// externalID takes the place of the reference; the line has a key then. With duplicates, it may be used several times.
	externalID string
	duplicates bool
}

const modelReference = "invoice-42"

func (l line) request() payments.NewAutoTransfer {
	amount := payments.MustDecimal(l.amount)
	request := payments.NewAutoTransfer{
		Reference: modelReference, Amount: &amount, DestinationSavedContactID: "sct_1", Route: payments.RouteChoice{RouteKey: "a:USDC->b:EUR"},
	}
	if l.externalID != "" {
		request.Reference, request.ExternalID = "", l.externalID
	}
	return request
}

// auto is `payctl transfer auto`.
func auto(l line) modelCommand {
	return modelCommand{"auto", func(p *modelProgram) {
		result, err := p.outbox().CreateAutoTransfer(context.Background(), l.request(), payments.Idempotency{
			Key: l.key, OneExternalID: l.externalID != "" && !l.duplicates,
		})
		p.world.returned(p, l, result.Value, err)
	}}
}

// row is `payctl transfer batch` with a file of one row, which is claimed before it is its turn.
func row(l line) modelCommand {
	return modelCommand{"batch", func(p *modelProgram) {
		o := p.outbox()
		prepared, err := o.PrepareAutoTransfer(l.request(), payments.Idempotency{})
		if err == nil {
			err = o.Claim(context.Background(), []*outbox.PreparedTransfer{prepared})
		}
		if err != nil {
			panic(err)
		}
		p.stop("waits for the row's turn")
		result, err := o.SubmitAutoTransfer(context.Background(), prepared)
		if err == nil && p.world.kind == (serviceKind{}) { // as batch.Sender does after the last row
			_, _, failure := o.FindTransferID(context.Background(), modelReference)
			if payments.IsKind(failure, payments.KindPaidTwice) {
				err = failure
			}
		}
		p.world.returned(p, l, result.Value, err)
	}}
}

// resolve is `payctl transfer resolve`.
var resolve = modelCommand{"resolve", func(p *modelProgram) {
	o := p.outbox()
	_ = o.Entries(context.Background(), journal.Filter{Open: true}, func(entry journal.Entry) error {
		if entry.Busy {
			return nil
		}
		resolved, err := o.Resolve(context.Background(), entry, outbox.ResolveOptions{After: outbox.AbsentAfter})
		if err == nil {
			p.world.resolved(p, resolved)
		}
		return err
	})
}}

// returned checks what a program tells about the payment.
func (w *modelWorld) returned(p *modelProgram, l line, transfer payments.Transfer, err error) {
	w.note(p.name, "ends", told(transfer, err))
	if err == nil {
		found := w.service.find(transfer.ID)
		switch {
		case found == nil || found.Reference != l.request().Reference || found.ExternalID != l.request().ExternalID:
			w.violate("%s reports a transfer that does not exist", p.name)
		case found.Amount.Cmp(*l.request().Amount) != 0:
			w.violate("%s reports a transfer with another content", p.name)
		}
		return
	}
	if payments.IsKind(err, payments.KindPaidTwice) {
		w.reported = true
	}
	open := []payments.Kind{payments.KindPaidTwice, payments.KindOutcomeUnknown, payments.KindBeingSent}
	if slices.ContainsFunc(open, func(kind payments.Kind) bool { return payments.IsKind(err, kind) }) {
		return
	}
	p.paidNothing = true
	for _, t := range w.service.transfers {
		w.checkDenied(t.message)
	}
}

// checkDenied checks that a program whose request created a transfer has not said that it paid nothing.
func (w *modelWorld) checkDenied(m *modelMessage) {
	if m.program.paidNothing {
		w.violate("%s said that it paid nothing, but its request created a transfer", m.program.name)
	}
}

func told(transfer payments.Transfer, err error) string {
	if err == nil {
		return "created " + transfer.ID
	}
	return "error: " + err.Error()
}

func (w *modelWorld) resolved(p *modelProgram, resolved outbox.Resolved) {
	w.note(p.name, "resolves the write", string(resolved.Outcome)+" "+resolved.Detail)
	if strings.Contains(resolved.Detail, "paid more than once") {
		w.reported = true
	}
	if !resolved.Outcome.Settled() && !resolved.Hidden && w.calm {
		w.violate("%s leaves an outcome open that the service shows", p.name)
	}
}
