package outbox_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/test/testkit"
)

var (
	schedules = flag.Int("schedules", 2000, "random schedules of TestModel; 144 at most with -short or -race")
	firstSeed = flag.Int("first", 0, "the seed of the first schedule of TestModel")
)

// A line is a command line that changes something. Programs run it again and again.
type line struct {
	name string
	run  func(*model, *outbox.Outbox) (id string, err error)
	// effects returns what it has done at the service, oldest first.
	effects func(*service) []document
	// isLocal means that another machine cannot know that the line was run. isHidden means that nothing shows it.
	isLocal, isHidden bool
	// isUnique means that a service can keep it from being done twice without a key.
	isUnique bool
}

// submit returns a function that describes a write and submits it.
func submit(describe func() *outbox.Write) func(*model, *outbox.Outbox) (string, error) {
	return func(m *model, o *outbox.Outbox) (string, error) {
		result := o.Submit(m.t.Context(), describe())
		return result.Subject, result.Err
	}
}

// made adapts the result of an Outbox method to the results of line.run.
func made[T any](id func(T) string) func(payments.WriteResult[T], error) (string, error) {
	return func(result payments.WriteResult[T], err error) (string, error) { return id(result.Value), err }
}

// The ids of the resources that exist from the start.
const (
	oldTransfer, oldContact, oldAccount = "trf_1", "sct_2", "acc_3"
)

var (
	ofTransfer = made(func(t payments.Transfer) string { return t.ID })
	ofContact  = made(func(c payments.SavedContact) string { return c.ID })
	ofAccount  = made(func(a payments.Account) string { return a.ID })

	iban  = "DE89370400440532013000"
	lines = []line{
		{name: "transfer", run: payByReference, isUnique: true, effects: func(s *service) []document {
			return paid(s, "sent", "r")
		}},
		{name: "transfer with a key", run: func(m *model, o *outbox.Outbox) (string, error) {
			return ofTransfer(o.CreateAutoTransfer(m.t.Context(), transfer("", "5"), payments.Idempotency{Key: "k"}))
		}, effects: func(s *service) []document {
			return paid(s, "externalId", journal.ExternalIDOf(contract.CreateAutoTransfer.ID, "k"))
		}},
		{name: "cancellation", run: func(m *model, o *outbox.Outbox) (string, error) {
			return ofTransfer(o.CancelTransfer(m.t.Context(), oldTransfer, payments.Idempotency{}))
		}, effects: showing("id", oldTransfer, "state", "canceled")},
		{name: "account", run: func(m *model, o *outbox.Outbox) (string, error) {
			account := payments.NewAccount{Type: "individual", ExternalID: "new", Email: "a@example.com", Country: "DE"}
			return ofAccount(o.CreateAccount(m.t.Context(), account, payments.Idempotency{}))
		}, effects: showing("externalId", "new", "country", "DE")},
		{name: "contact", run: func(m *model, o *outbox.Outbox) (string, error) {
			return ofContact(o.CreateSavedContact(m.t.Context(), newContact(), payments.Idempotency{}))
		}, effects: showing("externalId", "new", "iban", iban), isLocal: true},
		{
			name: "imported contact", run: submit(func() *outbox.Write { return outbox.ImportedContact(newContact()) }),
			effects: showing("externalId", "new", "iban", iban),
		},
		{name: "change of a contact", run: func(m *model, o *outbox.Outbox) (string, error) {
			patch := payments.SavedContactPatch{"label": "new"}
			return ofContact(o.UpdateSavedContact(m.t.Context(), oldContact, patch, payments.Idempotency{Key: "k"}))
		}, effects: showing("id", oldContact, "label", "new")},
		{name: "change of an account", run: func(m *model, o *outbox.Outbox) (string, error) {
			patch := payments.AccountPatch{"label": "new"}
			return ofAccount(o.UpdateAccount(m.t.Context(), oldAccount, patch, payments.Idempotency{Key: "k"}))
		}, effects: showing("id", oldAccount, "label", "new")},
		{name: "submission", run: func(m *model, o *outbox.Outbox) (string, error) {
			_, err := o.SubmitKYC(m.t.Context(), oldAccount, payments.KYCSubmission{}, payments.Idempotency{Key: "k"})
			return "", err
		}, effects: showing("of", oldAccount, "of", oldAccount), isLocal: true, isHidden: true},
		{name: "call", run: func(m *model, o *outbox.Outbox) (string, error) {
			request := effect.Request{
				Method: "POST", Path: "/webhooks/v1?a=b", Body: jsontext.Value(`{"url":"new"}`), Key: "k",
			}
			return "", o.Call(m.t.Context(), request, "").Err
		}, effects: showing("url", "new", "url", "new"), isLocal: true, isHidden: true},
	}
)

