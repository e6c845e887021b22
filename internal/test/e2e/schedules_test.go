package e2e

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/test/testkit"
)

// schedules is how many random schedules are run: fewer where programs take long to start, which is so under the race
// detector and in Wine.
func schedules() uint64 {
	switch {
	case testing.Short(), runtime.GOOS == "windows":
		return 2
	case testkit.Raced:
		return 4
	}
	return 8
}

// TestRandomSchedules pays from two machines at random moments, while programs are killed or stopped, the network fails
// and time goes by. An oracle reads the service itself. At each kind of service:
//
//   - No reference has two transfers where the service or the journal can prevent it. Two machines that pay at the same
//     time at a service that honours no keys, or with different keys, find out about both transfers.
//   - What a program reports as created exists, and so does every effect that a journal has as done.
//   - A row that was paid before a batch began is not reported as not sent.
//   - At last, a person settles what the service does not show. Then resolve leaves nothing open, and every line succeeds.
//
// A schedule that fails is repeated by its seed, as far as its timing is the same.
func TestRandomSchedules(t *testing.T) {
	t.Parallel()
	first := testkit.Seed(t)
	for seed := first; seed < first+schedules(); seed++ {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			newSchedule(t, seed).play()
		})
	}
}

// A schedule is a random sequence of what happens to two machines that pay at a service.
type schedule struct {
	*site

	random   *rand.Rand
	machines [2]machine
	clocks   [2]string        // the files with the shifts of their clocks
	skews    [2]time.Duration // by how much their clocks are wrong
	passed   time.Duration
	file     string
	pending  atomic.Int32 // requests that the service has not answered
	token    string
	active   []*program
	ended    []*program
}

// A program is a run of payctl for some references on a machine.
type program struct {
	*run

	machine    int
	kind       string
	references []string
	stopped    bool
	killed     bool
	before     []string // the references that were paid when it began
	together   []string // the references that a program on the other machine was paying at the same time
	result     ended
}

var (
	autoReferences = []string{"auto-1", "auto-2"}
	apiReferences  = []string{"api-1"}
	rowReferences  = references(5)
)

func newSchedule(t *testing.T, seed uint64) *schedule {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 0))
	s := &schedule{site: newSiteWith(t, kinds[random.IntN(len(kinds))], 1000*time.Hour), random: random}
	s.file = s.site.file(rowReferences...)
	s.intercept(func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		s.pending.Add(1)
		defer s.pending.Add(-1)
		service.ServeHTTP(w, r)
	})
	for i := range s.machines {
		s.machines[i], s.clocks[i] = s.newMachine(), filepath.Join(t.TempDir(), "clock")
		s.machines[i].env = append(s.machines[i].env, clockFile+"="+s.clocks[i])
		s.skews[i] = time.Duration(s.random.IntN(7)-3) * time.Hour
	}
	s.setClocks(false)
	t.Logf("seed %d, a service with %s", seed, s.kind.name)
	return s
}

func (s *schedule) setClocks(asleep bool) {
	for i, path := range s.clocks {
		text := (s.passed + s.skews[i]).String()
		if asleep {
			text = "wall " + text
		}
		require.NoError(s.t, os.WriteFile(path+".next", []byte(text), 0o600))
		require.NoError(s.t, securefile.Rename(path+".next", path))
	}
}

// play plays the schedule and checks how it ends.
func (s *schedule) play() {
	for range 6 + s.random.IntN(6) {
		switch n := s.random.IntN(10); {
		case n < 6:
			s.begin()
		case n < 8:
			s.fail()
		case n < 9:
			s.letTimePass()
		default:
			s.goOn()
		}
	}
	s.calmDown()
}

// begin starts a program, and decides what becomes of it.
func (s *schedule) begin() {
	i := s.random.IntN(len(s.machines))
	quick := []string{"--retries", "1", "--timeout", "300ms"}
	switch s.random.IntN(8) {
	case 0, 1, 2:
		reference := autoReferences[s.random.IntN(len(autoReferences))]
		s.start(i, "auto", []string{reference}, s.auto(reference, append(quick, "--jq", ".id")...)...)
	case 3:
		s.start(i, "api", apiReferences, s.call(apiReferences[0], quick...)...)
	case 4, 5, 6:
		rate := []string{}
		if s.random.IntN(2) == 0 {
			rate = []string{"--rate", "40"}
		}
		s.start(i, "batch", rowReferences, batch(s.file, append(quick, rate...)...)...)
	case 7:
		if transfers := s.list(); len(transfers) > 0 && s.random.IntN(2) == 0 {
			id := transfers[s.random.IntN(len(transfers))].ID
			s.start(i, "cancel", []string{id}, append(quick, "transfer", "cancel", id)...)
		} else {
			s.start(i, "resolve", nil, append(quick, "transfer", "resolve")...)
		}
	}
	p := s.active[len(s.active)-1]
	fate := s.random.IntN(5)
	if fate < 3 { // otherwise the next step happens at once, or after the program has ended
		longest := []time.Duration{s.took, fileWrites * s.took}[s.random.IntN(2)]
		<-time.After(time.Duration(s.random.Int64N(int64(longest))))
	}
	switch fate {
	case 0:
		p.killed = true
		_ = p.cmd.Process.Kill()
		s.end(p)
	case 1, 2:
		p.stopped = true
		_ = pause(p.cmd.Process) // it may have ended
	case 3:
		s.end(p)
	}
}

