package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/testkit"
	"github.com/payctl/payctl/internal/ui"
)

// TestGoldenScreens compares the screens of all states with testdata/screens, which has one file for each size. The
// -tones file shows each tone, as in [bad:rejected]. The kinds "wide" and "ascii" have no file: they check that lines
// fit the screen, and that a terminal without UTF-8 gets only ASCII.
func TestGoldenScreens(t *testing.T) {
	t.Parallel()
	for _, size := range []struct {
		columns, rows int
		kind          string
	}{
		{60, 10, ""},
		{80, 24, ""},
		{80, 24, "-tones"},
		{200, 50, "wide"},
		{120, 40, "ascii"},
	} {
		name := fmt.Sprintf("%dx%d%s", size.columns, size.rows, size.kind)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all bytes.Buffer
			for _, state := range states() {
				config := goldenConfig()
				config.Streams = &ui.Streams{
					UTF8: size.kind != "ascii", OutTTY: true, ColorOut: size.kind == "-tones", ManyColors: true,
				}
				if state.config != nil {
					state.config(&config)
				}
				m := newTestModel(config, size.columns, size.rows)
				if state.rows == nil {
					state.rows = goldenRows
				}
				for _, row := range state.rows() {
					m.view.put(row)
				}
				m.loading = state.loading
				m.do()
				state.do(m)
				fmt.Fprintf(&all, "=== %s\n", state.name)
				lines := m.lines()
				require.LessOrEqual(t, len(lines), size.rows)
				for _, line := range lines {
					require.LessOrEqual(t, ansi.StringWidth(line), size.columns, "%s: %q", state.name, line)
					if size.kind == "-tones" {
						line = withTones(config.Streams, line)
					}
					all.WriteString(strings.TrimRight(ansi.Strip(line), " ") + "\n")
				}
			}
			switch size.kind {
			case "wide":
			case "ascii":
				require.NotRegexp(t, `[^\x00-\x7f]`, all.String())
			default:
				testkit.RequireGolden(t, "screens/"+name+".txt", all.Bytes())
			}
		})
	}
}

// withTones makes visible the tones of a painted line and the bar of the selected row. Provider looks like Dim.
func withTones(s *ui.Streams, line string) string {
	name := func(painted, name string) {
		before, after, _ := strings.Cut(painted, "x")
		for strings.Contains(line, before) {
			head, rest, _ := strings.Cut(line, before)
			text, rest, _ := strings.Cut(rest, after)
			line = head + "[" + name + ":" + text + "]" + rest
		}
	}
	for tone, tones := range map[ui.Tone]string{
		ui.Good: "good", ui.Warn: "warn", ui.Bad: "bad", ui.Dim: "dim", ui.Bold: "bold", ui.Reviewer: "reviewer",
		ui.Applicant: "applicant",
	} {
		name(s.Paint(tone, "x"), tones)
	}
	name(s.PaintSelected(ui.Plain, "x"), "selected")
	return line
}

// A state is a golden screen and what happens before it.
type state struct {
	name    string
	loading bool
	config  func(*Config)
	rows    func() []Row // nil means goldenRows
	do      func(m *model)
}

