package e2e

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/testkit"
)

// TestPages types what the README, the tutorial and EXACTLY-ONCE.md show in blocks of ```console at a terminal of 100
// columns, and compares what the terminal then shows with what the page shows. With -update it rewrites the output of those commands
// that print something else.
//
// A line that begins with "$ " is a command, which a \ at its end or a here-document continues. The lines below are its
// output. Identifiers may differ: one that an output shows for the first time stands for the one that was printed. Times,
// durations, process ids, ports and versions may differ, too. A line … stands for any lines, and within a line for any
// text. A command that fails shows its ✗, or is followed by "$ echo $?".
//
// A comment in front of a block has shell lines that readers do not need. Each of them has to succeed:
//
//	<!-- test
//	service --seed 1
//	@type sandbox-secret after Client secret:
//	@another terminal
//	-->
//
// "service [FLAG…]" starts a reference service and logs in. "@type" answers a question of the block. With "@another
// terminal" the block's only command is typed at another terminal, where it goes on running. A comment with one line may
// be written as <!-- test: service -->.
func TestPages(t *testing.T) {
	t.Parallel()
	if testkit.Raced {
		t.Skip("programs that the race detector watches are too slow for what the pages show")
	}
	if os.Getenv(serversVariable) != "" {
		t.Skip("the pages show one server")
	}
	root := filepath.Join("..", "..", "..")
	day := today()
	for _, name := range []string{"README.md", "docs/TUTORIAL.md", "docs/EXACTLY-ONCE.md"} {
		file := filepath.Join(root, filepath.FromSlash(name))
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		blocks, err := consoleBlocks(strings.Split(string(text), "\n"))
		require.NoError(t, err, name)
		require.NotEmpty(t, blocks, name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := &page{t: t, name: name, day: day, home: shortFolder(t), address: shortAddress(t)}
			page.shown = map[string]string{usual: page.address}
			page.first = page.open()
			_, code := page.run(page.first, "payctl profile set local base_url http://$SERVICE_ADDR", nil, nil)
			require.Zero(t, code)
			if testkit.Updating() { // as far as the page runs
				defer func() { require.NoError(t, os.WriteFile(file, []byte(page.updated(string(text))), 0o600)) }()
			}
			for _, block := range blocks {
				page.block(block)
			}
		})
	}
}

// A page is a document whose commands run.
type page struct {
	t       *testing.T
	name    string
	day     string // on which the test began
	home    string // what the page calls /home/ada
	address string // of the service, which the page calls 127.0.0.1:8700
	first   *shellAtTerminal
	shown   map[string]string // what was printed, by what the page shows in its place
	changes []change
	latest  []string // with -update, the identifiers that only a new output has
}

// A change is what a page has to show in place of some of its lines.
type change struct {
	from, to int
	lines    []string
}

// kycDelay is longer than a slow machine takes from a command that creates an account to the next one, so that pages
// can show that its identity check is pending.
const kycDelay = "15s"

// checkedLine is the line of serve --check, which the pages do not ask for, and tests do.
var checkedLine = regexp.MustCompile(`\n\d+ responses? checked, 0 violations`)

// before is what the shells of pages begin with.
const before = `
service() {
	payctl serve --addr "$SERVICE_ADDR" --kyc-delay "$KYC_DELAY" "$@" >"$HOME/.serve.log" 2>&1 </dev/null &
	payctl ping --wait 30s --base-url "http://$SERVICE_ADDR" >/dev/null &&
	echo sandbox-secret | payctl auth login --client-id sandbox --secret-stdin >/dev/null 2>&1
}
code=0
while IFS= read -r file <&3; do
	(exit $code)
	. "$file" 3<&-
	code=$?
	printf '\036%s\036' "$code"
done
kill $(jobs -p) 2>/dev/null
wait
`

// A shellAtTerminal is a shell that runs one command after the other.
type shellAtTerminal struct {
	*testkit.Terminal
	commands *os.File
	read     int // bytes of what was written that have been read
}

func (p *page) open() *shellAtTerminal {
	p.t.Helper()
	receives, commands, err := os.Pipe()
	require.NoError(p.t, err)
	defer receives.Close()
	shell := &shellAtTerminal{testkit.OpenTerminal(p.t, 100, 40), commands, 0}
	cmd := exec.CommandContext(p.t.Context(), "sh", "-c", before)
	cmd.Dir, cmd.ExtraFiles = p.home, []*os.File{receives}
	cmd.Env = inherited("HOME="+p.home, "TZ=UTC", "LANG=C.UTF-8", "TERM=xterm-256color", "NO_COLOR=1",
		"PAYCTL_CREDENTIAL_STORE=file", "SERVICE_ADDR="+p.address, "KYC_DELAY="+kycDelay)
	shell.Start(cmd)
	p.t.Cleanup(func() {
		_ = commands.Close()
		ended := make(chan struct{})
		go func() { defer close(ended); _ = cmd.Wait() }()
		select {
		case <-ended:
		case <-time.After(longestWait):
			p.t.Errorf("%s: the shell did not end", p.name)
		}
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what is left of its session
		<-ended
	})
	return shell
}

// longestCommand is how long a command of a page may take.
const longestCommand = longestWait

