package app

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/ui"
)

// hostile is a text with everything that affects a terminal, the reading order, lines and columns, or a spreadsheet,
// or that is invisible.
const hostile = "=1+cmd|'/C x'!A0\x1b]0;owned\x07\x1b]8;;http://x\x1b\\\x1b[2J\x1b[31m\u009b31m\u0085" +
	"\u202e\u2066\u200b\ufeff\u00ad\u2028\u2029\u061c\U000e0041\u3164\u00a0\x00\x7f\b\v\f\r\nFORGED\tx;=1+1|\"@x\r"

// spelt stands for the text until the answer is written, since json.Marshal would replace invalid UTF-8.
const spelt = "hostile-text-goes-here"

// A hostileService answers every operation of the contract as its schema says, but with hostile strings.
type hostileService struct {
	mu      sync.Mutex
	status  int // of every answer; 0 means success
	spoils  func(*contract.Schema, string) bool
	text    string          // in JSON
	unfed   bool            // there is no event feed, so a watch polls
	asked   map[string]bool // the operations that were called
	spoiled int             // how many members were hostile
}

// handler serves all operations of the contract.
func (h *hostileService) handler() http.Handler {
	h.asked = map[string]bool{}
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, hostile, http.StatusNotFound) })
	for _, op := range contract.Operations {
		mux.HandleFunc(op.Method+" "+op.Path, func(w http.ResponseWriter, r *http.Request) { h.answer(op, w, r) })
	}
	return mux
}

// start starts the service. It stops when the test ends.
func (h *hostileService) start(t *testing.T) (url string) {
	t.Helper()
	server := httptest.NewServer(h.handler())
	t.Cleanup(server.Close)
	return server.URL
}

