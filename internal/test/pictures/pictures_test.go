package pictures

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/app"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/golden"
	"github.com/payctl/payctl/internal/test/terminal"
)

// TestMain lets the programs that the tests start be payctl. It is the real one, with a clock that may stand still.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"payctl": func() { os.Exit(app.MainWith(os.Args[1:], now, refserver.New)) }})
}

// clockVariable has the time at which the clock of a program stands still; empty: it runs.
const clockVariable = "PAYCTL_TEST_NOW"

func now() time.Time {
	still, err := time.Parse(time.RFC3339, os.Getenv(clockVariable))
	if err != nil {
		return time.Now()
	}
	return still
}

// TestPictures draws all pictures again, and compares them with those of the documents. They depend on no clock and on
// no chance: the service has a seed and a clock that stands still, and so has the program.
func TestPictures(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the commands of the pictures are typed in a shell of Unix")
	}
	service := startService(t)
	for name, draw := range map[string]func(*world) picture{
		"demo": demo, "live": live, "routes": routes, "problem": problem, "batch": batch,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, service, name)
			drawn := draw(w)
			for attempt := 1; w.disturbed && attempt < 5; attempt++ {
				w = newWorld(t, startService(t), name)
				drawn = draw(w)
			}
			require.False(t, w.disturbed, "this machine is so slow that payctl reported what it was waiting for")
			w.file = filepath.Join("..", "..", "..", "docs", "pictures", name+".svg")
			golden.RequireFile(t, w.file, drawn.svg(), "make pictures")
		})
	}
}

// A world is what one picture is about: a client of the service with accounts of its own.
type world struct {
	t      *testing.T
	env    []string
	folder string // in which commands are run
	file   string // of the picture
	// disturbed reports whether payctl has printed what only a slow machine sees. The picture has to be drawn again, by
	// another service, since the ids of a picture follow from the seed and the client.
	disturbed bool
}

// newWorld returns the world of a picture.
func newWorld(t *testing.T, service, name string) *world {
	t.Helper()
	return &world{t: t, folder: t.TempDir(), env: []string{
		"PAYCTL_BASE_URL=" + service, "PAYCTL_CLIENT_ID=" + name, "PAYCTL_CLIENT_SECRET=secret",
		"PAYCTL_CREDENTIAL_STORE=file", "PAYCTL_CONFIG_DIR=" + t.TempDir(), "HOME=" + t.TempDir(),
		"LANG=C.UTF-8", "TZ=UTC", "TERM=xterm-256color", "COLORTERM=truecolor", clockVariable + "=2026-01-03T08:00:00Z",
		"PATH=" + os.Getenv("PATH"), "GORACE=" + os.Getenv("GORACE"),
	}}
}

// patience is how long a program may take on a busy machine.
const patience = 2 * time.Minute

// startService runs `payctl serve` until the test ends, and returns its URL.
func startService(t *testing.T) string {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "payctl", "serve", "--check", "--addr", "127.0.0.1:0",
		"--seed", "26", "--clock", "manual")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GORACE=" + os.Getenv("GORACE")}
	output, err := cmd.StdoutPipe()
	require.NoError(t, err)
	var notes bytes.Buffer
	cmd.Stderr = &notes
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		defer time.AfterFunc(patience, func() { _ = cmd.Process.Kill() }).Stop()
		_ = cmd.Process.Signal(os.Interrupt) // it may have ended
		require.NoError(t, cmd.Wait(), "a response of the service breaks its contract: %s", &notes)
	})
	stop := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() }) // so that the read below ends
	line, err := bufio.NewReader(output).ReadBytes('\n')
	require.NoError(t, err, "%s", &notes)
	stop.Stop()
	var ready struct {
		URL string `json:"url"`
	}
	require.NoError(t, json.Unmarshal(line, &ready))
	return ready.URL
}

// do runs a command of payctl which is not in the picture, and returns what it prints.
func (w *world) do(args ...string) string {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), "payctl", args...)
	cmd.Env, cmd.Dir = w.env, w.folder
	var notes bytes.Buffer
	cmd.Stderr = &notes
	out, err := cmd.Output()
	require.NoError(w.t, err, "%v: %s", args, &notes)
	return strings.TrimSpace(string(out))
}

// advance moves the clock of the world.
func (w *world) advance(by string) { w.do("sandbox", "clock", "advance", by, "--jq", ".now") }

