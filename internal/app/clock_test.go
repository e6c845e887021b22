package app

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

// A testShell is a user with a clock. The clock of the service moves with it.
type testShell struct {
	*user

	service *paytest.Service
	now     time.Time
	line    []string // sends a transfer; the amount and the reference are missing
}

func newShell(t *testing.T) *testShell {
	s := &testShell{service: paytest.Run(t, refserver.Config{}), now: paytest.Start}
	s.user = newUser(t, s.service.URL)
	s.user.now = func() time.Time { return s.now }
	s.env["PAYCTL_CLIENT_ID"], s.env["PAYCTL_CLIENT_SECRET"] = paytest.ClientID, paytest.ClientSecret
	s.addContact()
	return s
}

// addContact creates a contact, and sets the line that pays it.
func (s *testShell) addContact() {
	s.t.Helper()
	account := s.must("accounts", "create", "--type", "individual", "--first-name", "A", "--last-name", "B",
		"--email", "a@example.com", "--country", "GB", "--jq", ".id")
	s.pass(time.Hour)
	contact := s.must("contacts", "create", "--account", account, "--label", "L",
		"--holder-name", "N", "--holder-type", "individual",
		"--rail", "sepa", "--currency", "EUR", "--iban", "DE89370400440532013000", "--jq", ".id")
	s.line = []string{
		"transfer", "auto", "--contact", contact, "--route", "base:USDC->sepa:EUR", "--retries", "0", "-o", "json",
	}
}

// anotherMachine switches to an empty configuration folder, without a journal.
func (s *testShell) anotherMachine() { s.env["PAYCTL_CONFIG_DIR"] = s.t.TempDir() }

// pass advances both clocks.
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

// transfers returns the number of transfers.
func (s *testShell) transfers() int {
	s.t.Helper()
	var all []payments.Transfer
	require.NoError(s.t, json.Unmarshal([]byte(s.must("transfer", "list", "--all", "-o", "json")), &all))
	return len(all)
}

// The same line sends one transfer and prints it again, even a day later, when the service has forgotten the key. This
// holds on another machine too, and with a key of the caller instead of a reference.
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
				require.Equal(t, cmdutil.ExitConflict, code, notes)
				if name == "--reference" {
					require.Contains(t, notes, "there 5.00, here 6.00")
				}
				require.Equal(t, 1, s.transfers())
				s.anotherMachine()
			}
		})
	}
}

func idOf(t *testing.T, text string) string {
	t.Helper()
	var transfer payments.Transfer
	require.NoError(t, json.Unmarshal([]byte(text), &transfer))
	return transfer.ID
}
