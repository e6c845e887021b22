package app

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
)

// TestListsAtATerminal shows each list at three widths. No line is wider, no two rows look the same, and no identifier
// is cut.
func TestListsAtATerminal(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	account := s.must("accounts", "list", "--jq", ".[].id")
	for _, name := range []string{"太郎", "Sam\x1b[2J\u202e", "Société Générale d'Énergies Renouvelables"} {
		s.must("accounts", "create", "--type", "individual", "--first-name", name, "--last-name", "L", "--country", "GB",
			"--email", "billing@a-very-long-subdomain.example.com")
	}
	for _, label := range []string{
		"Payroll of the office in Berlin, cleaning staff", "Payroll of the office in Berlin, kitchen", "山田太郎",
		"evil\x1b[31m\u202egnp",
	} {
		s.must("contacts", "create", "--account", account, "--label", label, "--holder-name", "Ada L",
			"--holder-type", "individual", "--rail", "sepa", "--currency", "EUR", "--iban", "DE89370400440532013000")
	}
	for n, reference := range []string{
		"payroll-2026-11-employee-0001", "payroll-2026-11-employee-0002", "inv 山田 42", "a reference that is rather long",
	} {
		_, notes, code := s.pay("--amount", fmt.Sprint(n+1)+".00", "--reference", reference)
		require.Zero(t, code, notes)
	}
	for _, list := range []struct{ line, ids string }{ // ids selects the values that are never cut
		{"transfer list", ".[].id"}, {"accounts list", ".[].id"}, {"contacts list", ".[].id"},
		{"routes list --destination :EUR --all", ".[].routeKey"}, {"events list --limit 40", ".[].subjectId"},
		{"sandbox requests --limit 12", "empty"}, // each run adds requests
	} {
		line := strings.Fields(list.line)
		ids := s.must(append(line, "--jq", list.ids)...)
		s.outTTY = true
		for _, s.columns = range []int{80, 120, 200} {
			shown, rows := s.must(line...), map[string]bool{}
			for row := range strings.Lines(shown) {
				require.LessOrEqual(t, ansi.StringWidth(strings.TrimSuffix(row, "\n")), s.columns, "%s", row)
				require.False(t, rows[row], "two rows look like this one: %s", row)
				rows[row] = true
			}
			for id := range strings.FieldsSeq(ids) {
				require.Contains(t, shown, id)
			}
		}
		s.outTTY = false
	}
}