// run runs a command up to its end, or until enough is true of what it has printed. It returns what the terminal shows
// below the command, and the exit code, or -1 if it is still running.
func (p *page) run(
	shell *shellAtTerminal, command string, answers [][2]string, enough func(output string) bool,
) (output string, code int) {
	p.t.Helper()
	file, err := os.CreateTemp(p.t.TempDir(), "command")
	require.NoError(p.t, err)
	_, err = file.WriteString(command + "\n")
	require.NoError(p.t, err)
	require.NoError(p.t, file.Close())
	_, err = fmt.Fprintln(shell.commands, file.Name())
	require.NoError(p.t, err)
	end := regexp.MustCompile("\x1e(\\d+)\x1e")
	answered, seen := 0, 0
	for over := time.Now().Add(longestCommand); ; <-time.After(10 * time.Millisecond) {
		wrote := shell.Wrote()[shell.read:]
		if at := end.FindStringSubmatchIndex(wrote); at != nil {
			shell.read += at[1]
			code, err = strconv.Atoi(wrote[at[2]:at[3]])
			require.NoError(p.t, err)
			return checkedLine.ReplaceAllString(p.display(wrote[:at[0]]), ""), code
		}
		if answered < len(answers) {
			question, answer := answers[answered][0], answers[answered][1]
			if strings.Count(wrote, question) > count(answers[:answered], question) {
				shell.Press(answer + "\r")
				answered++
			}
		}
		if enough != nil && len(wrote) > seen && enough(p.display(wrote)) {
			return p.display(wrote), -1
		}
		seen = len(wrote)
		if time.Now().After(over) {
			return p.display(wrote), -1
		}
	}
}

// count is how many of some answers are to a question.
func count(answers [][2]string, question string) (n int) {
	for _, answer := range answers {
		if answer[0] == question {
			n++
		}
	}
	return n
}

// display is what a terminal shows of what is written to it, without the live view, which is gone at its end. It is
// wider than the terminal that the program sees, so that no line is broken where a page does not break it.
func (p *page) display(written string) string {
	text := strings.TrimRight(testkit.Display(400, 1+strings.Count(written, "\n")+100, written), "\n")
	text = strings.ReplaceAll(text, p.home, "/home/ada")
	// The machine of the pages has a keyring.
	text = strings.ReplaceAll(text, "! Your login is stored in a file. Any program that runs as you can read it.\n", "")
	return strings.ReplaceAll(text, "stored in the credential file", "stored in the keyring")
}

// usual is the address that pages show for a service.
const usual = "127.0.0.1:8700"

// shortFolder makes a folder whose path is as long as /home/ada, so that the program breaks its lines where the page
// does.
func shortFolder(t *testing.T) string {
	t.Helper()
	for {
		folder := fmt.Sprintf("/tmp/%04x", rand.N(1<<16))
		err := os.Mkdir(folder, 0o700)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		require.NoError(t, err)
		t.Cleanup(func() { _ = os.RemoveAll(folder) })
		return folder
	}
}

// today is the date by which pages ask for what was made today.
func today() string { return time.Now().UTC().Format(time.DateOnly) }

// differs fails the test, unless the day has ended since it began: what was made before is not of today any more.
func (p *page) differs(format string, args ...any) {
	p.t.Helper()
	if today() != p.day {
		p.t.Skip("the day has ended while the page was run")
	}
	p.t.Fatalf(format, args...)
}

func (p *page) block(block consoleBlock) {
	p.t.Helper()
	for _, line := range block.setup {
		output, code := p.run(p.first, p.real(line), nil, nil)
		require.Zero(p.t, code, "%s: the preparation %q failed: %s", p.name, line, output)
	}
	for i, command := range block.commands {
		where := fmt.Sprintf("%s:%d: $ %s", p.name, command.line, command.text)
		if unknown := p.unknownIDs(command.text); len(unknown) > 0 {
			p.t.Fatalf("%s\nNo output above has %s.", where, strings.Join(unknown, " and "))
		}
		shell, enough := p.first, func(string) bool { return false }
		if block.apart {
			shell, enough = p.open(), func(output string) bool {
				matches := output != "" && matchLines(command.output, lines(output), p.shown) != nil
				return matches || testkit.Updating() && strings.Contains(output, "Serving at")
			}
		}
		text := p.real(command.text)
		if block.apart {
			text = "export PAYCTL_SERVE_ADDR=$SERVICE_ADDR PAYCTL_SERVE_KYC_DELAY=$KYC_DELAY; " + text
		}
		output, code := p.run(shell, text, block.answers, enough)
		if block.apart {
			if code >= 0 {
				p.t.Fatalf("%s\nIt has ended with code %d:\n%s", where, code, output)
			}
		} else if code < 0 {
			p.t.Fatalf("%s\nIt has not ended in %v:\n%s", where, longestCommand, output)
		}
		if shown := matchLines(command.output, lines(output), p.shown); shown != nil {
			p.shown = shown
		} else if testkit.Updating() {
			p.changes = append(p.changes, change{command.from, command.to, lines(output)})
			for _, id := range identifier.FindAllString(p.asShown(output), -1) {
				if p.shown[id] == "" {
					p.shown[id], p.latest = id, append(p.latest, id)
				}
			}
		} else {
			p.differs("%s\n%s", where, p.difference(command.output, lines(output)))
		}
		next := append(block.commands[i+1:], consoleCommand{})[0].text
		if code > 0 && !strings.Contains(output, "✗") && !strings.Contains(next, "$?") {
			p.t.Fatalf("%s\nIt has ended with code %d, which readers do not see: add $ echo $? below", where, code)
		}
	}
}

// updated is the text of a page with its changes.
func (p *page) updated(text string) string {
	all := strings.Split(text, "\n")
	for _, change := range slices.Backward(p.changes) {
		all = slices.Replace(all, change.from, change.to, lines(p.asShown(strings.Join(change.lines, "\n")))...)
	}
	return strings.Join(all, "\n")
}
