//go:build !windows

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/test/golden"
	"github.com/payctl/payctl/internal/test/terminal"
)

// TestLiveScreens compares what the live views show of a service that always has the same identifiers and times with
// golden files, one for each view and size. The program's clock stands still.
func TestLiveScreens(t *testing.T) {
	t.Parallel()
	clock, err := sandbox.ParseClockSetting("manual")
	require.NoError(t, err)
	clock.Start = sandbox.SeededStart
	config := refserver.Config{Version: "test", Seed: new(uint64(7)), Clock: clock, KYCDelay: 1, SettleDelay: 1}
	at := filepath.Join(t.TempDir(), "clock")
	require.NoError(t, os.WriteFile(at, []byte("at "+sandbox.SeededStart.Add(50*time.Hour).Format(time.RFC3339)), 0o600))
	for _, view := range []struct {
		name    string
		prepare func(s *session) (id string)
		command []string
		screens []goldenScreen
	}{
		{"kyc", func(s *session) string {
			for i, tag := range []string{"-under-review", "-resubmission", "-rejected", "-incomplete", "-stuck", "-under-review", "", "", "-expired"} {
				s.create(fmt.Sprintf("p%d%s@example.com", i, strings.TrimSuffix("+kyc"+tag, "+kyc")))
				s.output("sandbox", "clock", "advance", "5h", "--jq", ".now")
			}
			reviewed := s.output("accounts", "create", "--type", "individual", "--first-name", "太郎", "--last-name", "山田", "--email",
				"yamada+kyc-stuck@example.jp", "--country", "JP", "--external-id", "crm-7", "--jq", ".id")
			s.output("sandbox", "clock", "advance", "4h", "--jq", ".now")
			return reviewed
		}, []string{"kyc", "watch", "--all"}, []goldenScreen{
			{"the list", "", "Next ", nil},
			{"news, and the filter that is typed", "/status:under", "/status:under", func(s *session, id string) {
				s.output("sandbox", "kyc", id, "under_review", "--jq", ".status")
			}},
			{"the details of the latest change", "\x15\rN\r", "crm-7", nil},
			{"personal data", "P", "yamada+kyc-stuck", nil},
			{"what can be copied", "y", "identifier", nil},
			{"", "\x1b", "esc list", nil},
			{"what the sandbox can do", "\ra", "What next", nil},
			{"", "\x1b", "q quit", nil},
			{"the keys", "?", "Keys", nil},
		}},
		{"transfer", func(s *session) string {
			account := s.output("accounts", "create", "--type", "individual", "--first-name", "Ada", "--last-name", "L", "--email", "a@example.com",
				"--country", "GB", "--jq", ".id")
			s.output("sandbox", "clock", "advance", "1h", "--jq", ".now")
			for i, label := range []string{"Landlord+transfer-failed", "Ada+transfer-unfunded", "Bob", "Eve+transfer-review", "Zoe+transfer-slow", "山田+transfer-returned"} {
				s.pay(account, label, fmt.Sprintf("%d.50", 10+i*1111), fmt.Sprintf("invoice-%d", 42+i))
				s.output("sandbox", "clock", "advance", "8h", "--jq", ".now")
			}
			s.output("sandbox", "clock", "advance", "1h", "--jq", ".now")
			return account
		}, []string{"transfer", "watch", "--all"}, []goldenScreen{
			{"the list", "", "Next ", nil},
			{"a filter by the amount", "/amount>2000\r", " of 6", nil},
			{"details", "/\x15invoice-42\r\r", "Timeline", nil},
		}},
		{"events", func(s *session) string {
			for i, tag := range []string{"+kyc-under-review", "+kyc-rejected", ""} {
				s.create(fmt.Sprintf("p%d%s@example.com", i, tag))
				s.output("sandbox", "clock", "advance", "16h", "--jq", ".now")
			}
			s.output("sandbox", "clock", "advance", "2h", "--jq", ".now")
			return ""
		}, []string{"events", "tail", "--after", "beginning"}, []goldenScreen{
			{"the list", "", "1 of 9", nil},
			{"an event", "\r", "esc list", nil},
		}},
	} {
		for _, size := range [][2]int{{80, 24}, {120, 40}} {
			name := fmt.Sprintf("%s-%dx%d.txt", view.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := newSession(t, serveAs(t, config))
				s.env = append(s.env, "PAYCTL_CLIENT_ID=screens", "TZ=UTC")
				id := view.prepare(s)
				shown := terminal.Open(t, size[0], size[1])
				cmd := s.command([]string{clockFile + "=" + at}, view.command...)
				shown.Start(cmd)
				path := filepath.Join("screens", name)
				all := screensOf(t, shown, filepath.Join("testdata", path), view.screens, func(before func(*session, string)) { before(s, id) })
				shown.Press("\x03")
				require.Equal(t, 130, shown.Finish(cmd))
				golden.Require(t, path, all)
			})
		}
	}
}

// A goldenScreen is what keys lead to, which holds a text.
type goldenScreen struct {
	name, keys, text string
	before           func(s *session, id string) // nil: nothing; is called before the keys are pressed, with what prepare returned
}

// screensOf returns the screens of a program as a golden file has them. A screen is complete when it is as in the file,
// in which all screens may be others, or when nothing more is read for it, which takes less than settled.
func screensOf(
	t *testing.T, shown *terminal.Terminal, path string, screens []goldenScreen, call func(before func(*session, string)),
) []byte {
	t.Helper()
	content, _ := os.ReadFile(path) // there may be none yet
	expected := map[string]string{}
	for part := range strings.SplitSeq(string(content), "=== ") {
		title, screen, _ := strings.Cut(part, "\n")
		expected[title] = screen
	}
	var all bytes.Buffer
	for _, screen := range screens {
		if screen.before != nil {
			call(screen.before)
		}
		shown.Press(screen.keys)
		shown.WaitForText(screen.text)
		if screen.name == "" { // only a step to the next one
			continue
		}
		text := func() string { return strings.Join(terminal.Lines(shown.Text()), "\n") + "\n" }
		const settled = 10 * time.Second
		for over := time.After(settled); text() != expected[screen.name] && over != nil; {
			select {
			case <-time.After(20 * time.Millisecond):
			case <-over:
				over = nil
			}
		}
		fmt.Fprintf(&all, "=== %s\n%s", screen.name, text())
	}
	return all.Bytes()
}