func (s *schedule) start(i int, kind string, references []string, args ...string) {
	p := &program{machine: i, kind: kind, references: references}
	for _, t := range s.list() {
		p.before = append(p.before, t.Reference)
	}
	for _, other := range s.active {
		if other.machine == i {
			continue
		}
		for _, reference := range references {
			if slices.Contains(other.references, reference) {
				p.together, other.together = append(p.together, reference), append(other.together, reference)
			}
		}
	}
	s.t.Logf("machine %d begins payctl %s", i, strings.Join(args, " "))
	p.run = s.machines[i].start(args...)
	s.active = append(s.active, p)
}

// fail lets the network or the service fail from now on, or no longer.
func (s *schedule) fail() {
	operations := []string{"createAutoTransfer", "createAutoTransfer", "listTransfers", "*"}
	actions := []string{
		"drop", "reset", "delay:400ms", "truncate", "malformed", "status:503", "status:429", "expired-token",
	}
	rule := operations[s.random.IntN(len(operations))] + "=" + actions[s.random.IntN(len(actions))] +
		",percent:" + strconv.Itoa(20+s.random.IntN(80)) + ",times:" + strconv.Itoa(1+s.random.IntN(8))
	fault, err := payments.ParseFaultRule(rule)
	require.NoError(s.t, err)
	s.setFaults(fault)
	s.t.Logf("the network fails: %s", rule)
}

func (s *schedule) setFaults(faults ...payments.SandboxFault) {
	if faults == nil {
		faults = []payments.SandboxFault{}
	}
	s.ask(http.MethodPut, "/sandbox/faults/v1", payments.SandboxFaults{Faults: faults}, nil)
}

// letTimePass lets time pass for the service and both machines, awake or asleep. Requests on their way arrive before:
// none is later than 15 minutes.
func (s *schedule) letTimePass() {
	ds := []time.Duration{2 * time.Minute, 16 * time.Minute, 16 * time.Minute, 25 * time.Hour, 25 * time.Hour}
	s.pass(ds[s.random.IntN(len(ds))], s.random.IntN(2) == 0)
}

func (s *schedule) pass(d time.Duration, asleep bool) {
	deadline := time.Now().Add(time.Second)
	for s.pending.Load() > 0 && time.Now().Before(deadline) { // a program that is stopped may have sent half a request
		<-time.After(shortWait)
	}
	s.t.Logf("%s pass (asleep: %t)", d, asleep)
	s.passed += d
	s.ask(http.MethodPost, "/sandbox/clock/advance/v1", payments.SandboxAdvance{Duration: d.String()}, nil)
	s.setClocks(asleep)
}

// goOn lets the programs that are stopped go on.
func (s *schedule) goOn() {
	for _, p := range s.active {
		if p.stopped {
			s.t.Logf("machine %d goes on with %s", p.machine, p.kind)
			p.stopped = false
			_ = resume(p.cmd.Process)
		}
	}
}

// end waits for the end of a program, and checks what it reports.
func (s *schedule) end(p *program) {
	s.active = slices.DeleteFunc(s.active, func(other *program) bool { return other == p })
	s.ended = append(s.ended, p)
	p.result = p.wait()
	if p.killed {
		return
	}
	allowed := []int{0, 4, 7, 8, 9, exitUnknown} // 4: a token that was refused
	switch p.kind {
	case "cancel":
		allowed = append(allowed, exitReused) // it does not await its funds any more
	case "batch":
		allowed = append(allowed, exitRefused, exitFailed)
	case "auto", "api":
		allowed = append(allowed, exitFailed)
	}
	if !strings.Contains(p.result.stderr, "keeps the journal locked") { // a program that is stopped
		require.Contains(s.t, allowed, p.result.code)
	}
	exist := s.byID()
	if p.result.code == exitFailed {
		require.True(s.t, s.isCanceled(p), "it reports a transfer as canceled that is not")
	}
	switch {
	case p.kind == "batch":
		s.checkReport(p, exist)
	case p.result.code != 0 || p.kind == "resolve":
	case p.kind == "cancel":
		require.Equal(s.t, payments.TransferStateCanceled, exist[p.references[0]].State)
	default:
		require.Equal(s.t, p.references[0], exist[p.result.stdout].Reference, "it reports a transfer that does not exist")
	}
}

