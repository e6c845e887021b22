package e2e

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
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

	"github.com/hinshun/vt10x"
	"github.com/rogpeppe/go-internal/diff"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/golden"
	"github.com/payctl/payctl/internal/test/paytest"
	"github.com/payctl/payctl/internal/test/terminal"
)

// TestPages types what the documents show in blocks of ```console, page by page, at a terminal of 100 columns, and
// compares what the terminal then shows with what the page shows. With -update it rewrites the output of those commands
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
	if paytest.Raced {
		t.Skip("programs that the race detector watches are too slow for what the pages show")
	}
	if os.Getenv(serversVariable) != "" {
		t.Skip("the pages show one server")
	}
	root := filepath.Join("..", "..", "..")
	files, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	notAtMidnight()
	run := 0
	files = append(files, filepath.Join(root, "README.md"), filepath.Join(root, "docs", "recipes", "README.md"))
	for _, file := range files {
		name, err := filepath.Rel(root, file)
		require.NoError(t, err)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		blocks, err := consoleBlocks(strings.Split(string(text), "\n"))
		require.NoError(t, err, name)
		if len(blocks) == 0 {
			continue
		}
		for _, block := range blocks {
			run += len(block.commands)
		}
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			t.Parallel()
			page := &page{t: t, name: name, home: shortFolder(t), address: shortAddress(t)}
			page.shown = map[string]string{usual: page.address}
			page.first = page.open()
			_, code := page.run(page.first, "payctl profile set local base_url http://$SERVICE_ADDR", nil, nil)
			require.Zero(t, code)
			if golden.Updating() { // as far as the page runs
				defer func() { require.NoError(t, os.WriteFile(file, []byte(page.updated(string(text))), 0o600)) }()
			}
			for _, block := range blocks {
				page.block(block)
			}
		})
	}
	require.Greater(t, run, 50)
}

// A consoleBlock is what a reader types at a terminal, with the comment in front of it.
type consoleBlock struct {
	setup    []string // shell lines
	answers  [][2]string
	apart    bool // at another terminal
	commands []consoleCommand
}

// A consoleCommand is a command of a page, and the lines below that it is to print.
type consoleCommand struct {
	line     int // of the page, from 1
	text     string
	from, to int // the lines of its output, from 0
	output   []string
}

// consoleBlocks reads the blocks of a page.
func consoleBlocks(lines []string) (blocks []consoleBlock, err error) {
	var next consoleBlock
	for i := 0; i < len(lines); i++ {
		switch line := lines[i]; {
		case line == "<!-- test":
			for i++; i < len(lines) && lines[i] != "-->"; i++ {
				next.prepare(lines[i])
			}
		case strings.HasPrefix(line, "<!-- test: "):
			next.prepare(strings.TrimSuffix(strings.TrimPrefix(line, "<!-- test: "), " -->"))
		case line == "```console":
			begin := i + 1
			for i++; i < len(lines) && lines[i] != "```"; i++ {
			}
			if next.commands, err = consoleCommands(lines[:i], begin); err != nil {
				return nil, err
			}
			blocks, next = append(blocks, next), consoleBlock{}
		case strings.HasPrefix(line, "```"):
			for i++; i < len(lines) && lines[i] != "```"; i++ {
				if strings.HasPrefix(lines[i], "$ ") {
					return nil, fmt.Errorf("line %d has a prompt, but is not in a block of console", i+1)
				}
			}
		case strings.HasPrefix(line, "    $ "):
			return nil, fmt.Errorf("line %d has a prompt, but is not in a block of console", i+1)
		}
	}
	if next.setup != nil || next.answers != nil || next.apart {
		return nil, errors.New("a comment <!-- test has no block of console below")
	}
	return blocks, nil
}

// prepare reads a line of the comment in front of a block.
func (b *consoleBlock) prepare(line string) {
	if answer, ok := strings.CutPrefix(line, "@type "); ok {
		text, question, _ := strings.Cut(answer, " after ")
		b.answers = append(b.answers, [2]string{question, text})
	} else if line == "@another terminal" {
		b.apart = true
	} else {
		b.setup = append(b.setup, line)
	}
}

