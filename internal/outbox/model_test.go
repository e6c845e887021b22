package outbox_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/test/paytest"
)

// The model explores the real Outbox together with a service, machines, clocks and a network that a scheduler controls.
// A program stops before each call of the service, the journal or the clock. The scheduler then decides which program
// goes on, whether it is killed, whether a message is lost or late, and whether time goes by. explore runs a scenario
// again and again, until it has made every sequence of such decisions within the bounds, and checks after each step:
//
//   - A reference, or an external id that must be the only one, has at most one transfer, wherever that is guaranteed (modelWorld.checkTwin).
//   - What a program reports as created exists, and a program whose request arrived does not say that it paid nothing.
//   - An entry that is done names a transfer that exists.
//   - At last, when messages have arrived and time has passed, resolve leaves nothing open, each line succeeds or names
//     what is in its way, and several transfers with one reference have been reported.

// A scenario is what users do at a service.
type scenario struct {
	name  string
	kind  serviceKind
	users []modelUser
	rules modelRules
}

// A modelUser runs commands on a machine, one after the other, whatever becomes of each. At the end it runs its line
// once more.
type modelUser struct {
	machine  int
	line     line
	commands []modelCommand
}

// modelRules break a rule, to show that the model notices.
type modelRules struct {
	ignoreClaims  bool          // the journal lets every program send
	ignoreMaySend bool          // the client sends without asking
	hideTransfers bool          // the service's list shows nothing
	lateAfter     time.Duration // how long a request may be on its way; zero means 15 minutes
}

// bounds are the most deviations of one schedule from a run in which every program goes on to its end.
type bounds struct {
	faults   int // programs that are killed, messages that are lost or late, reads without an answer, leaps of time
	switches int // from a program that could go on to another one
}

// A modelWorld is one run of a scenario.
type modelWorld struct {
	*scenario

	left     bounds
	choose   func(number int) int
	now      time.Duration // that has passed
	service  modelService
	machines [2]*modelMachine
	messages []*modelMessage
	programs []*modelProgram // of the users; nil: the user has run all commands
	next     []int           // the next command of each user
	current  int             // the user whose program went on last
	started  int

	trace     [][3]string // who, what and with which outcome
	reported  bool        // some program reported several transfers
	calm      bool        // nothing fails any more
	violation string
}

func newModelWorld(s *scenario, b bounds, choose func(int) int) *modelWorld {
	w := &modelWorld{
		scenario: s, left: b, choose: choose, service: modelService{kind: s.kind, keys: map[string]modelKey{}},
		programs: make([]*modelProgram, len(s.users)), next: make([]int, len(s.users)),
	}
	for i := range w.machines {
		m := &modelMachine{name: string(rune('A' + i))}
		m.journal = newMemoryJournal(func() time.Time { return modelEpoch.Add(w.now + m.skew) })
		w.machines[i] = m
	}
	return w
}

func (w *modelWorld) note(who, what, outcome string) {
	w.trace = append(w.trace, [3]string{who, what, outcome})
}

func (w *modelWorld) violate(format string, args ...any) {
	if w.violation == "" {
		w.violation = fmt.Sprintf(format, args...)
	}
}

// A move is a decision of the scheduler.
type move struct {
	kind    moveKind
	user    int
	outcome int // of the program's step
	message *modelMessage
	leap    time.Duration
	cost    bounds
}

type moveKind uint8

const (
	goOn moveKind = iota
	kill
	deliver
	leap
)

// leaps are the times that may go by at once: longer than a claim, and a lookup without keys, is relied on; longer than
// a request may be on its way; and longer than keys are honoured.
var leaps = []time.Duration{2 * time.Minute, 16 * time.Minute, 25 * time.Hour}

// run makes one run.
func (w *modelWorld) run() {
	for user := range w.users {
		w.beginNext(user)
	}
	for w.violation == "" {
		moves := w.moves()
		if len(moves) == 0 {
			break
		}
		w.make(moves[w.choose(len(moves))])
		w.checkJournals()
	}
	if w.violation == "" {
		w.calmDown()
	}
	for _, p := range w.programs {
		if p != nil {
			p.die()
		}
	}
}

// beginNext starts the next command of a user, up to its first step.
func (w *modelWorld) beginNext(user int) {
	u := &w.users[user]
	w.programs[user] = nil
	for w.next[user] < len(u.commands) && w.programs[user] == nil {
		p := w.begin(w.machines[u.machine], u.commands[w.next[user]])
		w.next[user]++
		if p.goOn(0) {
			w.programs[user] = p
		}
	}
}