// isCanceled reports whether a transfer that a program is about was canceled.
func (s *schedule) isCanceled(p *program) bool {
	return slices.ContainsFunc(s.list(), func(t payments.Transfer) bool {
		return slices.Contains(p.references, t.Reference) && t.State == payments.TransferStateCanceled
	})
}

// checkReport checks the report of a batch.
func (s *schedule) checkReport(p *program, exist map[string]payments.Transfer) {
	var rows []struct {
		Reference  string `json:"reference"`
		Outcome    string `json:"outcome"`
		TransferID string `json:"transfer_id"`
	}
	if !strings.HasPrefix(p.result.stdout, "[") { // a problem, before there was a report
		require.NotZero(s.t, p.result.code)
		return
	}
	require.NoError(s.t, json.Unmarshal([]byte(p.result.stdout), &rows))
	require.Len(s.t, rows, len(rowReferences))
	for _, row := range rows {
		switch row.Outcome {
		case "created":
			require.Equal(s.t, row.Reference, exist[row.TransferID].Reference, "it reports a transfer that does not exist")
		case "not_sent":
			require.NotContains(s.t, p.before, row.Reference, "a row that was paid is reported as not sent")
			require.NotZero(s.t, p.result.code)
		default:
			require.NotZero(s.t, p.result.code)
		}
	}
}

// calmDown ends a schedule: nothing fails any more, time passes, and the users find out what happened.
func (s *schedule) calmDown() {
	s.goOn()
	for len(s.active) > 0 {
		s.end(s.active[0])
	}
	s.setFaults()
	s.pass([]time.Duration{16 * time.Minute, 25 * time.Hour}[s.random.IntN(2)], false)
	for i := range s.machines {
		s.decide(i)
		s.last(i, "resolve", nil, "transfer", "resolve")
		for _, reference := range autoReferences {
			s.last(i, "auto", []string{reference}, s.auto(reference, "--jq", ".id")...)
		}
		s.last(i, "api", apiReferences, s.call(apiReferences[0])...)
		s.last(i, "batch", rowReferences, batch(s.file)...)
	}
	paid := map[string][]string{}
	for _, t := range s.list() {
		paid[t.Reference] = append(paid[t.Reference], t.ID)
	}
	for _, reference := range slices.Concat(autoReferences, apiReferences, rowReferences) {
		ids := paid[reference]
		require.NotEmpty(s.t, ids, "%s is lost", reference)
		if len(ids) > 1 {
			require.True(s.t, s.mayBePaidTwice(reference), "%s is paid twice: %v", reference, ids)
			require.True(s.t, s.isReported(ids), "%s is paid twice, and no program reported it: %v", reference, ids)
		}
	}
	s.checkJournals()
}

// last runs a program that has to succeed, unless a reference was paid twice and may be.
func (s *schedule) last(i int, kind string, references []string, args ...string) {
	s.start(i, kind, references, args...)
	p := s.active[0]
	s.end(p)
	if p.result.code == exitUnknown && slices.ContainsFunc(slices.Concat(autoReferences, apiReferences, rowReferences),
		s.mayBePaidTwice) {
		require.Regexp(s.t, "paid more than once|trf_.*trf_", p.result.stderr+p.result.stdout)
		return
	}
	if p.result.code != exitFailed {
		require.Zero(s.t, p.result.code, "nothing is in its way any more")
	}
}

