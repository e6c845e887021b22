//go:build !windows

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/sandbox"
)

// TestListsAtATerminal shows each list at three widths. The service always makes the same identifiers and times. Whatever
// the width, no line is longer, no two rows look the same, and what users copy is whole.
func TestListsAtATerminal(t *testing.T) {
	t.Parallel()
	clock, err := sandbox.ParseClockSetting("manual")
	clock.Start = sandbox.SeededStart
	require.NoError(t, err)
	s := newSession(t, serveAs(t, refserver.Config{Version: "test", Seed: new(uint64(7)), Clock: clock, KYCDelay: 1, SettleDelay: 1}))
	s.env = append(s.env, "NO_COLOR=1", "PAYCTL_CLIENT_ID=lists")
	must := func(args ...string) string {
		t.Helper()
		out, err := s.command(append(args, "-q")...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		return strings.TrimSpace(string(out))
	}
	individual := func(first, last, email, country string) string {
		return must("accounts", "create", "--type", "individual", "--first-name", first, "--last-name", last, "--email", email,
			"--country", country, "--jq", ".id")
	}
	ada := individual("Ada", "Lovelace", "ada@example.com", "GB")
	individual("太郎", "山田", "yamada@example.jp", "JP")
	individual("Sam", "S\x1b[2J\u202eS", "sam+kyc-stuck@example.com", "US")
	must("accounts", "create", "--type", "business", "--legal-name", "Société Générale d'Énergies Renouvelables",
		"--set", "registrationNumber=123456", "--email", "billing@a-very-long-subdomain.example.com", "--country", "FR")
	must("sandbox", "clock", "+2m")
	contact := func(label, holder string, coordinates ...string) string {
		return must(append([]string{"contacts", "create", "--account", ada, "--label", label, "--holder-name", holder, "--holder-type", "individual",
			"--jq", ".id"}, coordinates...)...)
	}
	iban := contact("Payroll of the office in Berlin, cleaning staff", "Ada L", "--rail", "sepa", "--currency", "EUR", "--iban", "DE89370400440532013000")
	contact("Payroll of the office in Berlin, kitchen", "Ada L", "--rail", "sepa", "--currency", "EUR", "--iban", "DE89370400440532013000")
	ach := contact("山田太郎", "山田", "--rail", "ach", "--currency", "USD", "--set", "routingNumber=021000021", "--set", "accountNumber=123456789")
	uk := contact("evil\x1b[31m\u202egnp", "Bob", "--rail", "faster_payments", "--currency", "GBP", "--set", "sortCode=601613", "--set", "accountNumber=31926819")
	pay := func(contact, route, amount string, more ...string) {
		must(append([]string{"transfer", "auto", "--contact", contact, "--route", route, "--amount", amount}, more...)...)
	}
	for n := 1; n <= 3; n++ {
		pay(iban, "base:USDC->sepa:EUR", fmt.Sprintf("%d.00", n), "--reference", fmt.Sprintf("payroll-2026-11-employee-000%d", n))
	}
	pay(uk, "sepa:EUR->faster_payments:GBP", "1000", "--reference", "inv 山田 42")
	pay(ach, "ethereum:USDC->ach:USD", "12345.678901")
	must("sandbox", "clock", "+26h")
	pay(iban, "base:USDC->sepa:EUR", "7", "--reference", "a reference with words that is rather long", "--external-id", "last")
	other := []string{"PAYCTL_CLIENT_ID=requests"} // whose log has only these
	for _, command := range [][]string{
		{"sandbox", "faults", "getAccount=status:503"}, {"accounts", "get", ada, "--retries", "0"}, {"transfer", "get", "trf_unknown"},
		{"contacts", "list", "--account", ada}, {"events", "cursor"},
	} {
		_ = s.with(other...).command(command...).Run() // some fail
	}

	for _, list := range []struct {
		name    string
		command []string
		ids     string // a jq expression for those that are shown whole at every width; empty: a number is there
	}{
		{"requests", []string{"sandbox", "requests", "--limit", "12"}, ""},
		{"transfers", []string{"transfer", "list"}, ".[].id"},
		{"accounts", []string{"accounts", "list"}, ".[].id"},
		{"contacts", []string{"contacts", "list"}, ".[].id"},
		{"routes", []string{"routes", "list", "--destination", ":EUR", "--all"}, ".[].routeKey"},
		{"events", []string{"events", "list", "--limit", "40"}, ".[].subjectId"},
	} {
		for _, s.columns = range []int{80, 120, 200} {
			var env []string
			if list.name == "requests" {
				env = other
			}
			shown, code := s.terminal(env, "", nil, list.command...)
			require.Zero(t, code, shown)
			shown = strings.ReplaceAll(shown, "\r\n", "\n")
			rows := map[string]bool{}
			for line := range strings.Lines(shown) {
				require.LessOrEqual(t, ansi.StringWidth(strings.TrimSuffix(line, "\n")), s.columns, "%s", line)
				require.False(t, rows[line], "two rows look like this one: %s", line)
				rows[line] = true
			}
			if list.ids != "" {
				for id := range strings.FieldsSeq(must(append(list.command, "--jq", list.ids)...)) {
					require.Contains(t, shown, id)
				}
			}
		}
	}
}