func states() []state {
	noRows := func() []Row { return nil }
	personal := func(c *Config) { c.ShowPersonal = true }
	outage := func(m *model) {
		m.view.SetTrouble("The service does not answer; trying again: " +
			"connection refused (https://api.example.com/accounts/v1)")
		m.do()
	}
	changes := func(m *model) {
		rows := goldenRows()
		change := func(i int, status ui.Cell, group int, why string) {
			row := rows[i]
			row.Status, row.Group, row.Why, row.Since, row.Deadline = status, group, why, now, time.Time{}
			m.view.news(row)
		}
		change(12, ui.Toned(ui.Bad, "rejected"), 2, "The applicant is on a sanctions list. (applicant_sanctioned)")
		change(13, ui.Toned(ui.Good, "approved"), 4, "")
		change(14, ui.Toned(ui.Applicant, "resubmission_required"), 1, "The document has expired. (document_expired)")
		status := ui.Toned(ui.Provider, "pending")
		m.view.news(Row{ID: "acc_01kdwcj2m07dx6vaehz84rnew1", Data: "Nora New", Status: status, Since: now, Group: 3})
		m.do()
	}
	return []state{
		{name: "the list", do: func(*model) {}},
		{name: "the details are not read yet", do: func(m *model) { m.do("j", "enter") }},
		{name: "the details have the keys", do: func(m *model) { m.do("j"); m.do("enter"); m.read() }},
		{name: "the details are scrolled to their end", do: func(m *model) { m.do("j"); m.do("enter"); m.read(); m.do("G") }},
		{name: "the details could not be read", do: func(m *model) { m.typed("/frozen"); m.do("enter", "enter"); m.read() }},
		{name: "the last rows, personal data shown for a minute", do: func(m *model) { m.do("G", "P") }},
		{name: "a filter is typed", do: func(m *model) { m.typed("/status:under_review -ada") }},
		{name: "a long filter is typed", do: func(m *model) {
			m.typed("/country:DE status:under_review name:mustermann reason:document -reason:expired " +
				"and words that go on to the right end")
		}},
		{name: "a filter finds nothing", do: func(m *model) { m.typed("/nobody has this name"); m.do("enter") }},
		{name: "a group", do: func(m *model) { m.do("2") }},
		{name: "a group without rows", rows: func() []Row { return goldenRows()[:6] }, do: func(m *model) { m.do("3") }},
		{name: "no rows", rows: noRows, do: func(*model) {}},
		{name: "loading", rows: noRows, loading: true, do: func(*model) {}},
		{name: "loading, the first rows are there", loading: true, do: func(*model) {}},
		{name: "an outage before the first row", rows: noRows, loading: true, do: outage},
		{name: "an outage", do: outage},
		{name: "an outage, with a filter", do: func(m *model) { m.typed("/status:pending"); m.do("enter"); outage(m) }},
		{name: "news", do: changes},
		{name: "the statuses are polled", do: func(m *model) { m.view.SetPolled("polled every 5s"); m.do() }},
		{name: "names in many scripts", rows: namedRows, config: personal, do: func(m *model) { m.do("G") }},
		{name: "hostile texts", rows: hostileRows, config: personal, do: func(m *model) {
			row := *m.selected.row
			m.view.news(row)
			m.view.SetTrouble(hostile)
			m.do()
		}},
		{name: "the keys", do: func(m *model) { m.do("?") }},
		{name: "the end of the keys", do: func(m *model) { m.do("?", "G") }},
		{name: "the reply is read", do: func(m *model) { m.do("j", "r") }},
		{name: "another row's reply", do: func(m *model) { m.do("r"); m.Update(pageRead{page: replyPage}) }},
		{name: "the reply", do: func(m *model) { m.do("j", "r"); m.read() }},
		{name: "the reply is copied, as far as is known", do: func(m *model) { m.Update(m.requestReply()()) }},
		{name: "the reply is copied", do: func(m *model) {
			m.Update(m.requestReply()())
			m.Update(tea.ClipboardMsg{Content: "Hello,\n\nthe identity check of your account is running.\n"})
		}},
		{name: "the long error of a reply", do: func(m *model) {
			err := errors.New(refusal + ". Ask its operator for the scope accounts:read, which this needs.")
			m.Update(replyRead{err: err})
			m.refresh()
		}},
	}
}

const refusal = "the service refused the request: 403 Forbidden, code no-permission, " +
	"request req_01kdwcj2m07dx6vaehz84r9gf1"

// typed sends a text to the model, key by key.
func (m *model) typed(text string) {
	for _, c := range text {
		m.Update(tea.KeyPressMsg{Code: c, Text: string(c)})
	}
}

// read reads the details of the selected row at once.
func (m *model) read() {
	m.known, m.asked = nil, nil // the command of do was not run
	m.Update(m.requestPage()())
}

// goldenConfig returns a configuration like that of accounts.
func goldenConfig() Config {
	config := testConfig()
	config.Details = goldenDetails
	return config
}

func goldenRows() []Row {
	at := func(d time.Duration) time.Time { return now.Add(-d) }
	const day = 24 * time.Hour
	names := []string{
		"Ada Lovelace", "Erika Mustermann", "Sam Smith", "山田太郎", "Zoë Zed", "Société Générale d'Énergies Renouvelables",
	}
	var rows []Row
	add := func(n int, status ui.Cell, group int, since, left time.Duration, why string) {
		for i := range n {
			row := Row{
				ID: fmt.Sprintf("acc_01kdwcj2m07dx6vaehz84r%04d", len(rows)*37%10000), Data: names[len(rows)%len(names)],
				Group: group, Status: status, Since: at(since + time.Duration(i)*(3*time.Hour+7*time.Minute)), Why: why,
			}
			if left != 0 {
				row.Deadline = now.Add(left + time.Duration(i)*day)
			}
			rows = append(rows, row)
		}
	}
	add(4, ui.Toned(ui.Reviewer, "under_review"), 1, 26*time.Hour, 0, "A person is looking at the check. (manual_review)")
	add(1, ui.Toned(ui.Reviewer, "frozen_by_court"), 1, 400*day, 0, "")
	add(3, ui.Toned(ui.Applicant, "resubmission_required"), 0, 3*time.Minute, -2*time.Hour,
		"The picture of the document cannot be read. (document_unreadable)")
	add(2, ui.Toned(ui.Applicant, "incomplete"), 0, 40*time.Second, 3*time.Hour, "A selfie is missing.")
	add(2, ui.Toned(ui.Bad, "rejected"), 2, 90*time.Minute, 0,
		"The applicant is on a sanctions list. (applicant_sanctioned)")
	add(25, ui.Toned(ui.Provider, "pending"), 3, 5*time.Second, 0, "")
	add(30, ui.Toned(ui.Good, "approved"), 4, 10*day, 0, "")
	return rows
}