// write writes a file into the folder.
func (w *world) write(name, content string) {
	w.t.Helper()
	require.NoError(w.t, os.WriteFile(filepath.Join(w.folder, name), []byte(content), 0o600))
}

// shell opens a shell in the folder.
func (w *world) shell(columns, rows int) *shell {
	w.t.Helper()
	return openShell(w.t, columns, rows, w.env, w.folder)
}

// approved creates an account that may pay.
func (w *world) approved() (account string) {
	w.t.Helper()
	account = w.do("accounts", "create", "--type", "individual", "--first-name", "Ada", "--last-name", "Lovelace",
		"--email", "ada@example.com", "--country", "GB", "--jq", ".id")
	w.advance("1h")
	return account
}

// contact saves a contact.
func (w *world) contact(label, holder, iban string) {
	w.t.Helper()
	w.do("contacts", "create", "--label", label, "--holder-name", holder, "--holder-type", "individual",
		"--rail", "sepa", "--currency", "EUR", "--iban", iban, "--jq", ".id")
}

func demo(w *world) picture {
	w.approved()
	w.contact("Ada", "Ada Lovelace", "DE89370400440532013000")
	s := w.shell(88, 40)
	pay := func(amount, comment string) string {
		return "payctl transfer create --contact Ada --route 'base:USDC->sepa:EUR' \\\n" +
			"  --amount " + amount + " --reference invoice-42 --wait --jq .state" + comment
	}
	s.run(pay("250", ""), 1700*time.Millisecond, func() {
		for _, state := range []string{"awaiting_funds", "funds_received", "payment_submitted"} {
			s.WaitForText(state)
			w.advance("500ms")
		}
	})
	w.disturbed = strings.Contains(s.Text(), "Waiting for a person to act")
	s.run(pay("250", "   # the same line again"), 2200*time.Millisecond, nil)
	s.run(pay("520", "   # another amount"), 1500*time.Millisecond, nil)
	s.run("echo $?", 4*time.Second, nil)
	return s.picture("The same reference pays once",
		"A recording of a terminal. payctl transfer create pays 250 USDC with the reference invoice-42 and waits until the "+
			"payment is processed. The same line again shows the same transfer and pays nothing. With the amount 520 the line is "+
			"refused, and the exit code is 6.")
}

func routes(w *world) picture {
	s := w.shell(128, 40)
	s.run("payctl routes select --destination sepa:EUR", 0, nil)
	return s.still("payctl routes select",
		"payctl routes select lists the routes to sepa:EUR, from fiat and from chains: the provider, the rate, the fees, the "+
			"smallest and the largest amount, and how long each takes.")
}

func problem(w *world) picture {
	w.approved()
	s := w.shell(100, 40)
	s.run("payctl contacts create --label Ada --holder-name 'Ada Lovelace' --holder-type individual \\\n"+
		"  --rail sepa --currency EUR --iban DE89370400440532013001 --bic DEUTDEX", 0, nil)
	s.run("echo $?", 0, nil)
	return s.still("A problem that the service reports",
		"payctl contacts create is refused: One or more validation errors occurred. Below that, each wrong field is named with "+
			"the flag that sets it and the reason: the form of the BIC, and the check digits of the IBAN. The exit code is 3.")
}

func batch(w *world) picture {
	w.approved()
	file := "reference,contact,route,amount\n"
	for _, row := range [][]string{
		{"Ada", "Ada Lovelace", "1250.00", "DE89370400440532013000"},
		{"Grace", "Grace Hopper", "1310.00", "FR1420041010050500013M02606"},
		{"Alan", "Alan Turing", "980.50", "GB82WEST12345698765432"},
		{"Barbara", "Barbara Liskov", "1475.25", "NL91ABNA0417164300"},
	} {
		w.contact(row[0], row[1], row[3])
		file += fmt.Sprintf("2026-01/%s,%s,base:USDC->sepa:EUR,%s\n", strings.ToLower(row[0]), row[0], row[2])
	}
	w.do("transfer", "create", "--contact", "Grace", "--route", "base:USDC->sepa:EUR", "--amount", "1130",
		"--reference", "2026-01/grace")
	w.write("payroll.csv", file)
	s := w.shell(100, 60)
	s.run("cat payroll.csv", 0, nil)
	s.run("payctl transfer batch payroll.csv", 0, func() {
		s.WaitForText("[y/N]")
		s.Press("y\r")
	})
	s.run("echo $?", 0, nil)
	return s.still("payctl transfer batch",
		"payctl transfer batch shows the plan of a file with four rows, asks, and sends them. Three transfers are created. One "+
			"row is refused, because its reference was paid with another amount before; the table shows both amounts. The exit "+
			"code is 13.")
}

