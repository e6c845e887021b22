//go:build !windows

package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// pay creates a transfer to a new contact and returns its id. The contact's label chooses the outcome.
func (s *session) pay(account, label, amount, reference string) string {
	s.t.Helper()
	contact := s.createContact(account, label)
	return s.must("transfer", "auto", "--contact", contact, "--route", "base:USDC->sepa:EUR", "--amount", amount,
		"--reference", reference, "--metadata", "order=7", "--jq", ".id")
}

func TestTransfersInTheLiveView(t *testing.T) {
	t.Parallel()
	s := newSession(t, serve(t))
	s.columns = 160
	account := s.createAccount("a@example.com", "--wait")
	failing := s.pay(account, "Landlord+transfer-failed", "1250.50", "invoice-42")
	s.pay(account, "Ada+transfer-unfunded", "20", "invoice-7")

	// A transfer is found by its reference and by its amount; the details show everything.
	out, code := s.steps(s.command("transfer", "watch", "--all", "--timeout", "20s"),
		step{"invoice-7", 0, press("/invoice-42\r")}, step{"(provider_declined)", 0, press("\r")},
		step{"more lines: down", 0, press("G")},
		step{"order=7", 0, press("q")})
	require.Zero(t, code, "%q", out)
	for _, want := range []string{"1250.50 USDC", "20.00 USDC", "Landlord+transfer-failed", "funds_received"} {
		require.Contains(t, out, want)
	}

	out, code = s.steps(s.command("transfer", "watch", "--all", "--timeout", "20s"),
		step{"invoice-7", 0, press("/sends<1000 usdc state:awaiting\r")}, step{"1 of 2", 0, press("q")})
	require.Zero(t, code, "%q", out)

	plain, err := s.command("transfer", "watch", failing).Output()
	require.Error(t, err)
	line := `^\S+ \S+\t` + failing + `\tfailed\tThe provider declined the payment. \(provider_declined\)\n$`
	require.Regexp(t, line, string(plain))
}