func (h *hostileService) answer(op *contract.Operation, w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked[op.ID] = true
	if h.unfed && op.ID == "listEvents" {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	status := op.Success
	if h.status != 0 && op.Access != contract.Basic {
		status = h.status
	}
	response := op.ResponseFor(status)
	for _, header := range response.Headers {
		if header.Schema.Type == contract.String {
			w.Header().Set(header.Name, "x\u009b31m\u202e\u200b") // net/http rejects other control characters
		}
	}
	w.Header().Set("Connection", "close")
	if len(response.Content) == 0 {
		w.WriteHeader(status)
		return
	}
	media := response.Content[0]
	stream := len(response.Content) > 1 && strings.Contains(r.Header.Get("Accept"), response.Content[1].Type)
	if stream {
		w.Header().Set("Content-Type", response.Content[1].Type)
	} else {
		w.Header().Set("Content-Type", media.Type)
	}
	w.WriteHeader(status)
	schema := media.Schema
	if stream {
		schema = member(schema, "data").Items
	}
	if schema == nil {
		return
	}
	shown := h.value(schema, op.ID)
	if check, isObject := shown.(map[string]any); isObject && op.ID == contract.GetKYCStatus.ID {
		check["accountId"] = strings.Split(r.URL.Path, "/")[2] // the client refuses the answer for another account
	}
	body, _ := json.Marshal(shown)
	body = bytes.ReplaceAll(body, []byte(spelt), []byte(h.text))
	if stream {
		body = fmt.Appendf(nil, "id: %s\nevent: kyc.statusChanged\ndata: %s\n\n", "evt_1", body)
	}
	_, _ = w.Write(body)
}

func member(s *contract.Schema, name string) *contract.Schema {
	for _, m := range s.Members {
		if m.Name == name {
			return m.Schema
		}
	}
	return nil
}

// value returns a value for a schema. It is hostile where spoils says so.
func (h *hostileService) value(s *contract.Schema, name string) any {
	if len(s.OneOf) > 0 {
		s = s.OneOf[0]
	}
	switch s.Type {
	case contract.Any, contract.String:
		if h.spoils(s, name) {
			h.spoiled++
			return spelt
		}
		return benign(s, name)
	case contract.Integer:
		return max(s.Minimum, 1)
	case contract.Boolean:
		return false // so that no list has another page
	case contract.Array:
		return []any{h.value(s.Items, name)}
	}
	object := map[string]any{}
	for _, member := range s.Members {
		object[member.Name] = h.value(member.Schema, member.Name)
	}
	if s.Values != nil {
		key := "key"
		if h.spoils(&contract.Schema{Type: contract.String}, "") {
			key = spelt
		}
		object[key] = h.value(s.Values, "value")
	}
	return object
}

func benign(s *contract.Schema, name string) string {
	switch {
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Format == "date-time":
		return "2026-01-01T00:00:00Z"
	case s.Format == "date":
		return "1990-12-31"
	case isDecimal(s, name):
		return "12.50"
	case strings.HasSuffix(name, "Url") || s.Format == "uri-reference":
		return "/x"
	}
	return "some"
}

// decoded reports whether a string is decoded to another type. An invalid one makes a response unusable.
func decoded(s *contract.Schema, name string) bool {
	return s.Format == "date-time" || isDecimal(s, name)
}

func isDecimal(s *contract.Schema, name string) bool {
	return strings.HasPrefix(s.Pattern, "^(0|[") || decimalName.MatchString(name)
}

var decimalName = regexp.MustCompile(`(?i)(amount|rate|residue)$`)

// requireHarmless requires that terminal output has no control sequences except the program's own, no invisible
// characters and no forged lines.
func requireHarmless(t *testing.T, out string, args []string) {
	t.Helper()
	plain := own.ReplaceAllString(strings.ReplaceAll(out, "\r\n", "\n"), "")
	if slices.Contains(args, "--jq") || args[0] == cobra.ShellCompRequestCmd {
		plain = strings.ReplaceAll(plain, "\t", " ") // raw jq output and completions have tabs
	}
	if clean := ui.SanitizeLines(plain); clean != plain {
		t.Errorf("%q wrote %q", args, plain)
	}
	if strings.Contains(plain, "\nFORGED") && !slices.Contains(args, "--jq") {
		t.Errorf("%q wrote a forged line: %q", args, plain)
	}
}

// own matches the program's own sequences: for colours, and for redrawing a line.
var own = regexp.MustCompile(`(?m)\x1b\[[0-9;]*m|^\r|\r?\x1b\[J\r*`)

// hostileLines returns command lines with everything that each command needs to make its calls.
func hostileLines(t *testing.T) [][]string {
	rows := filepath.Join(t.TempDir(), "rows.csv")
	const payment = "reference,contact,route,amount\nr1,some,sepa:EUR->base:USDC,12.50\n"
	require.NoError(t, os.WriteFile(rows, []byte(payment), 0o600))
	contact := filepath.Join(t.TempDir(), "contact.json")
	require.NoError(t, os.WriteFile(contact, []byte(`{"accountId":"some","label":"L","holderName":"H",
		"holderType":"business","paymentRail":"base","currency":"USDC",
		"address":"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"}`), 0o600))
	submission := filepath.Join(t.TempDir(), "submission.json")
	require.NoError(t, os.WriteFile(submission, []byte(`{"requirements":[{"name":"a","value":"b"}]}`), 0o600))
	snapshot := filepath.Join(t.TempDir(), "snapshot.json")
	more := map[string]string{
		"payctl accounts create":  "--type individual --first-name A --last-name B --email a@b.example --country GB",
		"payctl contacts create":  "--input " + contact,
		"payctl kyc submit":       "--input " + submission,
		"payctl kyc watch":        "some --accessible --timeout 300ms",
		"payctl transfer watch":   "some --accessible --timeout 300ms",
		"payctl transfer auto":    "--contact some --route sepa:EUR->base:USDC --amount 12.50",
		"payctl transfer resolve": "--list --all",
		"payctl events tail":      "--limit 1 --timeout 300ms",
		"payctl listen":           "--exec true --after beginning --max-attempts 1 --timeout 300ms",
		"payctl sandbox trigger":  "kyc.approved",
	}
	var lines [][]string
	for _, cmd := range commands(Command()) {
		if cmdutil.IsLocal(cmd) {
			continue
		}
		path := cmd.CommandPath()
		args := wholeLine(t, cmd)
		switch path {
		case "payctl transfer batch":
			args[len(args)-1] = rows
		case "payctl transfer resolve":
			args = args[:len(args)-1]
		case "payctl sandbox snapshot":
			args[len(args)-1] = "-"
		case "payctl sandbox restore":
			args[len(args)-1] = snapshot
		case "payctl sandbox faults":
			args[len(args)-1] = "*=drop"
		case "payctl sandbox kyc", "payctl sandbox transfer":
			args[len(args)-1] = "some"
		case "payctl api":
			continue
		}
		lines = append(lines, append(args, strings.Fields(more[path])...))
	}
	for _, line := range []string{
		"transfer resolve", "transfer auto --contact some --route sepa:EUR->base:USDC --dry-run",
		"transfer batch " + rows + " --dry-run", "kyc watch --all --accessible --timeout 300ms", "kyc get some --reply",
	} {
		lines = append(lines, strings.Fields(line))
	}
	for _, completed := range []string{
		"accounts get", "contacts get", "transfer get", "transfer auto --route", "transfer auto --contact",
		"routes list --source",
	} {
		lines = append(lines, slices.Concat([]string{cobra.ShellCompRequestCmd}, strings.Fields(completed), []string{""}))
	}
	for _, op := range contract.Operations {
		line := []string{"api", op.Method, contract.Expand(op.Path, "some")}
		if op.Body != nil {
			line = append(line, "--input", contact)
		}
		if op.Access != contract.Basic {
			lines = append(lines, line)
		}
	}
	return lines
}

// TestNoFieldOfAnAnswerReachesATerminal puts a hostile text into every member of every resource and problem document of
// the contract. It checks what each command writes to a terminal, in every output format.
func TestNoFieldOfAnAnswerReachesATerminal(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(hostile)
	require.NoError(t, err)
	inJSON := string(text[1 : len(text)-1])
	free := func(s *contract.Schema, name string) bool { return !decoded(s, name) }
	named := func(s *contract.Schema, name string) bool { return !decoded(s, name) && len(s.Enum) == 0 }
	unidentified := func(s *contract.Schema, name string) bool {
		return !decoded(s, name) && !strings.HasSuffix(strings.ToLower(name), "id") && name != "routeKey"
	}
	every := func(*contract.Schema, string) bool { return true }
	for i, attack := range []struct {
		name   string
		status int
		spoils func(*contract.Schema, string) bool
		text   string
		forms  []string
	}{
		{"every text", 0, free, inJSON, []string{"", "-o json", "-o yaml", "-o csv", "-o ndjson", "-v", "--show-pii"}},
		{"every text but statuses", 0, named, inJSON, []string{"", "-o csv"}},
		{"every text but identifiers", 0, unidentified, inJSON, []string{""}},
		{"every value", 0, every, inJSON, []string{"", "-v -o json"}},
		{"raw strings by jq", 0, free, inJSON, []string{"--jq ..|strings"}},
		{"long", 0, named, strings.Repeat("W", 10_000), []string{""}},
		{"invalid UTF-8", 0, named, "\xff\xc0\x9b31m", []string{"", "-o json", "-v"}},
		{"refused", 400, free, inJSON, []string{"", "-o json", "-v"}},
		{"not found", 404, free, inJSON, []string{"", "-o json"}},
		{"unauthorized", 401, free, inJSON, []string{"", "-o json"}},
		{"failing", 503, free, inJSON, []string{"", "-o json"}},
		{"refused, invalid UTF-8", 409, free, "\xff\xc0\x9b31m", []string{"", "-o json", "-v"}},
	} {
		t.Run(attack.name, func(t *testing.T) {
			t.Parallel()
			service := &hostileService{status: attack.status, spoils: attack.spoils, text: attack.text}
			service.unfed = attack.name == "every text but identifiers"
			url := service.start(t)
			for k, line := range hostileLines(t) {
				if i > 0 && k%3 != i%3 && testing.Short() {
					continue // only the first attack tries every line
				}
				for j, form := range attack.forms {
					isCompletion := line[0] == cobra.ShellCompRequestCmd
					if (j > 0 || i > 0 && testing.Short()) && (isCompletion || line[0] == "api") {
						continue // their output depends neither on the operation nor on -o
					}
					u := newUser(t, url)
					u.outTTY, u.errTTY = true, true
					if line[0] != "auth" {
						u.env["PAYCTL_TOKEN"] = "some-token"
					}
					line := slices.Concat(line, strings.Fields(form))
					if !isCompletion {
						line = append(line, "--retries", "0", "--yes")
					}
					e := u.run(line...)
					requireHarmless(t, e.stdout, line)
					requireHarmless(t, e.stderr, line)
					if form == "-o csv" {
						requireDefused(t, e.stdout, line)
					}
				}
			}
			if i == 0 {
				for _, op := range contract.Operations {
					require.True(t, service.asked[op.ID], "no command calls %s", op.ID)
				}
			}
			require.NotZero(t, service.spoiled)
		})
	}
}

// requireDefused requires that no cell of a CSV begins like a formula of a spreadsheet, even if the spreadsheet splits
// the lines at another separator than the comma.
func requireDefused(t *testing.T, out string, args []string) {
	t.Helper()
	reader := csv.NewReader(strings.NewReader(strings.ReplaceAll(out, "\r\n", "\n")))
	reader.FieldsPerRecord = -1
	records, err := reader.ReadAll()
	require.NoError(t, err, "%q wrote %q", args, out)
	for _, record := range records {
		for _, cell := range record {
			require.NotRegexp(t, `(^|[,;|\t])[ "]*[=+@\t\r＝＋－＠-]([^0-9]|[0-9]+[^0-9.])`, cell, "%q wrote %q", args, out)
		}
	}
}
