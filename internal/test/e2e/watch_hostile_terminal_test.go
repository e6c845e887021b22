//go:build !windows

// On Windows a console stands between a program and its terminal, and draws the screen itself: what arrives there does
// not tell what the program wrote.

package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/terminal"
)

// evilID is an identifier that would take over a terminal.
const evilID = "acc_3\x1b[2J\x1b]0;title\x07\r\nacc_forged\tapproved\u202egnp.\u200b\u0085"

// The live view shows what is hostile without being taken over: in its rows and news, in details and help, in the
// questions and errors of actions, in a pasted filter, and in what it prints after it has been closed.
func TestHostileAccountsAtATerminal(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {60, 10}, {200, 50}} {
		s := newSession(t, evilService(t, http.NotFound, evilID))
		shown := terminal.Open(t, size[0], size[1])
		cmd := s.command(nil, "kyc", "watch", "--all", "--show-pii", "--interval", "50ms", "--allow-unknown-status")
		shown.Start(cmd)
		shown.WaitForText("3 accounts  ")
		shown.WaitForText("last change ")                                         // acc_2 is frozen
		for _, keys := range []string{"\r", "G", "n", "G", "n", "\r", "N", "N"} { // all details, all news
			shown.Press(keys)
		}
		shown.Press("/acc_3\r")
		shown.WaitForText(" 1 of 3")
		for _, step := range [][2]string{
			{"y", "  identifier"}, {"j", "Copied"}, {"o", "The link of the service is not used"}, {"s", "can be submitted"}, {"!", "--exec"},
			{"a", "has no sandbox"}, {"e", "Export"}, {"\x1b[200~\x1b[2J\u202e\x1b[201~", "> "},
		} {
			shown.Press(step[0])
			shown.WaitForText(step[1])
			if strings.Contains(shown.Text(), "enter back") { // a long text
				shown.Press("\r")
				shown.WaitForText("q quit")
			}
		}
		shown.Press("\x1b")
		shown.WaitForText("q quit")
		shown.Press("q")
		require.Zero(t, shown.Finish(cmd), shown.Text())
		wrote := shown.Wrote()
		for _, sequence := range []string{"\x1b]0;title", "\x1b]52;c;aGk=", "\u202e", "\u0085", "\u200b", "\u2028"} {
			require.NotContains(t, wrote, sequence)
		}
		require.Empty(t, terminal.LeftOver(wrote))
		after := wrote[strings.LastIndex(wrote, left):]
		require.Contains(t, after, "3 accounts")
		harmless(t, strings.ReplaceAll(ansi.Strip(after), "\r\n", "\n"), "what is printed at the end")
	}
	s := newSession(t, evilService(t, http.NotFound))
	dumb, code := s.terminal([]string{"TERM=dumb"}, "", nil, "kyc", "watch", "acc_2", "--until", "frozen", "--allow-unknown-status", "--interval", "10ms", "--timeout", "20s")
	require.Zero(t, code, "%q", dumb)
	harmless(t, strings.ReplaceAll(dumb, "\r\n", "\n"), "a dumb terminal")
}