func newContact() payments.NewSavedContact {
	return payments.NewSavedContact{Label: "Ada", ExternalID: "new", IBAN: iban, PaymentRail: "sepa"}
}

// payByReference makes the same payment with the command or with a call.
func payByReference(m *model, o *outbox.Outbox) (string, error) {
	if !m.chance(25) {
		return ofTransfer(o.CreateAutoTransfer(m.t.Context(), transfer("r", "5"), payments.Idempotency{}))
	}
	body := `{"destinationSavedContactId":"sct_1","route":{"routeKey":"a:X->b:Y"},"amount":"5.0","reference":"r"}`
	result := o.Call(m.t.Context(), effect.Request{
		Method: "POST", Path: "/transfers/%61uto/v1?x=1", Body: jsontext.Value(body),
	}, fmt.Sprint("made up ", m.rand.Int()))
	return result.Subject, result.Err
}

// paid returns the transfers in which a member has this text, without canceled ones.
func paid(s *service, member, text string) []document {
	return slices.DeleteFunc(s.with(member, text), func(d document) bool { return d["state"] == "canceled" })
}

// showing returns a function that finds the documents in which two members have these texts.
func showing(member, text, another, value string) func(*service) []document {
	return func(s *service) []document {
		return slices.DeleteFunc(s.with(member, text), func(d document) bool { return d[another] != value })
	}
}

// A model is one random schedule. Programs run on one or two machines with the real client and journal, and a person
// knows the truth. The service loses messages, answers with something else, shows too little or too late, has a quirk,
// and is restored. Machines sleep at any moment.
type model struct {
	*service
	t         *testing.T
	rand      *rand.Rand
	line      line
	machines  []*machine
	inside    bool // a program runs in the middle of one of the other machine
	calm      bool // nothing fails any more
	gap       bool // both machines sent at the same time, when nothing keeps the service from paying twice
	overtaken bool // the line ended before a lost request arrived
	reported  bool // an error said that it was paid twice
	restored  bool
	uncertain bool // the lists prove nothing
	backup    []document
}

func (m *model) chance(percent int) bool { return !m.calm && m.rand.IntN(100) < percent }

// TestModel checks after each program that the service shows everything that is reported as done. At the end nothing
// may be lost or done twice. If the service promises nothing, two machines that send at the same moment both pay. Then
// the later one must report it.
func TestModel(t *testing.T) {
	t.Parallel()
	names := []string{"no promise", "keys", "unique references", "both"}
	if testing.Short() || testkit.Raced { // a schedule runs in one goroutine
		*schedules = min(*schedules, 144)
	}
	for i := range *schedules {
		seed := *firstSeed + i
		name := names[seed%len(names)]
		isPayment := seed/len(names)%3 == 0 // a third of the schedules
		t.Run(fmt.Sprint(name, " ", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(uint64(seed), 1))
			m := &model{service: newService(t, kinds[name]), t: t, rand: random, line: lines[0]}
			if !isPayment {
				m.line = lines[1+m.rand.IntN(len(lines)-1)]
			}
			m.play()
		})
	}
}

