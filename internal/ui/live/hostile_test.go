package live

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/ui"
)

// One long status leaves the other columns of all rows where they are.
func TestLongStatusLeavesTheOtherColumns(t *testing.T) {
	t.Parallel()
	m := newTestModel(testConfig(), 80, 24)
	m.view.put(Row{ID: "acc_01m7zhj4ma84dsrjtxmvwyk06m", Status: ui.Text(strings.Repeat("status_", 5000)), Since: now.Add(-time.Hour), Data: ""})
	m.do()
	screen := ansi.Strip(strings.Join(m.lines(), "\n"))
	require.Contains(t, screen, "FOR")
	require.Contains(t, screen, "status_status_status_status_s…  1h00m")
}

// Only y confirms a question.
func TestEnterConfirmsNothing(t *testing.T) {
	t.Parallel()
	config := testConfig()
	ran := false
	config.Actions = []Action{{
		Key: "!", Name: "run", Question: func([]Row) (string, error) { return "Run it?", nil },
		Run: func(context.Context, []Row, bool) (Result, error) { ran = true; return Result{}, nil },
	}}
	m := newTestModel(config, 80, 24)
	m.view.put(sample()[0])
	m.do()
	m.do("!", "enter", "e", "esc")
	require.Empty(t, m.acting)
	m.do("!")
	m.answer("y")()
	require.True(t, ran)
}
