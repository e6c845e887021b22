//go:build !windows

// On Windows a console stands between a program and its terminal, and draws the screen itself: what arrives there does
// not tell what the program wrote.

package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/terminal"
)

// TestShift works forty cases by keyboard in the live view while accounts change all the time: it finds them by digits,
// filters, news and moving, opens and scrolls their details, and submits, copies, approves and exports them. In every
// frame the cursor is on the row that was chosen, and nothing of the screen is torn.
func TestShift(t *testing.T) {
	t.Parallel()
	s := openShift(t)
	stop := s.changeAccounts()
	for i := range casesOfEach { // the holder has sent a document by e-mail
		s.find("submit", i)
		s.read()
		s.submit()
	}
	s.choose("", true)
	s.act("/\x15\r3", "the failed ones", func(screen string) bool {
		return strings.Contains(screen, " failed    acc_") && !strings.Contains(screen, "\n/")
	})
	for i := range casesOfEach { // the holder asks by telephone
		s.next(i)
		s.read()
		s.copy(i)
	}
	for i := range casesOfEach { // a decision has been made
		if i%2 == 0 {
			s.findNews(s.ids["approve"][i])
		} else {
			s.find("approve", i)
		}
		s.read()
		s.approve()
	}
	for i := range casesOfEach { // the rest goes into a list
		s.find("export", i)
		s.read()
		s.mark(i + 1)
	}
	path := s.export()
	stop()
	s.awaitLast()
	s.redraw()
	s.choose("", false)
	s.Press("q")
	require.Zero(t, s.Finish(s.watch), s.Text())
	require.Empty(t, terminal.LeftOver(s.Wrote()))
	s.requireDone(path)
}

const (
	casesOfEach = 10 // cases of each kind
	others      = 60 // accounts that change all the time
	mostRounds  = 7  // changes of such an account before it would be rejected, since it was submitted three times
)

// A shift is a live view at a terminal, and the accounts that it shows.
type shift struct {
	*terminal.Terminal
	t        *testing.T
	url      string
	token    string
	watch    *exec.Cmd
	document string
	ids      map[string][]string // of the accounts, by what is done to them
	copied   []string

	service  sync.Mutex // held during a change by the test
	statuses map[string]payments.KYCStatus

	counting sync.Mutex
	changes  map[string]int // how many there were from one status to another, as the view names them

	mu       sync.Mutex
	checks   bool   // screens
	chosen   string // the account that the cursor stays on; empty: any
	mistakes []string
}

// The screen's parts.
var (
	headingLine = regexp.MustCompile(`^   TURN      ACCOUNT +STATUS`)
	rowLine     = regexp.MustCompile(`^([▸ ])[✓● ] (?:staff    |applicant|failed   |progress |done     ) (acc_[0-9a-z]{26})  [a-z_]+ `)
	newsLine    = regexp.MustCompile(`^[● ]\d\d:\d\d …[0-9a-z]{13}  [a-z_]+ → [a-z_]+`)
	keysLine    = regexp.MustCompile(`q quit|^enter |^y yes`)
	approveKey  = regexp.MustCompile(`(?m)^[▸ ] (\d)  approved`)
)

