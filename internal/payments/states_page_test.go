package payments

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var updateStates = flag.Bool("update-states", false, "write the diagrams of docs/STATES.md from the transition tables")

const statesPage = "../../docs/STATES.md"

// diagram draws a state machine as Mermaid does: from where it begins, each transition in the order of all.
func diagram[S interface {
	~string
	comparable
}](start S, all []S, canBecome func(from, to S) bool) string {
	var b strings.Builder
	b.WriteString("```mermaid\nstateDiagram-v2\n    [*] --> " + string(start) + "\n")
	for _, from := range all {
		final := true
		for _, to := range all {
			if canBecome(from, to) {
				b.WriteString("    " + string(from) + " --> " + string(to) + "\n")
				final = false
			}
		}
		if final {
			b.WriteString("    " + string(from) + " --> [*]\n")
		}
	}
	b.WriteString("```\n")
	return b.String()
}

// TestStatesPage holds the diagrams of docs/STATES.md to the transition tables. After a change of a table, run
//
//	go test ./internal/payments -run TestStatesPage -update-states
func TestStatesPage(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(statesPage)
	require.NoError(t, err)
	page := string(content)
	for heading, drawn := range map[string]string{
		"## Transfers\n":       diagram(TransferStateAwaitingFunds, allTransferStates, TransferState.CanBecome),
		"## Identity checks\n": diagram(KYCStatusNotStarted, allKYCStatuses, KYCStatus.CanBecome),
	} {
		before, section, found := strings.Cut(page, heading)
		require.True(t, found, heading)
		lead, rest, found := strings.Cut(section, "```mermaid\n")
		require.True(t, found, heading)
		there, after, found := strings.Cut(rest, "```\n")
		require.True(t, found, heading)
		if *updateStates {
			page = before + heading + lead + drawn + after
			continue
		}
		require.Equal(t, drawn, "```mermaid\n"+there+"```\n", "run go test ./internal/payments -run TestStatesPage -update-states")
	}
	for _, state := range allTransferStates {
		require.Contains(t, page, "| `"+string(state)+"` |")
	}
	for _, status := range allKYCStatuses {
		require.Contains(t, page, "| `"+string(status)+"` |")
	}
	if *updateStates {
		require.NoError(t, os.WriteFile(statesPage, []byte(page), 0o600))
	}
}