// decide settles, as a person who knows that no request is on its way any more, what the service does not show: transfers
// are sent again, cancellations are given up, and both transfers of a reference that was paid twice are accepted.
func (s *schedule) decide(i int) {
	var open []struct {
		Operation string `json:"operation"`
		Key       string `json:"idempotencyKey"`
		Outcome   string `json:"outcome"`
	}
	text := s.machines[i].run("transfer", "resolve", "-o", "json").stdout
	if !strings.HasPrefix(text, "[") {
		return
	}
	require.NoError(s.t, json.Unmarshal([]byte(text), &open))
	for _, entry := range open {
		decision := []string{"--resend", "--after", "0s"}
		if entry.Operation == "cancelTransfer" {
			decision = []string{"--dismiss"}
		}
		if entry.Outcome == "done" {
			continue
		}
		e := s.machines[i].run(slices.Concat([]string{"transfer", "resolve", entry.Key, "--yes"}, decision)...)
		s.ended = append(s.ended, &program{machine: i, kind: "resolve", result: e})
		if strings.Contains(e.stdout, "paid more than once") { // nothing was sent
			require.Equal(s.t, exitUnknown, e.code)
			s.machines[i].must("transfer", "resolve", entry.Key, "--yes", "--accept")
		}
	}
}

// mayBePaidTwice reports whether nothing could have kept two machines from paying a reference: they paid at the same
// time, and the service neither keeps references unique nor honours the same key of both. Each call of api has a key of
// its own.
func (s *schedule) mayBePaidTwice(reference string) bool {
	if s.kind.unique || s.kind.keys && !slices.Contains(apiReferences, reference) {
		return false
	}
	return slices.ContainsFunc(s.ended, func(p *program) bool { return slices.Contains(p.together, reference) })
}

// isReported reports whether some program has named all transfers with a reference.
func (s *schedule) isReported(ids []string) bool {
	return slices.ContainsFunc(s.ended, func(p *program) bool {
		told := p.result.stdout + p.result.stderr
		return p.result.code != 0 && !slices.ContainsFunc(ids, func(id string) bool { return !strings.Contains(told, id) })
	})
}

// checkJournals checks that everything that a journal has as done has happened.
func (s *schedule) checkJournals() {
	exist := s.byID()
	for _, m := range s.machines {
		var entries []struct {
			Operation string `json:"operation"`
			Reference string `json:"reference"`
			Outcome   string `json:"outcome"`
			Subject   string `json:"subject"`
		}
		text := m.must("transfer", "resolve", "--list", "--all", "-o", "json")
		require.NoError(s.t, json.Unmarshal([]byte(text), &entries))
		require.NotEmpty(s.t, entries)
		for _, entry := range entries {
			switch {
			case entry.Outcome != "done":
			case entry.Operation == "cancelTransfer":
				require.Equal(s.t, payments.TransferStateCanceled, exist[entry.Subject].State, "a false done")
			default:
				require.Equal(s.t, entry.Reference, exist[entry.Subject].Reference, "a false done")
			}
		}
	}
}

func (s *schedule) byID() map[string]payments.Transfer {
	all := map[string]payments.Transfer{}
	for _, t := range s.list() {
		all[t.ID] = t
	}
	return all
}

// list returns the transfers that the service has. It asks the service itself, without payctl.
func (s *schedule) list() (all []payments.Transfer) {
	path := "/transfers/v1?limit=100"
	for cursor := ""; ; {
		var page payments.TransferPage
		s.ask(http.MethodGet, path+cursor, nil, &page)
		all = append(all, page.Data...)
		if page.NextCursor == nil {
			return all
		}
		cursor = "&cursor=" + *page.NextCursor
	}
}

// ask calls the service, again while a fault meets the call.
func (s *schedule) ask(method, path string, body, into any) {
	s.t.Helper()
	encoded, err := json.Marshal(body)
	require.NoError(s.t, err)
	for range 50 {
		status, answer := s.exchange(method, path, encoded)
		switch {
		case status >= 200 && status < 300:
			if into == nil || json.Unmarshal(answer, into) == nil {
				return
			}
		case status == http.StatusUnauthorized:
			s.logIn()
		}
	}
	require.Fail(s.t, "the service does not answer the oracle", "%s %s", method, path)
}

func (s *schedule) logIn() {
	var token payments.AccessToken
	s.token = ""
	for range 50 {
		status, answer := s.exchange(http.MethodPost, "/identity/auth/tokens/current/v1", nil)
		if status < 300 && status >= 200 && json.Unmarshal(answer, &token) == nil {
			s.token = token.AccessToken
			return
		}
	}
}

// exchange makes one request. The status is zero if there was no answer.
func (s *schedule) exchange(method, path string, body []byte) (status int, answer []byte) {
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.service+path, bytes.NewReader(body))
	require.NoError(s.t, err)
	request.Header.Set("Content-Type", "application/json")
	if s.token == "" {
		request.SetBasicAuth("payer", "secret-of-the-payer")
	} else {
		request.Header.Set("Authorization", "Bearer "+s.token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	if err != nil {
		return 0, nil
	}
	return response.StatusCode, answer
}
