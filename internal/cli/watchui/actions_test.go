package watchui

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// scripted is a dialog with prepared answers: an int chooses, a string is a line, true and false confirm.
type scripted struct {
	answers []any
	asked   []string // the titles of all questions
	offered []live.Option
	copied  []string

	personal bool // is shown
}

func (s *scripted) Personal() bool { return s.personal }

func (s *scripted) next(titles []string) any {
	s.asked = append(s.asked, strings.Join(titles, "\n"))
	if len(s.answers) == 0 {
		return live.ErrCancelled
	}
	answer := s.answers[0]
	s.answers = s.answers[1:]
	return answer
}

func (s *scripted) Choose(_ context.Context, options []live.Option, titles ...string) (int, error) {
	s.offered = options
	if chosen, ok := s.next(titles).(int); ok {
		return chosen, nil
	}
	return 0, live.ErrCancelled
}

func (s *scripted) Line(_ context.Context, _ string, _ func(string) []string, titles ...string) (string, error) {
	if line, ok := s.next(titles).(string); ok {
		return line, nil
	}
	return "", live.ErrCancelled
}

func (s *scripted) Confirm(_ context.Context, lines ...string) error {
	if s.next(lines) == true {
		return nil
	}
	return live.ErrCancelled
}

func (s *scripted) Copy(text string) { s.copied = append(s.copied, text) }

// testActions are actions on a kind whose names are personal data and formulas.
func testActions() *actions {
	kind := Kind{
		Noun: "Account", Nouns: "accounts", Applicant: "applicant",
		Columns: []live.Column{
			live.IDColumn("Account", "id"), live.StatusColumn("Status", "status"), live.AgeColumn(), live.DeadlineColumn(),
			{Column: ui.Column{Header: "Name", Name: "name"}, Cell: func(_ *live.Row, at live.Moment) ui.Cell {
				if at.Personal {
					return ui.Text("=cmd|'x'!A0")
				}
				return ui.Text("***")
			}},
			{Column: ui.Column{Name: "searched"}, FilterOnly: true, Text: func(*live.Row) string { return "personal" }},
		},
	}
	return &actions{
		Actions: Actions{FileName: "kyc"}, kind: kind, trusted: map[string]bool{}, isReference: func() bool { return true },
		deps: &cmdutil.Deps{Now: func() time.Time { return time.Date(2026, 11, 23, 4, 12, 0, 0, time.UTC) }, Options: &cmdutil.Options{}},
	}
}

func testRows(n int) []live.Row {
	rows := make([]live.Row, n)
	for i := range rows {
		rows[i] = live.Row{ID: fmt.Sprintf("acc_%d", i), Status: ui.Text("pending"), Since: time.Unix(int64(i), 0)}
	}
	return rows
}

func TestExportedFiles(t *testing.T) {
	t.Parallel()
	a, folder := testActions(), t.TempDir()
	export := func(name string, n int, personal bool) []byte {
		path := filepath.Join(folder, name)
		done, err := a.exportRows(t.Context(), &scripted{answers: []any{path}, personal: personal}, testRows(n))
		require.NoError(t, err)
		require.Contains(t, done, path)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		return text
	}
	const many = 100_000
	records, err := csv.NewReader(bytes.NewReader(export("many.csv", many, false))).ReadAll()
	require.NoError(t, err)
	require.Len(t, records, many+1)
	require.Equal(t, []string{"id", "turn", "status", "since", "deadline", "name"}, records[0])
	require.Equal(t, []string{"acc_7", "staff", "pending", "1970-01-01T00:00:07Z", "", "***"}, records[8])

	require.Contains(t, string(export("shown.csv", 1, true)), ",'=cmd|'x'!A0\n", "a formula does not run in a spreadsheet")
	require.Equal(t, `{"id":"acc_0","turn":"staff","status":"pending","since":"1970-01-01T00:00:00Z","deadline":null,"name":"=cmd|'x'!A0"}`+"\n",
		string(export("shown.ndjson", 1, true)))
	var list []map[string]any
	require.NoError(t, json.Unmarshal(export("shown.JSON", 3, true), &list))
	require.Len(t, list, 3)
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, left, 4, "no temporary files are left")
}