// openShift opens a live view of a hundred accounts: the cases, and others that change all the time.
func openShift(t *testing.T) *shift {
	t.Helper()
	s := &shift{
		Terminal: terminal.Open(t, 120, 40), t: t, url: serveAs(t, refserver.Config{Version: "test", KYCDelay: 1, SettleDelay: 1}),
		ids: map[string][]string{}, statuses: map[string]payments.KYCStatus{}, changes: map[string]int{},
	}
	session := newSession(t, s.url)
	var rows bytes.Buffer
	rows.WriteString("external_id,type,first_name,last_name,email,country\n")
	add := func(kind, tag string, count int) { // the tag decides the status
		for i := range count {
			fmt.Fprintf(&rows, "%s-%02d%s,individual,Ada,%[1]s,%[1]s%[2]d%[3]s@example.com,GB\n", kind, i, tag)
		}
	}
	add("submit", "+kyc-stuck", casesOfEach)
	add("copy", "+kyc-rejected", casesOfEach)
	add("approve", "+kyc-stuck", casesOfEach)
	add("export", "+kyc-under-review", casesOfEach)
	add("other", "+kyc-stuck", others/2)
	add("other", "", others/2)
	accounts := session.command(nil, "accounts", "import", "-", "-o", "csv")
	accounts.Stdin = &rows
	report, err := accounts.Output()
	require.NoError(t, err)
	lines, err := csv.NewReader(bytes.NewReader(report)).ReadAll()
	require.NoError(t, err)
	column := map[string]int{}
	for i, name := range lines[0] {
		column[name] = i
	}
	for _, line := range lines[1:] {
		kind, _, _ := strings.Cut(line[column["external_id"]], "-")
		s.ids[kind] = append(s.ids[kind], line[column["id"]])
	}

	var token payments.AccessToken
	s.exchange(http.MethodPost, "/identity/auth/tokens/current/v1", nil, &token)
	s.token = token.AccessToken
	for i := range casesOfEach {
		s.change(s.ids["submit"][i], payments.KYCStatusResubmissionRequired)
		if i%2 == 1 {
			s.change(s.ids["approve"][i], payments.KYCStatusUnderReview)
		}
	}
	for i, id := range s.ids["other"] {
		s.statuses[id] = payments.KYCStatusPending
		if i >= others/2 {
			s.statuses[id] = payments.KYCStatusApproved
		}
	}
	clear(s.changes)
	s.document = filepath.Join(t.TempDir(), "passport.png")
	require.NoError(t, os.WriteFile(s.document, []byte("\x89PNG\r\n\x1a\n"), 0o600))

	s.OnChange = s.look
	s.watch = session.command(nil, "kyc", "watch", "--all", "--rate", "1000/s")
	s.Start(s.watch)
	s.WaitFor("a whole frame with all accounts", func() bool { // until the terminal has answered, frames are written in parts
		return strings.Contains(s.Wrote(), "\x1b[?2026h") && mistakeOf(s.Text(), "") == ""
	})
	s.choose("", true)
	return s
}

// exchange makes one request.
func (s *shift) exchange(method, path string, body, into any) {
	var sent bytes.Buffer
	if body != nil {
		require.NoError(s.t, json.NewEncoder(&sent).Encode(body))
	}
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, &sent)
	require.NoError(s.t, err)
	request.Header.Set("Content-Type", "application/json")
	if s.token == "" {
		request.SetBasicAuth(s.t.Name(), "secret")
	} else {
		request.Header.Set("Authorization", "Bearer "+s.token)
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(s.t, err)
	defer response.Body.Close()
	require.Less(s.t, response.StatusCode, 300, path)
	require.NoError(s.t, json.NewDecoder(response.Body).Decode(into))
}

// change has the sandbox change an account.
func (s *shift) change(id string, to payments.KYCStatus) {
	var check payments.KYC
	s.exchange(http.MethodPut, "/sandbox/accounts/"+id+"/kyc/v1", payments.SandboxKYC{Status: to}, &check)
	s.count(s.statuses[id], to)
	s.statuses[id] = to
}

func (s *shift) count(from, to payments.KYCStatus) {
	s.counting.Lock()
	defer s.counting.Unlock()
	s.changes[string(from+" → "+to)]++
}

// changeAccounts changes the other accounts one after the other, round and round, until stop is called.
func (s *shift) changeAccounts() (stop func()) {
	next := map[payments.KYCStatus]payments.KYCStatus{
		payments.KYCStatusPending: payments.KYCStatusUnderReview, payments.KYCStatusUnderReview: payments.KYCStatusResubmissionRequired,
		payments.KYCStatusResubmissionRequired: payments.KYCStatusPending,
		payments.KYCStatusApproved:             payments.KYCStatusPaused, payments.KYCStatusPaused: payments.KYCStatusApproved,
	}
	over, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(25 * time.Millisecond)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-over:
				return
			case <-tick.C:
			}
			s.service.Lock()
			if id := s.ids["other"][i*7%others]; i < others*mostRounds || s.statuses[id] == payments.KYCStatusPaused || s.statuses[id] == payments.KYCStatusApproved {
				s.change(id, next[s.statuses[id]])
			}
			s.service.Unlock()
		}
	}()
	stop = sync.OnceFunc(func() {
		close(over)
		<-stopped
	})
	s.t.Cleanup(stop)
	return stop
}

// choose says which account the cursor stays on, and whether screens are checked at all.
func (s *shift) choose(id string, checks bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chosen, s.checks = id, checks
}

// look checks a frame of the screen.
func (s *shift) look(screen string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.checks && len(s.mistakes) == 0 {
		if mistake := mistakeOf(screen, s.chosen); mistake != "" {
			s.mistakes = append(s.mistakes, mistake+" (chosen: "+s.chosen+")\n"+screen)
		}
	}
}