var hereDocument = regexp.MustCompile(`<<'?(\w+)'?`)

// consoleCommands reads the commands from a line of a page up to the last one.
func consoleCommands(lines []string, i int) (commands []consoleCommand, err error) {
	for i < len(lines) {
		first, ok := strings.CutPrefix(lines[i], "$ ")
		if !ok {
			return nil, fmt.Errorf("line %d is below no command", i+1)
		}
		command := consoleCommand{line: i + 1, text: first}
		more := func() {
			i++
			if i < len(lines) {
				command.text += "\n" + lines[i]
			}
		}
		for strings.HasSuffix(lines[min(i, len(lines)-1)], `\`) && i < len(lines) {
			more()
		}
		if here := hereDocument.FindStringSubmatch(first); here != nil {
			for more(); i < len(lines) && lines[i] != here[1]; {
				more()
			}
		}
		i++
		command.from = i
		for i < len(lines) && !strings.HasPrefix(lines[i], "$ ") {
			i++
		}
		for command.to = i; command.to > command.from && lines[command.to-1] == ""; {
			command.to--
		}
		command.output = lines[command.from:command.to]
		commands = append(commands, command)
	}
	return commands, nil
}

// A page is a document whose commands run.
type page struct {
	t       *testing.T
	name    string
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
const kycDelay = "6s"

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
	*terminal.Terminal
	commands *os.File
	read     int // bytes of what was written that have been read
}

func (p *page) open() *shellAtTerminal {
	p.t.Helper()
	receives, commands, err := os.Pipe()
	require.NoError(p.t, err)
	defer receives.Close()
	shell := &shellAtTerminal{terminal.Open(p.t, 100, 40), commands, 0}
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
		case <-time.After(time.Minute):
			p.t.Errorf("%s: the shell did not end", p.name)
		}
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what is left of its session
		<-ended
	})
	return shell
}

// longestCommand is how long a command of a page may take.
const longestCommand = 2 * time.Minute

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
	answered := 0
	for over := time.Now().Add(longestCommand); ; <-time.After(10 * time.Millisecond) {
		wrote := shell.Wrote()[shell.read:]
		if at := end.FindStringSubmatchIndex(wrote); at != nil {
			shell.read += at[1]
			code, err = strconv.Atoi(wrote[at[2]:at[3]])
			require.NoError(p.t, err)
			return p.display(wrote[:at[0]]), code
		}
		if answered < len(answers) {
			question, answer := answers[answered][0], answers[answered][1]
			if strings.Count(wrote, question) > count(answers[:answered], question) {
				shell.Press(answer + "\r")
				answered++
			}
		}
		if enough != nil && enough(p.display(wrote)) {
			return p.display(wrote), -1
		}
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
	screen := vt10x.New(vt10x.WithSize(400, 1+strings.Count(written, "\n")+100))
	_, err := screen.Write([]byte(written))
	require.NoError(p.t, err)
	text := strings.TrimRight(strings.Join(terminal.Lines(screen.String()), "\n"), "\n")
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

// shortAddress finds a free port with four digits, for the same reason. No system gives such a port to a program that
// asks for any.
func shortAddress(t *testing.T) string {
	t.Helper()
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", 2000+rand.N(8000))
		listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
		if err == nil {
			require.NoError(t, listener.Close())
			return address
		}
	}
	t.Fatal("no port with four digits is free")
	return ""
}

// notAtMidnight waits for the next day if this one ends during the test: "today" would be split.
func notAtMidnight() {
	if now := time.Now().UTC(); now.Hour() == 23 && now.Minute() >= 58 {
		<-time.After(now.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(now))
	}
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
				matches := output != "" && p.match(command.output, lines(output)) != nil
				return matches || golden.Updating() && strings.Contains(output, "Serving at")
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
		if shown := p.match(command.output, lines(output)); shown != nil {
			p.shown = shown
		} else if golden.Updating() {
			p.changes = append(p.changes, change{command.from, command.to, lines(output)})
			for _, id := range identifier.FindAllString(p.asShown(output), -1) {
				if p.shown[id] == "" {
					p.shown[id], p.latest = id, append(p.latest, id)
				}
			}
		} else {
			p.t.Fatalf("%s\n%s", where, p.difference(command.output, lines(output)))
		}
		next := append(block.commands[i+1:], consoleCommand{})[0].text
		if code > 0 && !strings.Contains(output, "✗") && !strings.Contains(next, "$?") {
			p.t.Fatalf("%s\nIt has ended with code %d, which readers do not see: add $ echo $? below", where, code)
		}
	}
}

// difference shows where an output is not as on the page, without what may differ.
func (p *page) difference(page, printed []string) string {
	shown, next := p.shown, 0
	output := slices.Clone(printed)
	for i, line := range printed {
		for j := next; j < len(page); j++ {
			if found := matchLine(page[j], line, shown); found != nil && page[j] != "…" {
				output[i], shown, next = page[j], found, j+1
				break
			}
		}
	}
	text := func(lines []string) []byte { return []byte(strings.Join(lines, "\n") + "\n") }
	return string(diff.Diff("page", text(page), "program", text(output)))
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// updated is the text of a page with its changes.
func (p *page) updated(text string) string {
	all := strings.Split(text, "\n")
	for _, change := range slices.Backward(p.changes) {
		all = slices.Replace(all, change.from, change.to, lines(p.asShown(strings.Join(change.lines, "\n")))...)
	}
	return strings.Join(all, "\n")
}

var (
	// identifier is what differs in each run and stands for itself: an identifier, a key, a digest, or an address.
	identifier = regexp.MustCompile(`\b(?:acc|sct|trf|req|evt|bat|wld|rte|quo)_[0-9A-Za-z]{8,}` +
		`|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}\b|\bpayctl-[0-9a-f]{32}\b|\b0x[0-9a-f]{40,}\b|127\.0\.0\.1:\d{4,5}\b`)
	// varying is what differs in each run: a time, a date, a duration, a process id, a version.
	varying = regexp.MustCompile(`\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?` +
		`\d{4}-\d\d-\d\d(?:[T ]\d{1,2}(?::\d{1,2})*(?:\.\d+)?:?(?:Z| [+-]\d\d:\d\d)?)?` +
		`|\b\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?` +
		`|\b\d+(?:\.\d+)? ?(?:ns|µs|ms|s|m|h|d)\b|"pid":\d+|\bpayctl[ /](?:v?\d\S*|dev|test|\(devel\))` +
		`|\bgo1\.\d+(?:\.\d+)?|…|  +`)
)

// match compares the output that a page shows with what was printed. It returns what each identifier of the page then
// stands for, or nil if they do not match.
func (p *page) match(page, printed []string) map[string]string {
	return matchLines(page, printed, p.shown)
}

func matchLines(page, printed []string, shown map[string]string) map[string]string {
	if len(page) == 0 {
		if len(printed) == 0 {
			return shown
		}
		return nil
	}
	if page[0] == "…" {
		for skip := 0; skip <= len(printed); skip++ {
			if found := matchLines(page[1:], printed[skip:], shown); found != nil {
				return found
			}
		}
		return nil
	}
	if len(printed) == 0 {
		return nil
	}
	shown = matchLine(page[0], printed[0], shown)
	if shown == nil {
		return nil
	}
	return matchLines(page[1:], printed[1:], shown)
}

// matchLine compares a line with one that was printed.
func matchLine(page, printed string, shown map[string]string) map[string]string {
	var pattern strings.Builder
	var bound []string
	literal := func(text string) { // with what varies in it
		at := 0
		for _, found := range varying.FindAllStringIndex(text, -1) {
			pattern.WriteString(regexp.QuoteMeta(text[at:found[0]]))
			switch part := text[found[0]:found[1]]; {
			case part == "…":
				pattern.WriteString(`.*?`)
			case part[0] == ' ':
				pattern.WriteString(`  +`)
			default:
				pattern.WriteString(`(?:` + varying.String() + `)`)
			}
			at = found[1]
		}
		pattern.WriteString(regexp.QuoteMeta(text[at:]))
	}
	at := 0
	for _, found := range identifier.FindAllStringIndex(page, -1) {
		literal(page[at:found[0]])
		id := page[found[0]:found[1]]
		if real := shown[id]; real != "" {
			pattern.WriteString(regexp.QuoteMeta(real))
		} else {
			bound = append(bound, id)
			pattern.WriteString(`(` + identifier.String() + `)`)
		}
		at = found[1]
	}
	literal(page[at:])
	found := regexp.MustCompile(`^` + pattern.String() + `$`).FindStringSubmatch(printed)
	if found == nil {
		return nil
	}
	shown = maps.Clone(shown)
	for i, id := range bound {
		if real := shown[id]; real != "" && real != found[i+1] {
			return nil
		}
		if strings.SplitAfter(id, "_")[0] != strings.SplitAfter(found[i+1], "_")[0] && strings.Contains(id, "_") {
			return nil
		}
		shown[id] = found[i+1]
	}
	return shown
}

// real is a command of the page with what was printed in place of what the page shows.
func (p *page) real(command string) string {
	return identifier.ReplaceAllStringFunc(strings.ReplaceAll(command, "/home/ada", p.home), func(id string) string {
		if real := p.shown[id]; real != "" {
			return real
		}
		return id
	})
}

// asShown is what was printed with what the page shows in its place.
func (p *page) asShown(output string) string {
	longestFirst := slices.SortedFunc(maps.Keys(p.shown), func(a, b string) int {
		return len(p.shown[b]) - len(p.shown[a])
	})
	for _, shown := range longestFirst { // as a table may cut an identifier
		output = strings.ReplaceAll(output, p.shown[shown], shown)
	}
	return output
}

// unknownIDs are the identifiers of a command that no output has had.
func (p *page) unknownIDs(command string) (unknown []string) {
	for _, id := range identifier.FindAllString(command, -1) {
		if p.shown[id] != "" || strings.Contains(id, ":") {
			continue
		}
		// With -update it is the latest one of its kind.
		at := -1
		for i, latest := range p.latest {
			if latest[:4] == id[:4] {
				at = i
			}
		}
		if at < 0 {
			unknown = append(unknown, id)
			continue
		}
		real := p.latest[at]
		delete(p.shown, real)
		p.shown[id], p.latest = real, slices.Delete(p.latest, at, at+1)
	}
	return unknown
}

// TestPagesDiffer shows what TestPages takes for the same output.
func TestPagesDiffer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		page, printed string
		same          bool
	}{
		{"a b", "a b", true},
		{"a b", "a c", false},
		{"acc_01m7y6j9kc b", "acc_02m7y6j9kd b", true},
		{"acc_01m7y6j9kc b", "sct_02m7y6j9kd b", false},
		{"acc_01m7y6j9kc acc_01m7y6j9kc", "acc_02m7y6j9kd acc_02m7y6j9kd", true},
		{"acc_01m7y6j9kc acc_01m7y6j9kc", "acc_02m7y6j9kd acc_03m7y6j9kd", false},
		{"at 2026-11-21 04:41:51Z in 3s", "at 2027-01-02 10:00:00Z in 11.5s", true},
		{"250.00 EUR", "250.01 EUR", false},
		{"a\n…\nc", "a\nb\nb\nc", true},
		{"a\n…\nc", "a\nb\nb", false},
		{"a … c", "a b c", true},
		{"", "a", false},
	} {
		matched := matchLines(lines(c.page), lines(c.printed), map[string]string{})
		require.Equal(t, c.same, matched != nil, "%q %q", c.page, c.printed)
	}
	_, err := consoleBlocks([]string{"```sh", "$ payctl", "```"})
	require.Error(t, err)
	_, err = consoleBlocks([]string{"```console", "payctl", "```"})
	require.Error(t, err)
	blocks, err := consoleBlocks(strings.Split("```console\n$ cat <<E\na\nE\nout\n\n$ b \\\n  c\n```", "\n"))
	require.NoError(t, err)
	require.Equal(t, []consoleCommand{
		{2, "cat <<E\na\nE", 4, 5, []string{"out"}}, {7, "b \\\n  c", 8, 8, []string{}},
	}, blocks[0].commands)

}
