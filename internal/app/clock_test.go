package app

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

// A testShell is a user at moments of a clock, which the service's goes along with.
type testShell struct {
	*user

	service *paytest.Service
	now     time.Time
	line    []string // a transfer of 5.00, but for its reference
}

func newShell(t *testing.T) *testShell {
	s := &testShell{service: paytest.Run(t, refserver.Config{}), now: paytest.Start}
	s.user = newUser(t, s.service.URL)
	s.user.now = func() time.Time { return s.now }
	s.env["PAYCTL_CLIENT_ID"], s.env["PAYCTL_CLIENT_SECRET"] = paytest.ClientID, paytest.ClientSecret
	s.addContact()
	return s
}

// addContact makes a contact, and the line that pays it.
func (s *testShell) addContact() {
	s.t.Helper()
	account := s.must("accounts", "create", "--type", "individual", "--first-name", "A", "--last-name", "B",
		"--email", "a@example.com", "--country", "GB", "--jq", ".id")
	s.pass(time.Hour)
	contact := s.must("contacts", "create", "--account", account, "--label", "L", "--holder-name", "N", "--holder-type", "individual",
		"--rail", "sepa", "--currency", "EUR", "--iban", "DE89370400440532013000", "--jq", ".id")
	s.line = []string{"transfer", "auto", "--contact", contact, "--route", "base:USDC->sepa:EUR", "--retries", "0", "-o", "json"}
}

// anotherMachine has no journal.
func (s *testShell) anotherMachine() { s.env["PAYCTL_CONFIG_DIR"] = s.t.TempDir() }

// pass lets time go by, here and there.
func (s *testShell) pass(d time.Duration) {
	s.t.Helper()
	s.now = s.now.Add(d)
	s.service.Advance(s.t, d)
}

func (s *testShell) pay(more ...string) (out, notes string, code int) {
	s.t.Helper()
	e := s.run(append(slices.Clip(s.line), more...)...)
	return e.stdout, e.stderr, e.code
}

// transfers is how many there are.
func (s *testShell) transfers() int {
	s.t.Helper()
	var all []payments.Transfer
	require.NoError(s.t, json.Unmarshal([]byte(s.must("transfer", "list", "--all", "-o", "json")), &all))
	return len(all)
}

// The same line, at once and a day later by the clock, when the service has forgotten the key, is one transfer and
// prints the same; also on another machine, and with a key of the caller's in place of a reference.
func TestTheSameLineADayLater(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"--reference", "--idempotency-key"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShell(t)
			five, six := []string{"--amount", "5", name, "invoice-42"}, []string{"--amount", "6", name, "invoice-42"}
			first, _, code := s.pay(five...)
			require.Zero(t, code)
			for range 2 { // with the journal, and without
				again, _, code := s.pay(five...)
				require.Zero(t, code)
				require.Equal(t, first, again, "at once")

				s.pass(25 * time.Hour)
				later, notes, code := s.pay(five...)
				require.Zero(t, code, notes)
				require.Equal(t, idOf(t, first), idOf(t, later), "25 hours later")
				require.Equal(t, s.must("transfer", "get", idOf(t, first), "-o", "json"), strings.TrimSpace(later), "as it is now")
				require.Equal(t, 1, s.transfers())
				first = later

				_, notes, code = s.pay(six...)
				require.Equal(t, exit.ExitConflict, code, notes)
				if name == "--reference" {
					require.Contains(t, notes, "there 5.00, here 6.00")
				}
				require.Equal(t, 1, s.transfers())
				s.anotherMachine()
			}
		})
	}
}