// mistakeOf returns what is wrong with a screen on which an account is chosen.
func mistakeOf(screen, chosen string) string {
	lines := terminal.Lines(screen)
	if !strings.HasPrefix(lines[0], "Identity checks: 100 accounts ") || !strings.HasPrefix(lines[1], " 1 staff ") {
		return "the title is torn"
	}
	if !keysLine.MatchString(lines[len(lines)-1]) {
		return "the line of the keys is torn"
	}
	list := 0
	for list < len(lines) && !headingLine.MatchString(lines[list]) {
		list++
	}
	cursor := ""
	for i := list + 1; i < len(lines) && !newsLine.MatchString(lines[i]) && !strings.Contains(lines[i], "latest changes"); i++ {
		row := rowLine.FindStringSubmatch(lines[i] + " ")
		switch {
		case row == nil && lines[i] != "" && !strings.HasPrefix(lines[i], "   No"):
			return "this row is torn: " + lines[i]
		case row != nil && row[1] == "▸" && cursor != "":
			return "there are two cursors"
		case row != nil && row[1] == "▸":
			cursor = row[2]
		}
	}
	switch isDetails := list == len(lines); {
	case isDetails && !strings.Contains(screen, "esc list"):
		return "the list is gone"
	case !isDetails && chosen != "" && cursor != chosen:
		return "the cursor is on " + cursor
	}
	return ""
}

// cursor is the account that the cursor is on; empty: there is no list.
func cursor(screen string) string {
	for _, line := range terminal.Lines(screen) {
		if row := rowLine.FindStringSubmatch(line + " "); row != nil && row[1] == "▸" {
			return row[2]
		}
	}
	return ""
}

// act presses keys and waits for a screen.
func (s *shift) act(keys, what string, is func(screen string) bool) {
	s.t.Helper()
	s.Press(keys)
	s.WaitFor(what, func() bool {
		screen := s.Text()
		s.mu.Lock()
		mistakes := s.mistakes
		s.mu.Unlock()
		require.Empty(s.t, mistakes)
		return is(screen)
	})
}

func (s *shift) actForText(keys, text string) {
	s.t.Helper()
	s.act(keys, text, func(screen string) bool { return strings.Contains(screen, text) })
}

// find chooses an account by the filter.
func (s *shift) find(kind string, i int) {
	s.t.Helper()
	s.choose("", true)
	filter := fmt.Sprintf("/%s-%02d+", kind, i)
	s.act("0/\x15"+filter[1:]+"\r", filter, func(screen string) bool {
		return strings.Contains(screen, "\n"+filter+" ") && strings.Contains(screen, " 1 of 100") && cursor(screen) == s.ids[kind][i]
	})
	s.choose(s.ids[kind][i], true)
}

// next chooses the row below the cursor, or at first the one that it is on.
func (s *shift) next(i int) {
	s.t.Helper()
	before := cursor(s.Text())
	s.choose("", true)
	s.act("j", "the next row", func(screen string) bool { return cursor(screen) != before })
	if i == 0 {
		s.act("k", "the first row", func(screen string) bool { return cursor(screen) == before })
	}
	s.choose(cursor(s.Text()), true)
}

// findNews has an account change, and chooses it as the latest news.
func (s *shift) findNews(id string) {
	s.t.Helper()
	s.service.Lock()
	defer s.service.Unlock()
	s.statuses[id] = payments.KYCStatusPending
	s.change(id, payments.KYCStatusUnderReview)
	s.actForText("", "…"+id[len(id)-13:]+"  pending → under_review")
	s.choose("", true)
	s.act("N", "the latest news", func(screen string) bool { return cursor(screen) == id })
	s.choose(id, true)
}

// read opens the details of the chosen account, scrolls them and goes back to the list.
func (s *shift) read() {
	s.t.Helper()
	s.act("\rjk", "the details", func(screen string) bool {
		return strings.Contains(screen, "\n"+s.chosen+" ") && strings.Contains(screen, "esc list") && strings.Contains(screen, "\nTimeline")
	})
	s.act("\r", "the list", func(screen string) bool { return cursor(screen) == s.chosen })
}

// submit submits what is requested for the chosen account.
func (s *shift) submit() {
	s.t.Helper()
	s.actForText("s", "identity_document: a file")
	s.actForText(s.document+"\r", "y yes")
	s.actForText("y", "Submitted; "+s.chosen+" is pending now.")
	s.count(payments.KYCStatusResubmissionRequired, payments.KYCStatusPending)
}

// copy copies the identifier of the chosen account.
func (s *shift) copy(i int) {
	s.t.Helper()
	s.actForText("y", "Copy what of "+s.chosen)
	s.actForText("i", "Copied: identifier")
	s.copied = append(s.copied, s.chosen)
	s.act("", "it on the wire", func(string) bool { return strings.Count(s.Wrote(), "\x1b]52;c;") == i+1 })
}

