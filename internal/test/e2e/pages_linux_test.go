package e2e

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
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

// TestPages types the commands in the ```console blocks of the README, the tutorial and EXACTLY-ONCE.md at a terminal
// of 100 columns, and compares the output. With -update it rewrites the outputs that differ.
//
// A line that begins with "$ " is a command. A \ at its end or a here-document continues it. The lines below are its
// output. Identifiers may differ: a new one in an output stands for the one that was printed. Times, durations, process
// ids, ports and versions may differ, too. A line … stands for any lines, and within a line for any text. A command
// that fails must show its ✗, or be followed by "$ echo $?".
//
// A comment before a block has shell lines that readers do not need. Each of them must succeed:
//
//	<!-- test
//	service --seed 1
//	@type sandbox-secret after Client secret:
//	@another terminal
//	-->
//
// "service [FLAG…]" starts a reference service and logs in. "@type" answers a question of the block. With "@another
// terminal" the block's only command is typed at another terminal, where it keeps running. A comment of one line may be
// written as <!-- test: service -->.
func TestPages(t *testing.T) {
	t.Parallel()
	if testkit.Raced {
		t.Skip("programs with the race detector are too slow for the pages")
	}
	if os.Getenv(serversVariable) != "" {
		t.Skip("the pages show one server")
	}
	for _, name := range []string{"README.md", "docs/TUTORIAL.md", "docs/EXACTLY-ONCE.md"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("..", "..", "..", filepath.FromSlash(name))
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			p := &page{t: t, text: string(content), day: today(), home: shortFolder(t), address: shortAddress(t)}
			p.shown = map[string]string{"127.0.0.1:8700": p.address}
			p.first = p.open()
			_, code := p.run(p.first, "payctl profile set local base_url http://$SERVICE_ADDR", nil, nil)
			require.Zero(t, code)
			defer func() {
				if testkit.Updating() { // as far as the page ran
					require.NoError(t, os.WriteFile(path, []byte(p.text), 0o600))
				}
			}()
			blocks := consoleBlock.FindAllStringSubmatch(p.text, -1)
			require.NotEmpty(t, blocks)
			require.NotRegexp(t, `(?m)^ *\$ `, consoleBlock.ReplaceAllString(p.text, ""), "a prompt outside a console block")
			for _, block := range blocks {
				p.block(strings.Split(block[1], "\n"), block[2])
			}
		})
	}
}

// consoleBlock matches a block and the comment before it.
var consoleBlock = regexp.MustCompile("(?ms)(?:^<!-- test:?\\s(.*?)\\s-->\n)?^```console\n(.*?)^```$")

// A page is a document whose commands run.
type page struct {
	t       *testing.T
	text    string
	day     string // when the test began
	home    string // what the page calls /home/ada
	address string // of the service
	first   *shellAtTerminal
	shown   map[string]string // printed texts, by the text in the page
}

// kycDelay is longer than a slow machine takes from the creation of an account to the next command, so that pages can
// show a pending identity check.
const kycDelay = "15s"

// checkedLine matches the line of serve --check. Tests use this flag, pages do not.
var checkedLine = regexp.MustCompile(`\n\d+ responses? checked, 0 violations`)

// before is the script that the shells of pages run.
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
	read     int // bytes of output that run has read
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
			p.t.Error("the shell did not end")
		}
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what is left of its session
		<-ended
	})
	return shell
}

// A typedAnswer is what is typed after a question.
type typedAnswer struct{ text, question string }

// run runs a command to its end, or until enough returns true for its output. It returns what the terminal shows below
// the command, and the exit code, or -1 if the command still runs.
func (p *page) run(
	shell *shellAtTerminal, command string, answers []typedAnswer, enough func(output string) bool,
) (output string, code int) {
	p.t.Helper()
	file := filepath.Join(p.t.TempDir(), "command")
	require.NoError(p.t, os.WriteFile(file, []byte(command+"\n"), 0o600))
	_, err := fmt.Fprintln(shell.commands, file)
	require.NoError(p.t, err)
	end, from, seen := regexp.MustCompile("\x1e(\\d+)\x1e"), 0, 0
	for over := time.Now().Add(longestWait); time.Now().Before(over); <-time.After(10 * time.Millisecond) {
		wrote := shell.Wrote()[shell.read:]
		if at := end.FindStringSubmatchIndex(wrote); at != nil {
			shell.read += at[1]
			code, err = strconv.Atoi(wrote[at[2]:at[3]])
			require.NoError(p.t, err)
			return checkedLine.ReplaceAllString(p.display(wrote[:at[0]]), ""), code
		}
		if len(answers) > 0 {
			if at := strings.Index(wrote[from:], answers[0].question); at >= 0 {
				shell.Press(answers[0].text + "\r")
				from, answers = from+at+len(answers[0].question), answers[1:]
			}
		}
		if enough != nil && len(wrote) > seen && enough(p.display(wrote)) {
			return p.display(wrote), -1
		}
		seen = len(wrote)
	}
	p.t.Fatalf("%s\nIt has not ended:\n%s", command, p.display(shell.Wrote()[shell.read:]))
	return "", -1
}