// start prepares the service and the machines of the schedule.
func (m *model) start() {
	m.lose = func() (request, response bool) { return m.chance(25), m.chance(30) }
	m.late = func() bool { return m.chance(80) }
	m.fail = func() bool { return m.chance(5) }
	m.strict = m.chance(30)
	m.refuse = func() bool { return m.chance(8) }
	m.edit = m.confuse
	m.arrived = m.interleave
	m.service.pay("other", "sct_9", "7")
	m.create("sct", document{"label": "old", "externalId": "other", "iban": "DE02120300000000203000"})
	m.create("acc", document{"label": "old", "externalId": "other", "country": "DE", "kycStatus": "approved"})
	m.clock.Advance(time.Hour)
	m.backup = m.snapshot()

	count, declared := 2, time.Duration(0)
	switch m.rand.IntN(8) {
	case 0:
		m.noEnd, m.uncertain = true, true
	case 1: // another machine would find nothing
		m.hidden, m.uncertain, count = []string{"reference", "externalId"}, true, 1
	case 2: // nor would it within the lag
		m.lag, count = time.Minute, 1
	case 3, 4:
		declared = []time.Duration{5 * time.Second, 40 * time.Minute}[m.rand.IntN(2)]
		m.lag = declared
	case 5, 6, 7:
		m.quirk = quirks[m.rand.IntN(len(quirks))]
	}
	m.gone = m.rand.IntN(5)
	switch m.quirk {
	case rewrites, thinAnswers, deduplicates, capsLists, onlyAccepts, hasErrors: // another machine would see nothing
		m.uncertain, count = true, 1
	case breaksWord:
		m.unique, m.keys, count = true, false, 1
	}
	if slices.Contains([]quirk{thinAnswers, deduplicates, hasErrors}, m.quirk) {
		m.edit = nil // the document of another request would look like this one's
	}
	if m.line.isLocal {
		count = 1
	}
	for range count {
		machine := m.machine(m.t)
		machine.retries, machine.lag = m.rand.IntN(3), declared
		machine.leaving = func() { m.leave(machine) }
		m.machines = append(m.machines, machine)
	}
	if m.quirk == deduplicates { // an equal payment with another reference exists
		m.calm = true
		_, err := m.machines[0].pay(m.t, transfer("q", "5"))
		require.NoError(m.t, err)
		m.calm = false
	}
}

// leave makes the machine sleep before a request leaves. The other machine may pay meanwhile, and the first one must
// notice that.
func (m *model) leave(from *machine) {
	if m.inside || !m.chance(5) {
		m.interleave(from)
		return
	}
	m.inside = true
	m.deliver()
	if other := m.other(from); other != nil && m.chance(50) {
		m.run(other)
		m.deliver()
	}
	m.clock.Move(25*time.Hour, time.Duration(m.rand.IntN(2))*25*time.Hour)
	m.inside = false
}

// interleave runs a whole program of the other machine in the middle of a request.
func (m *model) interleave(from *machine) {
	other := m.other(from)
	if m.inside || other == nil || !m.chance(3) {
		return
	}
	m.inside, m.gap = true, true
	m.run(other)
	m.inside = false
}

// other returns the other machine, or nil if there is only one.
func (m *model) other(than *machine) *machine {
	for _, machine := range m.machines {
		if machine != than {
			return machine
		}
	}
	return nil
}

// confuse returns another document, an empty one, or the document with changed members.
func (m *model) confuse(_ string, d document) document {
	if !m.chance(8) {
		return d
	}
	id := d["id"]
	delete(d, "id") // only the service knows it
	members := slices.Sorted(maps.Keys(d))
	switch m.rand.IntN(5) {
	case 0:
		return maps.Clone(m.documents[m.rand.IntN(len(m.documents))])
	case 1:
		return document{}
	case 2:
		d["id"], d["state"], d["label"] = id, "awaiting_funds", "old"
	default:
		d["id"] = id
		d[members[m.rand.IntN(len(members))]] = []any{nil, "another", 500, []any{}}[m.rand.IntN(4)]
	}
	return d
}

