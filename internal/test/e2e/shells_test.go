//go:build !windows

package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/testkit"
)

// shells are the shells with completion. Each shows a prompt when it is ready, and its line when Ctrl-] is pressed.
var shells = map[string]struct{ settings, start string }{
	"bash": {"rc", `set -u; . <(payctl completion bash)
bind -x '"\C-]": printf "\nline<%s>shown\n" "$READLINE_LINE"'
PS1='rea''dy'; PROMPT_COMMAND=; bind 'set enable-bracketed-paste off'
`},
	"zsh": {".zshrc", `autoload -U compinit; compinit -u -D; . <(payctl completion zsh)
line() { print -r -- $'\n'"line<$BUFFER>shown" }; zle -N line; bindkey '^]' line
PS1='rea''dy'; unset zle_bracketed_paste; unsetopt beep prompt_sp
`},
	"fish": {"fish/config.fish", `payctl completion fish | source
bind \c] 'echo; echo "line<"(commandline)">shown"'
set fish_greeting; function fish_prompt; echo -n rea; echo -n dy; end
`},
}

// TestShellsComplete presses TAB in real shells. Completion does not run, redirect or expand anything on the line.
func TestShellsComplete(t *testing.T) {
	t.Parallel()
	url := serve(t)
	for name, shell := range shells {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program, err := exec.LookPath(name)
			if err != nil {
				t.Skipf("%s is not installed", name)
			}
			home, work := t.TempDir(), t.TempDir()
			rc := filepath.Join(home, shell.settings)
			require.NoError(t, os.MkdirAll(filepath.Dir(rc), 0o700))
			require.NoError(t, os.WriteFile(rc, []byte(shell.start), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(work, "rows.csv"), nil, 0o600))
			for folder, answer := range map[string]string{"own": "echo here; echo :4", "cut": "echo 'a[$(touch b)]'"} {
				require.NoError(t, os.Mkdir(filepath.Join(home, folder), 0o700))
				require.NoError(t, os.WriteFile(filepath.Join(home, folder, "payctl"), []byte("#!/bin/sh\n"+answer+"\n"), 0o700))
			}
			s := newSession(t, url)
			id := strings.TrimPrefix(s.createAccount("ada@example.com"), "acc") + " "

			tries := []struct{ typed, added string }{
				{`payctl transfer au`, `to `},
				{`payctl transfer auto --route 'base:USDC->sepa:E`, `UR' `},
				{`payctl transfer auto --route "base:USDC->sepa:E`, `UR" `},
				{`payctl transfer auto --route base:USDC-\>sepa:E`, `UR `},
				{`payctl transfer auto --route=base:USDC-\>sepa:E`, `UR `},
				{`payctl transfer auto --route 'base:USDC->sepa:EUR' --amount-type so`, `urce `},
				{`payctl contacts create --label 'a$(touch b); touch c' --account acc`, id},
				{`payctl contacts create --label "$(touch b)" --account acc`, id},
				{`payctl contacts create --label it\'s\>b --account acc`, id},
				{`payctl accounts list >rows.csv 2>/dev/null --status appr`, `oved `},
				{`payctl --base-url $PAYCTL_BASE_URL accounts get acc`, id},
				{`payctl kyc watch --until approved,rej`, `ected`},
				{`payctl transfers li`, `st `},
				{`payctl transfer create --route 'base:USDC->sepa:E`, `UR' `},
				{`payctl transfer list --state awaiting_funds,fail`, `ed`},
				{`payctl transfer batch --report=row`, `s.csv `},
				{`payctl serve -- ro`, `ws.csv `},
				{`payctl transfer auto --contact $NOWHERE_SET --amount-type so`, `urce `},
				{`~/own/payctl he`, `re `},
				{`~/cut/payctl a`, ``}, // a program that ends in the middle of its answer
			}
			steps := []step{{"ready", 1, press(tries[0].typed + "\t\x1d")}}
			for done, try := range tries[1:] { // Ctrl-U deletes the previous line
				steps = append(steps, step{">shown", done + 1, press("\x15" + try.typed + "\t\x1d")})
			}
			steps = append(steps, step{">shown", len(tries), func(_ *testkit.Terminal, shell *os.Process) { _ = shell.Kill() }})
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, program, "-i")
			if name == "bash" {
				cmd.Args = append([]string{name, "--noprofile", "--rcfile", rc}, cmd.Args[1:]...)
			}
			cmd.Dir, cmd.Env = work, append(s.env, "XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home, "HOME="+home, "ZDOTDIR="+home)
			shown, _ := s.steps(cmd, steps...)
			lines := lineShown.FindAllStringSubmatch(controls.ReplaceAllString(shown, ""), -1)
			require.Len(t, lines, len(tries), shown)
			for i, try := range tries {
				require.Equal(t, strings.TrimRight(try.typed+try.added, " "), strings.TrimRight(lines[i][1], " "), "%q", try.typed)
			}
			files, err := filepath.Glob(filepath.Join(work, "*"))
			require.NoError(t, err)
			require.Equal(t, []string{filepath.Join(work, "rows.csv")}, files, "nothing was run")
		})
	}
}

// lineShown matches the line that a shell shows for Ctrl-].
var lineShown = regexp.MustCompile(`line<([^\n]*)>shown`)

// controls matches the escape sequences with which a shell draws.
var controls = regexp.MustCompile(`\x1b(\[[0-9;?>=]*[A-Za-z]|\][^\x07\x1b]*(\x07|\x1b\\)|[()][A-Z0-9]|[=>])`)