// display returns what a terminal shows after a text is written to it. The live view is gone by then. The terminal is
// wider than the program's, so that it does not break lines that the page does not break.
func (p *page) display(written string) string {
	text := strings.TrimRight(testkit.Display(400, 1+strings.Count(written, "\n")+100, written), "\n")
	text = strings.ReplaceAll(text, p.home, "/home/ada")
	// The machine of the pages has a keyring.
	text = strings.ReplaceAll(text, "! Your login is stored in a file. Any program that runs as you can read it.\n", "")
	return strings.ReplaceAll(text, "stored in the credential file", "stored in the keyring")
}

// shortFolder creates a folder whose path is as long as /home/ada, so that the program breaks its lines where the page
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

// today returns the current date, by which pages list what was created today.
func today() string { return time.Now().UTC().Format(time.DateOnly) }

// A pageCommand is a command of a page, and the output that the page shows.
type pageCommand struct{ text, output string }

var hereDocument = regexp.MustCompile(`<<'?(\w+)'?`)

// commandsOf reads the commands of a block.
func commandsOf(block string) (all []pageCommand) {
	lines := strings.Split(strings.TrimSuffix(block, "\n"), "\n")
	for i := 0; i < len(lines); {
		c, end := pageCommand{text: strings.TrimPrefix(lines[i], "$ ")}, ""
		if here := hereDocument.FindStringSubmatch(lines[i]); here != nil {
			end = here[1]
		}
		for i++; i < len(lines) && (strings.HasSuffix(c.text, `\`) || end != ""); i++ {
			c.text += "\n" + lines[i]
			if lines[i] == end {
				end = ""
			}
		}
		for ; i < len(lines) && !strings.HasPrefix(lines[i], "$ "); i++ {
			c.output += lines[i] + "\n"
		}
		c.output = strings.TrimRight(c.output, "\n")
		all = append(all, c)
	}
	return all
}

// block runs the lines of a comment, and then the commands of the block below.
func (p *page) block(setup []string, block string) {
	p.t.Helper()
	var answers []typedAnswer
	apart := false
	for _, line := range setup {
		if answer, ok := strings.CutPrefix(line, "@type "); ok {
			text, question, _ := strings.Cut(answer, " after ")
			answers = append(answers, typedAnswer{text, question})
		} else if line == "@another terminal" {
			apart = true
		} else if line != "" {
			output, code := p.run(p.first, p.real(line), nil, nil)
			require.Zero(p.t, code, "the preparation %q failed: %s", line, output)
		}
	}
	commands := commandsOf(block)
	for i, command := range commands {
		for _, id := range identifier.FindAllString(command.text, -1) {
			require.True(p.t, p.shown[id] != "" || strings.Contains(id, ":"), "%s\nNo output above has %s.", command.text, id)
		}
		if apart {
			text := "export PAYCTL_SERVE_ADDR=$SERVICE_ADDR PAYCTL_SERVE_KYC_DELAY=$KYC_DELAY; " + p.real(command.text)
			output, code := p.run(p.open(), text, answers, func(output string) bool {
				return output != "" && p.matches(command.output, output)
			})
			require.Negative(p.t, code, "%s has ended:\n%s", command.text, output)
			continue
		}
		output, code := p.run(p.first, p.real(command.text), answers, nil)
		next := append(commands[i+1:], pageCommand{})[0].text
		if !p.matches(command.output, output) {
			p.differs(command, output)
		}
		isTold := strings.Contains(output, "✗") || strings.Contains(next, "$?")
		const unseen = "%s\nIt has ended with code %d, which readers do not see: add $ echo $? below"
		require.True(p.t, code == 0 || isTold, unseen, command.text, code)
	}
}

// differs rewrites the page with -update. Otherwise it fails the test, or skips it if the day has ended since it began:
// what was created before is no longer from today.
func (p *page) differs(command pageCommand, output string) {
	p.t.Helper()
	switch {
	case testkit.Updating():
		p.text = strings.Replace(p.text, command.text+"\n"+command.output, command.text+"\n"+p.asShown(output), 1)
		for _, id := range identifier.FindAllString(p.asShown(output), -1) {
			p.shown[id] = cmp.Or(p.shown[id], id)
		}
	case today() != p.day:
		p.t.Skip("the day ended while the page ran")
	default:
		require.Equal(p.t, command.output, p.asShown(output), "$ %s\nTimes and identifiers may differ.", command.text)
	}
}

var (
	// identifier matches what differs in each run but not within one: an identifier, a key, a digest, or an address.
	identifier = regexp.MustCompile(`\b(?:acc|sct|trf|req|evt|bat|wld|rte|quo)_[0-9A-Za-z]{8,}` +
		`|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}\b|\bpayctl-[0-9a-f]{32}\b|\b0x[0-9a-f]{40,}\b` +
		`|#pages\.\S+|127\.0\.0\.1:\d{4,5}\b`)
	// varying matches what differs each time: a time, a date, a duration, a process id, a version.
	varying = regexp.MustCompile(`\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?` +
		`\d{4}-\d\d-\d\d(?:[T ]\d{1,2}(?::\d{1,2})*(?:\.\d+)?:?(?:Z| [+-]\d\d:\d\d)?)?` +
		`|\b\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?` +
		`|\b\d+(?:\.\d+)? ?(?:ns|µs|ms|s|m|h|d)\b|"pid":\d+|\bpayctl[ /](?:v?\d\S*|dev|test|\(devel\))` +
		`|\bgo1\.\d+(?:\.\d+)?|…|  +`)
	// changing matches the parts of a page's output that stand for other text.
	changing = regexp.MustCompile(`(?m)^…\n|` + identifier.String() + `|` + varying.String())
)

// matches compares the output in a page with the printed output, and remembers what the page's identifiers stand for.
func (p *page) matches(page, printed string) bool {
	var pattern strings.Builder
	var ids []string
	at := 0
	page, printed = page+"\n", printed+"\n"
	for _, found := range changing.FindAllStringIndex(page, -1) {
		pattern.WriteString(regexp.QuoteMeta(page[at:found[0]]))
		part := page[found[0]:found[1]]
		at = found[1]
		switch kind, _, hasKind := strings.Cut(part, "_"); {
		case part == "…\n":
			pattern.WriteString(`(?:.*\n)*?`)
		case part == "…":
			pattern.WriteString(`.*?`)
		case part[0] == ' ':
			pattern.WriteString(`  +`)
		case !identifier.MatchString(part):
			pattern.WriteString(`(?:` + varying.String() + `)`)
		case p.shown[part] != "":
			pattern.WriteString(regexp.QuoteMeta(p.shown[part]))
		case hasKind:
			ids = append(ids, part)
			pattern.WriteString(`(` + kind + `_\w+)`)
		default:
			ids = append(ids, part)
			pattern.WriteString(`(` + identifier.String() + `)`)
		}
	}
	pattern.WriteString(regexp.QuoteMeta(page[at:]))
	found := regexp.MustCompile(`^` + pattern.String() + `$`).FindStringSubmatch(printed)
	if found == nil {
		return false
	}
	shown := maps.Clone(p.shown)
	for i, id := range ids {
		if shown[id] = cmp.Or(shown[id], found[i+1]); shown[id] != found[i+1] {
			return false
		}
	}
	p.shown = shown
	return true
}

// real returns a command of the page with the printed identifiers in place of those of the page.
func (p *page) real(command string) string {
	return identifier.ReplaceAllStringFunc(strings.ReplaceAll(command, "/home/ada", p.home), func(id string) string {
		if real := p.shown[id]; real != "" {
			return real
		}
		return id
	})
}

// asShown returns printed output with the identifiers of the page in place of the printed ones.
func (p *page) asShown(output string) string {
	longestFirst := slices.SortedFunc(maps.Keys(p.shown), func(a, b string) int {
		return len(p.shown[b]) - len(p.shown[a])
	})
	for _, shown := range longestFirst { // a table may show only the beginning of an identifier
		output = strings.ReplaceAll(output, p.shown[shown], shown)
	}
	return output
}