func (m *model) play() {
	m.start()
	m.t.Log("quirk:", m.quirk, "lag:", m.lag)
	for range 3 + m.rand.IntN(8) {
		on := m.machines[m.rand.IntN(len(m.machines))]
		switch choice := m.rand.IntN(20); {
		case choice < 9:
			m.run(on)
		case choice < 10:
			m.cancel(on)
		case choice < 11:
			m.change(oldContact, document{"label": "of somebody else"})
			m.change(oldAccount, document{"label": "of somebody else"})
		case choice < 14:
			m.resolve(on)
			if len(m.pending) == 0 && m.chance(50) {
				m.settle(on)
			}
		case choice < 18:
			m.deliver()
			m.clock.Advance(time.Duration(m.rand.IntN(30)) * []time.Duration{time.Hour, 2 * time.Minute}[m.rand.IntN(2)])
		case choice < 19:
			m.deliver()
			m.backup = m.snapshot()
		case m.chance(50):
			m.deliver()
			m.restore(m.backup)
			if m.quirk == reusesIDs {
				m.service.pay("afterwards", "sct_9", "7")
			}
			m.backup, m.restored = m.snapshot(), true
		}
		if m.chance(30) {
			m.deliver()
		}
		m.checkNotDone()
		if !m.restored && (!m.gap || m.unique && m.line.isUnique) {
			require.True(m.t, len(m.alive()) < 2 || m.quirk == breaksWord, "it is done twice")
		}
	}
	m.end()
}

// checkNotDone checks that no machine has recorded its own effect as not done.
func (m *model) checkNotDone() {
	for _, machine := range m.machines {
		for _, entry := range machine.entries(m.t) {
			isClosed := entry.Outcome == journal.OutcomeClosed && !m.line.isUnique // a person gave up
			if entry.IsOpen() || isClosed || entry.Outcome == effect.Done || entry.Operation == contract.CancelTransfer.ID {
				continue
			}
			for _, d := range m.line.effects(m.service) {
				require.NotSame(m.t, m.makers[d["id"]], machine, "%s is recorded as %s", d["id"], entry.Outcome)
			}
		}
	}
}

// end delivers every request. Then every machine finishes the line, or reports why it cannot.
func (m *model) end() {
	m.deliver()
	m.calm = true
	for _, machine := range m.machines {
		m.clock.Advance(48 * time.Hour) // then lists show what the other machine has made
		m.settle(machine)
		_ = m.run(machine)
		m.settle(machine)
		err := m.run(machine)
		for _, entry := range machine.entries(m.t) {
			require.False(m.t, entry.IsOpen(), "no command settles %s", entry.Key)
		}
		switch {
		case m.quirk == onlyAccepts, m.quirk == hasErrors, m.quirk == deduplicates: // then nothing is made
			continue
		case m.quirk == failsAfter:
		case err == nil, m.uncertain, m.line.isHidden:
		case payments.IsProblem(err, payments.ProblemPaidTwice):
		case payments.IsProblem(err, payments.ProblemExternalIDUsed): // the other machine made it
			require.NotEmpty(m.t, m.line.effects(m.service), "it is lost: %v", err)
		case payments.IsProblem(err, payments.ProblemAlreadySent): // it was done, and somebody else or a restore undid it
		case payments.IsProblem(err, payments.ProblemClosed) && m.line.isUnique: // it was made, undone, and given up
		default:
			require.True(m.t, m.restored && m.line.name != "transfer", "it is lost: %v", err)
		}
		if m.line.isUnique && m.quirk != failsAfter {
			require.NotEmpty(m.t, m.with("sent", "r"), "it is lost: %v", err)
		}
	}
	if done := m.alive(); len(done) > 1 && m.quirk == breaksWord {
		require.True(m.t, m.reported || m.overtaken || !m.line.isUnique, "the second payment is not reported")
	} else if len(done) > 1 {
		guarded := m.keys || m.unique && m.line.isUnique
		require.True(m.t, m.gap && !(m.unique && m.line.isUnique) && (!m.keys || m.restored), "it is done twice")
		require.True(m.t, m.reported || guarded || !m.line.isUnique, "the second payment is not reported")
	}
}