// A file is neither replaced without a confirmation nor changed by an export that is given up.
func TestExportReplacesNothingUnasked(t *testing.T) {
	t.Parallel()
	a, path := testActions(), filepath.Join(t.TempDir(), "kept.csv")
	require.NoError(t, os.WriteFile(path, []byte("kept"), 0o600))
	for _, answers := range [][]any{
		{}, {path}, {path, false}, {path + ".exe"}, {filepath.Dir(path)}, {filepath.Join(path, "x.csv")}, {"\x00.csv"}, {""},
	} {
		dialog := &scripted{answers: answers}
		_, err := a.exportRows(t.Context(), dialog, testRows(2))
		require.ErrorIs(t, err, live.ErrCancelled, "%q", answers)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "kept", string(text))
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	closed := errors.New("closed")
	cancel(closed)
	_, err := a.exportRows(ctx, &scripted{answers: []any{path}}, testRows(2))
	require.ErrorIs(t, err, closed)
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, left, 1)
	_, err = a.exportRows(t.Context(), &scripted{answers: []any{path, true}}, testRows(2))
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotEqual(t, "kept", string(text))
}

func TestCompletedPaths(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("HOME", folder)
	t.Setenv("USERPROFILE", folder)
	t.Chdir(folder)
	for _, name := range []string{"pass.jpg", "pass port.jpg", ".hidden", "evil\x1b[2J", "other"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil && runtime.GOOS != "windows" {
			require.NoError(t, err)
		}
	}
	require.NoError(t, os.Mkdir(filepath.Join(folder, "passes"), 0o700))
	slash := string(os.PathSeparator)
	for text, want := range map[string][]string{
		"pa":                            {"pass port.jpg", "pass.jpg", "passes" + slash},
		"~" + slash + "pass.":           {"~" + slash + "pass.jpg"},
		"~":                             {"~" + slash},
		folder + slash + "o":            {folder + slash + "other"},
		".":                             {".hidden"},
		"evil":                          nil,
		"none" + slash:                  nil,
		"passes" + slash:                nil,
		"." + slash + "pass" + "es":     {"." + slash + "passes" + slash},
		strings.Repeat("x"+slash, 3000): nil,
	} {
		require.Equal(t, want, CompletePath(text), text)
	}
	require.Equal(t, "pass port.jpg", EnteredPath(" pass port.jpg "))
	require.Equal(t, filepath.Join(folder, "pass.jpg"), filepath.Clean(EnteredPath("~/pass.jpg")))
	require.Equal(t, "~user/x", EnteredPath("~user/x"))
	if runtime.GOOS != "windows" {
		require.Equal(t, "pass port.jpg", EnteredPath(`'pass port.jpg' `))
		require.Equal(t, "pass port.jpg", EnteredPath(`pass\ port.jpg`))
		require.Equal(t, "not there", EnteredPath("not there"))
	}
}

// A program that a person runs on several rows is run for each; failures, and rows that cannot be read, are counted.
func TestProgramIsRunForAll(t *testing.T) {
	t.Setenv("WATCHUI_TEST_EXEC", "1")
	var out, notices buffer
	e, err := newExecutor(t.Context(), os.Args[0], []string{"-test.run=^TestExecProgram$"}, &out, func(format string, args ...any) {
		fmt.Fprintf(&notices, format+"\n", args...)
	})
	require.NoError(t, err)
	a := testActions()
	a.exec = e
	a.kind.Subjects.Read = func(_ context.Context, id string) (follow.State, error) {
		switch id {
		case "acc_1":
			return follow.State{}, errors.New("it is gone")
		case "acc_2":
			return follow.State{ID: id, Status: "bad"}, nil
		}
		return follow.State{ID: id, Status: "pending", Reasons: []payments.KYCReason{{Code: "one"}}}, nil
	}
	dialog := &scripted{answers: []any{true}}
	_, err = a.runProgram(t.Context(), dialog, testRows(4))
	require.EqualError(t, err, "the program ran for 4 accounts, 2 failed: acc_1 cannot be read: it is gone")
	require.Equal(t, []string{"Run the program " + e.path + " for 4 accounts?\nacc_0 pending\nacc_1 pending\nacc_2 pending\nacc_3 pending"}, dialog.asked)
	require.Contains(t, out.b.String(), "<acc_3||pending|one|")
	_, err = a.runProgram(t.Context(), &scripted{}, testRows(4))
	require.ErrorIs(t, err, live.ErrCancelled)
	done, err := a.runProgram(t.Context(), &scripted{answers: []any{true}}, testRows(1))
	require.NoError(t, err)
	require.Equal(t, "The program ran for 1 account.", done)

	ctx, cancel := context.WithCancelCause(t.Context())
	closed := errors.New("closed")
	cancel(closed)
	_, err = a.runProgram(ctx, &scripted{answers: []any{true}}, testRows(3))
	require.ErrorIs(t, err, closed)
	e.cancel()
	_, err = a.runProgram(t.Context(), &scripted{answers: []any{true}}, testRows(1))
	require.ErrorIs(t, err, errNotRun)
	require.NoError(t, e.wait(t.Context(), true), "runs that a person has asked for do not fail the watch")
	require.Empty(t, notices.b.String())
}