// moves returns what may happen next; nothing if every program has ended. The first one deviates least.
func (w *modelWorld) moves() (moves []move) {
	add := func(m move) {
		if m.cost.faults <= w.left.faults && m.cost.switches <= w.left.switches {
			moves = append(moves, m)
		}
	}
	// When no time will go by any more, a step on one machine and one that another machine sees may change places: only
	// one order is made.
	var local *modelMachine
	switchCost := 0
	for i := range w.programs {
		user := (w.current + i) % len(w.programs)
		p := w.programs[user]
		if p == nil || p.step.waits && w.othersRun(user) || local != nil && local != p.machine {
			continue
		}
		for outcome := range p.step.outcomes {
			add(move{kind: goOn, user: user, outcome: outcome, cost: bounds{min(outcome, 1), switchCost}})
		}
		add(move{kind: kill, user: user, cost: bounds{1, switchCost}})
		switchCost = 1
		if w.left.faults == 0 && !p.step.atService && local == nil {
			local = p.machine
		}
	}
	if len(moves) == 0 {
		return nil
	}
	for _, m := range w.messages {
		if local == nil && w.isAbandoned(m) {
			add(move{kind: deliver, message: m})
		}
	}
	for _, d := range leaps {
		add(move{kind: leap, leap: d, cost: bounds{faults: 1}})
	}
	return moves
}

// othersRun reports whether another program of a user's machine is running.
func (w *modelWorld) othersRun(user int) bool {
	for i, p := range w.programs {
		if i != user && p != nil && !p.step.waits && p.machine == w.programs[user].machine {
			return true
		}
	}
	return false
}

// isAbandoned reports whether a message is on its way and no program waits for its answer any more.
func (w *modelWorld) isAbandoned(m *modelMessage) bool {
	if m.arrived || m.lost {
		return false
	}
	for _, p := range w.programs {
		if p == m.program && p.messages[len(p.messages)-1] == m && p.step.what == "has sent the request" {
			return false
		}
	}
	return true
}

func (w *modelWorld) make(m move) {
	w.left.faults -= m.cost.faults
	w.left.switches -= m.cost.switches
	switch m.kind {
	case goOn:
		w.current = m.user
		p := w.programs[m.user]
		w.note(p.name, p.step.what, p.step.outcomes[m.outcome])
		if !p.goOn(m.outcome) {
			w.beginNext(m.user)
		}
	case kill:
		p := w.programs[m.user]
		w.note(p.name, "is killed before it "+p.step.what, "")
		p.die()
		w.beginNext(m.user)
	case deliver:
		w.note("network", "a late request of "+m.message.program.name+" arrives", "")
		w.arrive(m.message)
	case leap:
		w.leap(m.leap)
	}
}

// leap lets time go by. A request that has been on its way for too long does not arrive any more.
func (w *modelWorld) leap(d time.Duration) {
	w.note("time", d.String()+" go by", "")
	w.now += d
	late := 15 * time.Minute
	if w.rules.lateAfter > 0 {
		late = w.rules.lateAfter
	}
	for _, m := range w.messages {
		m.lost = m.lost || !m.arrived && w.now-m.sent > late
	}
}

// arrive has a message arrive at the service.
func (w *modelWorld) arrive(m *modelMessage) {
	before := len(w.service.transfers)
	w.service.accept(m, w.now)
	if len(w.service.transfers) == before {
		return
	}
	w.checkDenied(m)
	if before > 0 {
		w.checkTwin(m)
	}
}

// checkTwin checks that a second transfer with the reference is one that cannot be prevented: the service keeps neither
// references unique nor, where all machines use the same key, honours keys; and two machines sent at the same time,
// which means that the second one had asked for the reference at most a minute before it sent.
func (w *modelWorld) checkTwin(second *modelMessage) {
	w.note("service", "has a second transfer with the reference", "")
	trusted, first := time.Minute, w.service.transfers[0].message
	if w.kind.honoursKeys && second.key == madeKey {
		trusted = 23 * time.Hour // it does not know of the user's own key on the other machine
	}
	switch {
	case w.kind.uniqueReferences && second.request.Reference != "", w.kind.honoursKeys && first.key == second.key:
		w.violate("paid twice, although the service prevents it")
	case first.program.machine == second.program.machine:
		w.violate("paid twice on one machine")
	case second.looked < 0 || second.sent-second.looked > trusted:
		w.violate("paid twice, although the second machine could have seen the first transfer")
	}
}

// checkJournals checks that entries that are done name transfers that exist.
func (w *modelWorld) checkJournals() {
	for _, m := range w.machines {
		for _, row := range m.journal.rows {
			if row.Outcome != journal.OutcomeDone {
				continue
			}
			if found := w.service.find(row.Subject); found == nil || found.Reference != row.Reference || found.ExternalID != row.ExternalID {
				w.violate("the journal of %s has %q as done", m.name, row.Subject)
			}
		}
	}
}