// The answer is lost, and the line is run again when the key has been forgotten. A reference is unique at this service, so
// the line is sent again. With a key alone a lookup has to show it; what it does not show stays unknown.
func TestALostAnswerADayLater(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"--reference", "--idempotency-key"} {
		for fault, made := range map[string]int{"drop": 1, "reset": 0} {
			t.Run(name+" "+fault, func(t *testing.T) {
				t.Parallel()
				s := newShell(t)
				five := []string{"--amount", "5", name, "invoice-42"}
				s.must("sandbox", "faults", "createAutoTransfer="+fault+",times:1")
				_, notes, code := s.pay(five...)
				require.Equal(t, exit.ExitOutcomeUnknown, code, notes)
				require.Equal(t, made, s.transfers())

				// In the meantime the service cannot be reached, which says nothing of the first attempt.
				s.env["PAYCTL_BASE_URL"], s.env["kept"] = "http://127.0.0.1:1", s.env["PAYCTL_BASE_URL"]
				_, _, code = s.pay(five...)
				require.Equal(t, exit.ExitUnreachable, code, "the token of this process comes from there")
				s.env["PAYCTL_BASE_URL"] = s.env["kept"]

				s.pass(25 * time.Hour)
				_, notes, code = s.pay(five...)
				if made == 0 && name == "--idempotency-key" {
					require.Equal(t, exit.ExitOutcomeUnknown, code, notes)
					require.Zero(t, s.transfers())
					return
				}
				require.Zero(t, code, notes)
				require.Equal(t, 1, s.transfers())
			})
		}
	}
}

// loseRequest runs the line, whose request does not reach the service.
func (s *testShell) loseRequest(line ...string) {
	s.t.Helper()
	s.must("sandbox", "faults", "createAutoTransfer=reset,times:1")
	_, notes, code := s.pay(line...)
	require.Equal(s.t, exit.ExitOutcomeUnknown, code, notes)
}

// A write that may have left stays unknown, whatever the clock did meanwhile.
func TestNoClockSettlesALostAnswer(t *testing.T) {
	t.Parallel()
	for name, jump := range map[string]time.Duration{
		"at once": 0, "15 minutes later": 15 * time.Minute, "a day later": 25 * time.Hour, "a year later": 365 * 24 * time.Hour,
		"set back by an hour": -time.Hour, "set back by a year": -365 * 24 * time.Hour,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShell(t)
			s.loseRequest("--amount", "5", "--reference", "r")
			s.now = s.now.Add(jump)
			for range 2 {
				e := s.run("transfer", "resolve", "--jq", ".[].outcome")
				require.Equal(t, exit.ExitOutcomeUnknown, e.code, e.stderr)
				require.Equal(t, "unknown\n", e.stdout)
			}
			require.Zero(t, s.transfers())
		})
	}
}

// What a person decides about a write settles it, and the line knows.
func TestAPersonSettlesALostAnswer(t *testing.T) {
	t.Parallel()
	line := []string{"--amount", "5", "--idempotency-key", "k"}
	lost := func(t *testing.T) *testShell {
		t.Parallel()
		s := newShell(t)
		s.loseRequest(line...)
		s.pass(25 * time.Hour)
		_, notes, code := s.pay(line...)
		require.Equal(t, exit.ExitOutcomeUnknown, code, notes)
		return s
	}
	t.Run("accept", func(t *testing.T) {
		s := lost(t)
		require.Equal(t, "done", s.must("transfer", "resolve", "k", "--accept", "--yes", "--jq", ".[].outcome"))
		_, notes, code := s.pay(line...)
		require.Zero(t, code, notes)
		require.Zero(t, s.transfers(), "nothing is sent")
	})
	t.Run("accept an id", func(t *testing.T) {
		s := lost(t)
		own := s.env["PAYCTL_CONFIG_DIR"]
		s.anotherMachine() // somebody paid it by hand
		out, notes, code := s.pay("--amount", "5", "--reference", "by hand")
		require.Zero(t, code, notes)
		s.env["PAYCTL_CONFIG_DIR"] = own
		require.Equal(t, "done", s.must("transfer", "resolve", "k", "--accept", idOf(t, out), "--yes", "--jq", ".[].outcome"))
		again, notes, code := s.pay(line...)
		require.Zero(t, code, notes)
		require.Equal(t, idOf(t, out), idOf(t, again))
		require.Equal(t, 1, s.transfers())
	})
	for _, form := range []string{"--accept=", "--accept "} {
		t.Run(form+"the id of another write", func(t *testing.T) {
			s := lost(t)
			out, notes, code := s.pay("--amount", "5", "--reference", "another")
			require.Zero(t, code, notes)
			accept := strings.Split(form+idOf(t, out), " ")
			e := s.run(append([]string{"transfer", "resolve", "k", "--yes"}, accept...)...)
			require.NotZero(t, e.code, e.stderr)
			_, notes, code = s.pay(line...)
			require.Equal(t, exit.ExitOutcomeUnknown, code, notes)
		})
	}
	t.Run("resend", func(t *testing.T) {
		s := lost(t)
		require.Equal(t, "done", s.must("transfer", "resolve", "k", "--resend", "--yes", "--jq", ".[].outcome"))
		require.Equal(t, 1, s.transfers())
		again, notes, code := s.pay(line...)
		require.Zero(t, code, notes)
		require.NotEmpty(t, idOf(t, again))
		require.Equal(t, 1, s.transfers())
	})
	t.Run("dismiss", func(t *testing.T) {
		s := lost(t)
		require.Equal(t, "closed", s.must("transfer", "resolve", "k", "--dismiss", "--yes", "--jq", ".[].outcome"))
		_, notes, code := s.pay(line...)
		require.Equal(t, exit.ExitConflict, code, notes)
		require.Zero(t, s.transfers())
		s.pass(time.Hour)
		s.must("transfer", "resolve", "k", "--resend", "--yes")
		require.Equal(t, 1, s.transfers())
	})
}