// The applicants of the live view, by how long after them the next ones come. A tag of the address decides what becomes
// of their check.
var applicants = []struct{ before, rows string }{
	{"19h", "Ada Lovelace under-review, Grace Hopper, Alan Turing expired, Edsger Dijkstra rejected, Barbara Liskov"},
	{"16h", "Donald Knuth resubmission, Frances Allen, John Backus under-review, Kathleen Booth incomplete, Leslie Lamport"},
	{"9h", "Tony Hoare resubmission, Mary Shaw, Niklaus Wirth under-review, Radia Perlman stuck, Robin Milner rejected"},
	{"6h", "Shafi Goldwasser, Dana Scott incomplete, Ken Thompson, Lynn Conway resubmission, Whitfield Diffie under-review"},
	{"5h", "Adele Goldberg stuck, Butler Lampson stuck, Evelyn Boyd stuck, Fernando Corbato stuck, Sophie Wilson stuck"},
}

func live(w *world) picture {
	for i, group := range applicants {
		rows := "external_id,first_name,last_name,email\n"
		for j, applicant := range strings.Split(group.rows, ", ") {
			words := strings.Fields(applicant)
			address := strings.ToLower(words[0])
			if len(words) > 2 {
				address += "+kyc-" + words[2]
			}
			rows += fmt.Sprintf("crm-%d,%s,%s,%s@example.com\n", 4100+i*10+j, words[0], words[1], address)
		}
		w.write("people.csv", rows)
		w.do("accounts", "import", "people.csv", "--set", "type=individual", "--set", "country=GB", "--concurrency", "1",
			"--yes", "--report", "done.csv")
		w.advance(group.before)
	}
	ids := map[string]string{} // by the external id
	for line := range strings.Lines(w.do("accounts", "list", "--all", "--jq", `.[] | .externalId + " " + .id`)) {
		external, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		ids[external] = id
	}
	shown := terminal.Open(w.t, 120, 50)
	cmd := exec.CommandContext(context.WithoutCancel(w.t.Context()), "payctl", "kyc", "watch", "--all")
	cmd.Env, cmd.Dir = w.env, w.folder
	shown.Start(cmd)
	w.t.Cleanup(func() { _ = cmd.Process.Kill() }) // it may have ended
	shown.WaitForText(" of 25")
	for i, change := range [][2]string{
		{"crm-4112", "approved"}, {"crm-4140", "under_review"}, {"crm-4141", "resubmission_required"}, {"crm-4142", "rejected"},
	} {
		w.do("sandbox", "kyc", ids[change[0]], change[1], "--jq", ".status")
		shown.WaitFor("the latest change", func() bool { return strings.Count(shown.Text(), "08:00 ") > i })
	}
	p := w.settle(func() picture {
		return picture{"payctl kyc watch --all",
			"The live view of 25 identity checks. On top it counts the accounts by whose turn it is, by status and by age. Below is " +
				"the list: those on which the staff has to act first, then those of the applicants with their deadlines and the " +
				"reasons, then those that failed, are in progress or are done. The latest four changes and the details of the " +
				"selected account follow.",
			[]frame{{shown.Screen(), 0}}}
	})
	shown.Press("\x03")
	require.Equal(w.t, 130, shown.Finish(cmd))
	return p
}

// settled is how long a screen stays the same when nothing more is read for it, also on a busy machine.
const settled = 20 * time.Second

// settle returns the picture of a screen that is complete: it is the picture of the documents, or has not changed for as
// long as settled.
func (w *world) settle(draw func() picture) picture {
	committed, _ := os.ReadFile(w.file) // there may be none yet
	var last []byte
	for since := time.Now(); ; <-time.After(100 * time.Millisecond) {
		p := draw()
		switch drawn := p.svg(); {
		case bytes.Equal(drawn, committed):
			return p
		case !bytes.Equal(drawn, last):
			last, since = drawn, time.Now()
		case time.Since(since) > settled:
			return p
		}
	}
}
