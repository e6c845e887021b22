package app

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli"
	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
	"github.com/payctl/payctl/internal/ui"
)

// A testShell runs the program at moments of a clock, which the service's goes along with.
type testShell struct {
	t       *testing.T
	service *paytest.Service
	env     map[string]string
	now     time.Time
	line    []string // a transfer of 5.00, but for its reference
}

func newShell(t *testing.T) *testShell {
	s := &testShell{t: t, service: paytest.Run(t, refserver.Config{}), now: paytest.Start}
	s.env = map[string]string{
		"PAYCTL_BASE_URL": s.service.URL, "PAYCTL_CLIENT_ID": paytest.ClientID, "PAYCTL_CLIENT_SECRET": paytest.ClientSecret,
		"PAYCTL_CREDENTIAL_STORE": "file",
	}
	s.anotherMachine()
	account := s.must("accounts", "create", "--type", "individual", "--first-name", "A", "--last-name", "B",
		"--email", "a@example.com", "--country", "GB", "--jq", ".id")
	s.pass(time.Hour)
	contact := s.must("contacts", "create", "--account", account, "--label", "L", "--holder-name", "N", "--holder-type", "individual",
		"--rail", "sepa", "--currency", "EUR", "--iban", "DE89370400440532013000", "--jq", ".id")
	s.line = []string{"transfer", "auto", "--contact", contact, "--route", "base:USDC->sepa:EUR", "--retries", "0", "-o", "json"}
	return s
}

// anotherMachine has no journal.
func (s *testShell) anotherMachine() { s.env["PAYCTL_CONFIG_DIR"] = s.t.TempDir() }

// pass lets time go by, here and there.
func (s *testShell) pass(d time.Duration) {
	s.t.Helper()
	s.now = s.now.Add(d)
	s.service.Advance(s.t, d)
}

// run runs a line and returns what it printed and its exit code.
func (s *testShell) run(args ...string) (out, notes string, code int) {
	s.t.Helper()
	var stdout, stderr bytes.Buffer
	streams := &ui.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr}
	p, d := wire(func(name string) string { return s.env[name] }, streams, time.Now, refserver.New)
	d.Now = func() time.Time { return s.now }
	root := cli.New(d)
	root.SetArgs(args)
	err := root.ExecuteContext(s.t.Context())
	p.end()
	if err != nil {
		report(d.Deps, args, err, stdout.Len() > 0)
	}
	return stdout.String(), stderr.String(), exitCode(err)
}

func (s *testShell) must(args ...string) string {
	s.t.Helper()
	out, notes, code := s.run(args...)
	require.Zero(s.t, code, "payctl %s: %s", strings.Join(args, " "), notes)
	return strings.TrimSpace(out)
}

func (s *testShell) pay(more ...string) (out, notes string, code int) {
	s.t.Helper()
	return s.run(append(append([]string{}, s.line...), more...)...)
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

// The answer is lost, and the line is run again when the key has been forgotten: nothing is sent a second time.
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
				require.Zero(t, code, notes)
				require.Equal(t, 1, s.transfers(), "a write that the service does not show for so long counts as not done")
			})
		}
	}
}

// What the service does not show soon after it was sent stays unknown, whatever the clock did meanwhile.
func TestAbsenceByTheClock(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		jump time.Duration
		open bool
	}{
		"at once": {0, true}, "14 minutes later": {14 * time.Minute, true}, "15 minutes later": {15 * time.Minute, false},
		"set back by an hour": {-time.Hour, true}, "set back by a year": {-365 * 24 * time.Hour, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShell(t)
			s.must("sandbox", "faults", "createAutoTransfer=reset,times:1")
			_, _, code := s.pay("--amount", "5", "--reference", "r")
			require.Equal(t, exit.ExitOutcomeUnknown, code)
			s.now = s.now.Add(test.jump)
			out, _, code := s.run("transfer", "resolve", "--jq", ".[].outcome")
			if test.open {
				require.Equal(t, exit.ExitOutcomeUnknown, code)
				require.Equal(t, "unknown\n", out)
			} else {
				require.Zero(t, code)
				require.Equal(t, "absent\n", out)
			}
		})
	}
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