// Soon after it was sent, --yes alone does not send a write again: it may still arrive.
func TestAResendWaits(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.loseRequest("--amount", "5", "--idempotency-key", "k")
	s.pass(14 * time.Minute)
	e := s.run("transfer", "resolve", "k", "--resend", "--yes")
	require.Equal(t, exit.ExitOutcomeUnknown, e.code)
	require.Zero(t, s.transfers())
	s.must("transfer", "resolve", "k", "--resend", "--after", "10m", "--yes")
	require.Equal(t, 1, s.transfers())
}

// A write of a sandbox that was reset no longer stands in the way, if a call of its program had shown which one it was:
// nothing of it can be there.
func TestALostAnswerOfASandboxThatWasReset(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	line := []string{"--amount", "5", "--idempotency-key", "k"} // which is looked up before it is sent
	s.loseRequest(line...)
	s.must("sandbox", "reset", "--yes")
	s.addContact()
	_, notes, code := s.pay(line...)
	require.Zero(t, code, notes)
	require.Equal(t, 1, s.transfers())
}

// A file is paid once, however much later it is run again, on this machine or another, and with rows in another order.
func TestTheSameFileADayLater(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	const rows = 20
	lines := make([]string, rows)
	for n := range lines {
		lines[n] = fmt.Sprintf("r-%d,%s,base:USDC->sepa:EUR,5", n, s.line[3])
	}
	file := filepath.Join(t.TempDir(), "rows.csv")
	write := func(lines []string) {
		text := "reference,contact,route,amount\n" + strings.Join(lines, "\n") + "\n"
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	batch := []string{"transfer", "batch", file, "--yes", "--jq", ".[] | .reference + \" \" + .outcome + \" \" + .transfer_id"}
	write(lines)
	first := s.must(batch...)
	require.Equal(t, rows, strings.Count(first, " created trf_"))
	for range 2 {
		require.Equal(t, first, s.must(batch...))
		s.pass(25 * time.Hour)
		require.Equal(t, first, s.must(batch...))
		require.Equal(t, rows, s.transfers())
		s.anotherMachine()
	}
}

func idOf(t *testing.T, text string) string {
	t.Helper()
	var transfer payments.Transfer
	require.NoError(t, json.Unmarshal([]byte(text), &transfer))
	return transfer.ID
}

// While it is not known what became of a reference that was sent with one key, it is not sent with another.
func TestAReferenceThatIsOpenUnderAnotherKey(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must("sandbox", "faults", "createAutoTransfer=reset,times:1")
	_, _, code := s.pay("--amount", "5", "--reference", "r", "--idempotency-key", "k")
	require.Equal(t, exit.ExitOutcomeUnknown, code)
	for _, more := range [][]string{nil, {"--idempotency-key", "another"}} {
		_, notes, code := s.pay(append([]string{"--amount", "5", "--reference", "r"}, more...)...)
		require.Equal(t, exit.ExitOutcomeUnknown, code, notes)
		require.Contains(t, notes, "another key")
	}
	require.Zero(t, s.transfers())
	_, notes, code := s.pay("--amount", "5", "--reference", "r", "--idempotency-key", "k")
	require.Zero(t, code, notes)
	out, _, code := s.pay("--amount", "5", "--reference", "r")
	require.Zero(t, code, "it is found")
	require.NotEmpty(t, idOf(t, out))
	require.Equal(t, 1, s.transfers())
}