// The sandbox offers what can follow the status of at least one row, and changes only those that can become it.
func TestSandboxChangesWhatItCan(t *testing.T) {
	t.Parallel()
	a := testActions()
	a.Following = func(status string) []string {
		return map[string][]string{"pending": {"approved", "rejected"}, "approved": {"expired", "rejected"}}[status]
	}
	var changed []string
	a.Override = func(_ context.Context, _ payments.Sandbox, id, status string) error {
		changed = append(changed, id+" "+status)
		return nil
	}
	a.deps.Sandbox = func() (payments.Sandbox, error) { return nil, nil }
	rows := testRows(3)
	rows[1].Status, rows[2].Status = ui.Text("approved"), ui.Text("final")
	dialog := &scripted{answers: []any{1, true}}
	done, err := a.override(t.Context(), dialog, rows)
	require.NoError(t, err)
	require.Equal(t, "Sandbox: 2 accounts changed to rejected.", done)
	require.Equal(t, []string{"acc_0 rejected", "acc_1 rejected"}, changed)
	require.Equal(t, []live.Option{
		{Key: "1", Label: "approved (possible for 1)"}, {Key: "2", Label: "rejected (possible for 2)"}, {Key: "3", Label: "expired (possible for 1)"},
	}, dialog.offered)

	require.Equal(t, "Sandbox: change 2 accounts to rejected?\nacc_0 pending\nacc_1 approved", dialog.asked[1])

	changed = nil
	_, err = a.override(t.Context(), &scripted{answers: []any{1, false}}, rows)
	require.ErrorIs(t, err, live.ErrCancelled)
	_, err = a.override(t.Context(), &scripted{}, rows[2:])
	require.EqualError(t, err, "no status can follow final")
	a.isReference = func() bool { return false }
	_, err = a.override(t.Context(), &scripted{answers: []any{0}}, rows[:1])
	require.ErrorContains(t, err, "has no sandbox")
	require.Empty(t, changed)
}

// What an error says has no line break of the service, which could begin a line of its own.
func TestExplainedErrors(t *testing.T) {
	t.Parallel()
	d := &cmdutil.Deps{Options: &cmdutil.Options{}}
	problem := payments.NewLocalProblem(payments.KindOutcomeUnknown, nil, "The outcome is unknown.", "no answer\x1b[2J\nEverything is well.")
	problem.Next = "run it again"
	require.Equal(t, []string{`The outcome is unknown: no answer\x1b[2J\nEverything is well.`, "Next: run it again."}, Explain(d, problem))
	require.Equal(t, []string{"Nothing there."}, Explain(d, errors.New("nothing there")))
	require.Len(t, Explain(d, cmdutil.Usage("wrong").WithHint("do right")), 2)
}

// hiding is a dialog during whose first question the time of personal data is over.
type hiding struct{ scripted }

func (h *hiding) Personal() bool { return len(h.asked) == 0 }

// Personal data that is not shown any more is neither exported nor copied, whatever was shown when the question was
// asked.
func TestPersonalDataThatIsNotShownAnyMore(t *testing.T) {
	t.Parallel()
	a, path := testActions(), filepath.Join(t.TempDir(), "kyc.ndjson")
	a.Email = func(context.Context, string) (string, error) { return "ada@example.com", nil }
	dialog := &hiding{scripted{answers: []any{path, path}}}
	_, err := a.exportRows(t.Context(), dialog, testRows(1))
	require.NoError(t, err)
	require.Contains(t, dialog.asked[0], "With personal data")
	require.Contains(t, dialog.asked[1], "Personal data is not shown any more.\nPersonal data stays masked")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), "***")

	dialog = &hiding{scripted{answers: []any{2}}}
	_, err = a.copy(t.Context(), dialog, testRows(1))
	require.ErrorContains(t, err, "press P first")
	require.Empty(t, dialog.copied)
}