// calmDown ends a run: requests on their way arrive or are lost, time passes, and the users find out what happened.
func (w *modelWorld) calmDown() {
	w.calm = true
	for _, m := range w.messages {
		switch {
		case m.arrived || m.lost:
		case w.choose(2) == 0:
			m.lost = true
			w.note("network", "a request of "+m.program.name+" is lost", "")
		default:
			w.make(move{kind: deliver, message: m})
		}
	}
	w.leap(outbox.AbsentAfter + time.Minute)
	for _, m := range w.machines {
		w.finish(w.begin(m, resolve))
	}
	for i := range w.users {
		u := &w.users[i]
		w.finish(w.begin(w.machines[u.machine], auto(u.line)))
	}
	w.checkEnd()
}

// finish runs a program to its end.
func (w *modelWorld) finish(p *modelProgram) {
	for steps := 0; p.goOn(0) && w.violation == ""; steps++ {
		w.note(p.name, p.step.what, "")
		if steps > 100 {
			w.violate("%s does not end", p.name)
			p.die()
		}
	}
	w.checkJournals()
}

func (w *modelWorld) checkEnd() {
	switch {
	case len(w.service.transfers) == 0:
		w.violate("the payment is lost")
	case len(w.service.transfers) > 1 && !w.reported && !w.isUnseen():
		w.violate("paid twice, and no program reported it")
	}
}

// madeKey is the key that is made of the reference.
var madeKey = journal.ReferenceKey(outbox.CreateAutoTransferOperation, modelReference)

// isUnseen reports whether no program looks for a second transfer: one with a key of the user's own at a service that
// honours keys, of which the program with the reference's key does not know; or one with an external id, which does not
// promise more.
func (w *modelWorld) isUnseen() bool {
	second := w.service.transfers[len(w.service.transfers)-1].message
	return w.kind.honoursKeys && second.key == madeKey || second.request.Reference == ""
}

// String is the schedule, a line for each step.
func (w *modelWorld) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %s\n", w.name, w.kind, w.violation)
	for _, t := range w.trace {
		fmt.Fprintf(&b, "  %-12s %s", t[0], t[1])
		if t[2] != "" {
			b.WriteString(": " + t[2])
		}
		b.WriteString("\n")
	}
	return b.String()
}

// explore makes every run of a scenario within bounds, in depth-first order. It returns how many there are, and the
// first one that violates something.
func explore(s *scenario, b bounds) (runs int, violation *modelWorld) {
	var made, possible []int // the decisions of a run, and how many there were
	for {
		depth := 0
		w := newModelWorld(s, b, func(number int) int {
			if depth == len(made) {
				made, possible = append(made, 0), append(possible, number)
			}
			depth++
			return made[depth-1]
		})
		w.run()
		runs++
		if w.violation != "" {
			return runs, w
		}
		for len(made) > 0 && made[len(made)-1]+1 == possible[len(made)-1] {
			made, possible = made[:len(made)-1], possible[:len(made)-1]
		}
		if len(made) == 0 {
			return runs, nil
		}
		made[len(made)-1]++
	}
}

var (
	modelFaults   = flag.Int("model.faults", 1, "the most faults in a run of the model")
	modelSwitches = flag.Int("model.switches", 1, "the most switches between programs in a run of the model")
)

var allKinds = []serviceKind{
	{honoursKeys: true, uniqueReferences: true}, {honoursKeys: true}, {uniqueReferences: true}, {},
}