// namedRows returns rows with names in many scripts. Some are longer than their column.
func namedRows() (rows []Row) {
	for i, name := range []string{
		"山田太郎", "王小明", "김철수", "محمد بن سلمان", "בנימין נתניהו", "नरेन्द्र मोदी", "สมชาย ใจดี", "Zoe\u0308 Nin\u0303o", "Ễ Nguyễn Thị Minh Khai",
		"👩‍👩‍👧‍👦 Family", "🏳️‍🌈 Flag", "🇩🇪 Deutschland", "👍🏽 Thumb", "①②③", "ﷺ ligature", "Z̸̨͓̻a̴͔l̷̡g̶o", "ＦｕｌｌＷｉｄｔｈ", "Ωμέγα", "Ольга Иванова", "a\u200bb\u200db",
		"abcdefghijklmnopqrstuvwxyz", "山田太郎山田太郎山田太郎山田太郎",
	} {
		rows = append(rows, Row{
			ID: fmt.Sprintf("acc_01kdwcj2m07dx6vaehz84r%04d", i), Data: name, Group: 1, Why: name + " is asked for a selfie.",
			Status: ui.Toned(ui.Applicant, "incomplete"), Since: now.Add(-time.Hour - time.Duration(1+i)*time.Minute),
		})
	}
	return rows
}

func hostileRows() (rows []Row) {
	for i, text := range []string{
		hostile, "\x1b]0;title\x07", "a\r\nb\tc", "\u202egnp.exe", "a\u2066b\u2069c", "\u200b\u200c\u200d\ufeff",
		strings.Repeat("\u0301", 100), "\x9b2J\x90q\x9c", strings.Repeat("W", 10_000),
		strings.Repeat("山", 10_000), "\xff\xfe", "\U000e0041\U000e007f", "=cmd|' /C calc'!A0",
	} {
		rows = append(rows, Row{
			ID: fmt.Sprintf("acc_%02d_", i) + text, Data: text, Group: i % 5, Status: ui.Toned(ui.Reviewer, text), Why: text,
			Since: now.Add(-time.Duration(i) * time.Minute), Deadline: now.Add(time.Duration(i) * time.Hour),
		})
	}
	return rows
}

func goldenDetails(_ context.Context, row Row) (func(Moment) ui.Details, error) {
	if row.Status.Text == "frozen_by_court" {
		return nil, errors.New(refusal)
	}
	return func(at Moment) ui.Details {
		name, email := "A***", "a***@example.com"
		if at.Personal {
			name, _ = row.Data.(string)
			email = "ada.lovelace@a-very-long-subdomain.of.example.com"
		}
		field := func(label string, cells ...ui.Cell) ui.Field { return ui.Field{Label: label, Cells: cells} }
		return ui.Details{
			field("Account", ui.Toned(ui.Bold, row.ID)), field("Status", row.Status),
			field("Next", ui.Toned(ui.Reviewer, "A reviewer decides; usually within 2 days."),
				ui.Text("By 2026-01-03 10:00 at the latest.")),
			field(""),
			field("01-02 08:50Z", ui.Toned(ui.Applicant, "pending → resubmission_required  for 3h10m until now"),
				ui.Toned(ui.Dim, row.Why)),
			field("12-31 12:00Z", ui.Toned(ui.Provider, "resubmission_required → pending  for 1d20h")),
			field("12-21 02:24Z", ui.Toned(ui.Applicant, "pending → resubmission_required  for 10d09h"), ui.Toned(ui.Dim,
				"The picture of the document cannot be read, since it is too dark; "+
					"the applicant is asked for another one. (document_unreadable)")),
			field("12-03 12:00Z", ui.Toned(ui.Applicant, "not_started  for 17d12h")),
			field(""),
			field("Name", ui.Text(name)), field("E-mail", ui.Text(email)), field("Country", ui.Text("GB")),
			field("Level", ui.Text("standard")),
			field("Requirements", ui.Toned(ui.Good, "identity_document: accepted"), ui.Toned(ui.Applicant, "selfie: open")),
			field("Link", ui.Text("https://verify.example.com/session/01kdwcj2m07dx6vaehz84r9gf1?locale=en&return=https%3A%2F%2Fshop.example.com")),
			field("To do", ui.Text("payctl kyc submit "+row.ID+" --file selfie=PATH")),
		}
	}, nil
}