// approve approves the chosen account.
func (s *shift) approve() {
	s.t.Helper()
	s.actForText("a", "is under_review. What next?")
	s.actForText(approveKey.FindStringSubmatch(s.Text())[1], "1 account changed to approved")
	approved := regexp.MustCompile(`▸[● ] done +` + s.chosen + `  approved`)
	isAmongOpen := regexp.MustCompile(`\n [● ] (staff|applicant) +acc_`)
	s.act("", "the change in the row with the cursor, which stays where it is", func(screen string) bool {
		return approved.MatchString(screen) && (isAmongOpen.MatchString(screen) || strings.Contains(screen, "1 of 1 "))
	})
	s.count(payments.KYCStatusUnderReview, payments.KYCStatusApproved)
}

// mark marks the chosen account.
func (s *shift) mark(count int) {
	s.t.Helper()
	s.actForText(" ", fmt.Sprintf("%d account", count))
}

// export exports the marked accounts.
func (s *shift) export() (path string) {
	s.t.Helper()
	path = filepath.Join(s.t.TempDir(), "cases.csv")
	s.actForText("e", fmt.Sprintf("Export %d accounts", casesOfEach))
	s.actForText("\x15"+path+"\r", fmt.Sprintf("Exported %d accounts", casesOfEach))
	return path
}

// awaitLast changes one more account and waits for this change, which comes behind all others.
func (s *shift) awaitLast() {
	s.t.Helper()
	id := s.ids["export"][0]
	s.statuses[id] = payments.KYCStatusUnderReview
	s.change(id, payments.KYCStatusApproved)
	s.actForText("", "…"+id[len(id)-13:]+"  under_review → approved")
}

// redraw has the screen drawn again. It looks as before, so nothing of it was left over from an earlier frame.
func (s *shift) redraw() {
	s.t.Helper()
	list := func(screen string) string { // without charts, which are counted anew from time to time
		lines := terminal.Lines(screen)
		for len(lines) > 0 && !headingLine.MatchString(lines[0]) {
			lines = lines[1:]
		}
		return regexp.MustCompile(`[ 0-9]+`).ReplaceAllString(strings.Join(lines, "\n"), " ") // ages grow
	}
	s.act("/\x15\r\x1b", "the list without filter and marks", func(screen string) bool {
		return !strings.Contains(screen, "\n/") && !strings.Contains(screen, "✓") && cursor(screen) == s.chosen
	})
	s.choose(s.chosen, false)
	before := list(s.Text())
	s.act("\x0c", "a clear screen", func(string) bool { return strings.Contains(s.Wrote(), "\x1b[2J") })
	s.act("", "the same screen as\n"+before, func(screen string) bool { return list(screen) == before })
}

// requireDone checks what the service, the file and the clipboard have, and the summary.
func (s *shift) requireDone(path string) {
	s.t.Helper()
	counts := map[payments.KYCStatus]int{}
	for kind, ids := range s.ids {
		for _, id := range ids {
			var check payments.KYC
			s.exchange(http.MethodGet, "/accounts/"+id+"/kyc/v1", nil, &check)
			counts[check.Status]++
			switch kind {
			case "submit":
				require.Equal(s.t, payments.KYCStatusPending, check.Status)
				require.Equal(s.t, 2, check.Attempt)
			case "approve":
				require.Equal(s.t, payments.KYCStatusApproved, check.Status)
			case "other":
				require.Equal(s.t, s.statuses[id], check.Status)
			}
		}
	}
	require.ElementsMatch(s.t, s.ids["copy"], s.copied)
	for _, id := range s.copied {
		require.Contains(s.t, s.Wrote(), "\x1b]52;c;"+base64.StdEncoding.EncodeToString([]byte(id)))
	}
	file, err := os.Open(path)
	require.NoError(s.t, err)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(s.t, err)
	var exported []string
	for _, row := range rows[1:] {
		exported = append(exported, row[0])
	}
	require.ElementsMatch(s.t, s.ids["export"], exported)

	wrote := s.Wrote()
	summary := unfolded(wrote[strings.LastIndex(wrote, left):])
	require.Contains(s.t, summary, "100 accounts: ")
	for status, count := range counts {
		require.Contains(s.t, summary, fmt.Sprintf("%d %s", count, status))
	}
	for change, count := range s.changes {
		require.Contains(s.t, summary, fmt.Sprintf(" %d %s", count, change))
	}
}