// run runs the line on a machine. The program may die before it records the outcome.
func (m *model) run(on *machine) (err error) {
	m.gap = m.gap || slices.ContainsFunc(m.pending, func(p pending) bool { return p.from != on })
	on.run(m.t, m.chance(15), func(o *outbox.Outbox) {
		var id string
		id, err = m.line.run(m, o)
		m.reported = m.reported || payments.IsProblem(err, payments.ProblemPaidTwice) ||
			m.quirk == failsAfter && payments.IsProblem(err, payments.ProblemOutcomeUnknown)
		m.t.Log(m.clock.Now().Format(time.DateTime), m.line.name, "of", on.path, "in another:", m.inside,
			"effects:", len(m.line.effects(m.service)), "pending:", len(m.pending), "error:", err)
		if err != nil {
			return
		}
		m.overtaken = m.overtaken || len(m.pending) > 0
		effects := m.line.effects(m.service)
		if m.line.isUnique {
			effects = m.with("sent", "r") // a canceled payment was made
		}
		require.NotEmpty(m.t, effects, "it is reported as done, but is not")
		isOfEffect := func(d document) bool { return id == "" || d["id"] == id }
		require.True(m.t, slices.ContainsFunc(effects, isOfEffect), "%s is reported as its effect, but is not", id)
	})
	return err
}

// cancel cancels the payment, if there is one.
func (m *model) cancel(on *machine) {
	made := m.alive()
	if !m.line.isUnique {
		return
	}
	if len(made) != 1 || m.gap {
		return
	}
	id, _ := made[0]["id"].(string)
	on.run(m.t, m.chance(15), func(o *outbox.Outbox) {
		_, err := o.CancelTransfer(m.t.Context(), id, payments.Idempotency{})
		if err == nil {
			require.Equal(m.t, "canceled", m.with("id", id)[0]["state"], "it is reported as canceled, but is not")
		}
	})
}

// alive returns the effects of the line that have not failed.
func (m *model) alive() []document {
	return slices.DeleteFunc(m.line.effects(m.service), func(d document) bool { return d["state"] == "failed" })
}

// resolve asks the service about the open writes.
func (m *model) resolve(on *machine) {
	for _, entry := range on.entries(m.t) {
		if entry.IsOpen() {
			on.run(m.t, false, func(o *outbox.Outbox) { o.Resolve(m.t.Context(), entry) })
		}
	}
}

// settle acts as a person who sees what is really there, and decides about everything that the service does not settle.
func (m *model) settle(on *machine) {
	for _, entry := range on.entries(m.t) {
		isOfLine := entry.Reference == "r" || !m.line.isUnique
		isCancellation := entry.Operation == contract.CancelTransfer.ID && m.line.isUnique
		if !entry.IsOpen() && (isCancellation || !isOfLine) {
			continue
		}
		on.run(m.t, false, func(o *outbox.Outbox) {
			r := o.Resolve(m.t.Context(), entry)
			m.reported = m.reported || payments.IsProblem(r.Err, payments.ProblemPaidTwice)
			if r.Err == nil || m.decide(o, r, isOfLine) == nil || !m.calm {
				return
			}
			require.NoError(m.t, o.Journal.Record(m.t.Context(), nil)) // the outcome is written
			for _, again := range on.entriesOf(m.t, o, entry) {
				if r := o.Resolve(m.t.Context(), again); r.Err != nil {
					r.Body = nil // it is not sent again
					require.NoError(m.t, m.decide(o, r, isOfLine))
				}
			}
		})
	}
}

// decide accepts, sends again or dismisses a write, by what is really there.
func (m *model) decide(o *outbox.Outbox, r outbox.Resolved, isOfLine bool) (err error) {
	made := m.line.effects(m.service)
	var ids []string
	for _, d := range made {
		if id, _ := d["id"].(string); !m.line.isHidden && r.Of == "" && id != "" {
			ids = append(ids, id)
		}
	}
	switch {
	case len(made) > 0 && isOfLine:
		if r, err = o.Propose(m.t.Context(), r, ids); err == nil {
			_, err = o.Accept(m.t.Context(), r)
		}
	case r.Body != nil && isOfLine && !r.IsShown:
		_, err = o.Resend(m.t.Context(), r)
	default:
		_, err = o.Dismiss(m.t.Context(), r)
	}
	return err
}