// scenarios are what is explored at each kind of service.
func scenarios() (all []*scenario) {
	pay := line{amount: "5"}
	other := line{amount: "6"}
	keyed := line{amount: "5", key: "my-key"}
	named, again := line{amount: "5", key: "k1", externalID: "order-7"}, line{amount: "5", key: "k2", externalID: "order-7"}
	for _, kind := range allKinds {
		for _, s := range []scenario{
			{name: "one machine, the line is run again", users: []modelUser{
				{0, pay, []modelCommand{auto(pay), auto(pay)}},
			}},
			{name: "one machine, resolved and run again", users: []modelUser{
				{0, pay, []modelCommand{auto(pay), resolve, auto(pay)}},
			}},
			{name: "one machine, two programs", users: []modelUser{
				{0, pay, []modelCommand{auto(pay)}}, {0, pay, []modelCommand{auto(pay)}},
			}},
			{name: "one machine, a program and resolve", users: []modelUser{
				{0, pay, []modelCommand{auto(pay)}}, {0, pay, []modelCommand{resolve}},
			}},
			{name: "one machine, two keys", users: []modelUser{
				{0, pay, []modelCommand{auto(pay)}}, {0, keyed, []modelCommand{auto(keyed)}},
			}},
			{name: "two machines", users: []modelUser{
				{0, pay, []modelCommand{auto(pay), auto(pay)}}, {1, pay, []modelCommand{auto(pay)}},
			}},
			{name: "two machines, a batch and a line", users: []modelUser{
				{0, pay, []modelCommand{row(pay), row(pay)}}, {1, pay, []modelCommand{auto(pay)}},
			}},
			{name: "two machines, two batches", users: []modelUser{
				{0, pay, []modelCommand{row(pay)}}, {1, pay, []modelCommand{row(pay)}},
			}},
			{name: "two machines, two keys", users: []modelUser{
				{0, pay, []modelCommand{auto(pay), auto(pay)}}, {1, keyed, []modelCommand{auto(keyed), auto(keyed)}},
			}},
			{name: "two machines, two contents", users: []modelUser{
				{0, pay, []modelCommand{auto(pay), auto(pay)}}, {1, other, []modelCommand{auto(other)}},
			}},
			{name: "one machine, an external id is used again", users: []modelUser{
				{0, named, []modelCommand{auto(named), auto(again), auto(named)}},
			}},
			{name: "one machine, an external id is resolved and used again", users: []modelUser{
				{0, named, []modelCommand{auto(named), resolve, auto(again)}},
			}},
			{name: "one machine, two programs with an external id", users: []modelUser{
				{0, named, []modelCommand{auto(named)}}, {0, again, []modelCommand{auto(again)}},
			}},
			{name: "two machines, an external id", users: []modelUser{
				{0, named, []modelCommand{auto(named), auto(named)}}, {1, again, []modelCommand{auto(again)}},
			}},
		} {
			s.kind = kind
			all = append(all, &s)
		}
	}
	return all
}

// TestModel explores every scenario at every kind of service. -model.faults and -model.switches set larger bounds.
func TestModel(t *testing.T) {
	t.Parallel()
	if paytest.Raced {
		t.Skip("one program runs at a time, in which the race detector finds nothing")
	}
	for _, s := range scenarios() {
		t.Run(s.name+", "+s.kind.String(), func(t *testing.T) {
			t.Parallel()
			most := *modelFaults
			if s.name == "two machines" && s.kind == (serviceKind{honoursKeys: true}) {
				most = max(most, 2) // where a key expires between two machines, of which one is killed
			}
			for faults := range most + 1 { // the shortest counterexample first
				runs, violation := explore(s, bounds{faults, *modelSwitches})
				if violation != nil {
					t.Fatal(violation)
				}
				t.Logf("%d runs with %d faults", runs, faults)
			}
		})
	}
}

// TestTheModelNoticesBrokenRules breaks one assumption or rule in each case, and expects the model to find a run that
// shows it.
func TestTheModelNoticesBrokenRules(t *testing.T) {
	t.Parallel()
	pay := line{amount: "5"}
	several := [2]line{{amount: "5", key: "k1", externalID: "order-7", duplicates: true}}
	several[1] = several[0]
	several[1].key = "k2"
	once := []modelUser{{0, pay, []modelCommand{auto(pay), auto(pay)}}}
	twoPrograms := []modelUser{{0, pay, []modelCommand{auto(pay)}}, {0, pay, []modelCommand{auto(pay)}}}
	twoMachines := []modelUser{{0, pay, []modelCommand{auto(pay)}}, {1, pay, []modelCommand{auto(pay)}}}
	for _, s := range []*scenario{
		{name: "a service is taken for one that honours keys", kind: serviceKind{believesKeys: true}, users: once},
		{name: "a service is taken for one that keeps references unique",
			kind: serviceKind{believesUnique: true}, users: once},
		{name: "a service forgets keys after minutes",
			kind: serviceKind{honoursKeys: true, keysFor: 10 * time.Minute}, users: twoMachines},
		{name: "the client does not ask whether it may send", users: once, rules: modelRules{ignoreMaySend: true}},
		{name: "the journal lets two programs send at a time", users: twoPrograms, rules: modelRules{ignoreClaims: true}},
		{name: "the list of the service shows nothing", users: once, rules: modelRules{hideTransfers: true}},
		{name: "an external id may be used several times", users: []modelUser{{0, several[0], []modelCommand{
			auto(several[0]), auto(several[1]),
		}}}},
		{name: "a request arrives a day later", users: once, rules: modelRules{lateAfter: 24 * time.Hour}},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for faults := range 4 {
				if _, violation := explore(s, bounds{faults, 1}); violation != nil {
					t.Log(violation)
					return
				}
			}
			t.Fatal("the model does not notice it")
		})
	}
}
