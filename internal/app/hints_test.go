//go:build !windows

package app

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
)

// TestHintsRunNothing puts hostile values from a service, files and flags into everything that hints repeat, and pastes
// each hint into a shell. The shell runs only payctl and the tools that the hint names. The value is one argument.
func TestHintsRunNothing(t *testing.T) {
	t.Parallel()
	pasted := []string{
		"kyc watch", "kyc submit", "routes list", "transfer get", "transfer watch", "transfer auto", "transfer cancel",
		"auth login", "chmod", "profile set", "transfer resolve", // the last one has a key, and keys have no spaces
	}
	for name, c := range map[string]struct {
		value    string
		commands []string // the commands in hints that have the value as an argument
	}{
		"commands": {
			`x';touch${IFS}"$MARK";$(touch${IFS}"$MARK")` + "`touch${IFS}\"$MARK\"`" +
				`|touch${IFS}$MARK&touch${IFS}$MARK>$MARK"\`,
			pasted,
		},
		"flag":      {"-rf", pasted},
		"hint":      {"payctl auth login 'payctl x;touch $MARK", pasted[:len(pasted)-1]},
		"invisible": {"x;touch $MARK\ntouch $MARK\n\u202e\u200b\u3164", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &paster{T: t, value: c.value, dir: t.TempDir(), shown: map[string]bool{}}
			p.run()
			require.ElementsMatch(t, c.commands, slices.Collect(maps.Keys(p.shown)))
		})
	}
}

// A paster runs payctl with a hostile value, and pastes the hints that it prints into a shell.
type paster struct {
	*testing.T
	value string
	dir   string          // the home folder and the configuration folder
	shown map[string]bool // the commands in hints that had the value as an argument
}

func (p *paster) run() {
	text, err := json.Marshal(p.value)
	require.NoError(p, err)
	named := func(s *contract.Schema, name string) bool { return !decoded(s, name) && len(s.Enum) == 0 }
	hostile := &hostileService{spoils: named, text: string(text[1 : len(text)-1])}
	spoiled := hostile.handler()
	var transfer atomic.Pointer[[]byte] // the last one sent
	service := p.serve(func(w http.ResponseWriter, r *http.Request) {
		sent, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(sent))
		answer := httptest.NewRecorder()
		spoiled.ServeHTTP(answer, r)
		var body map[string]any
		if r.URL.Path == contract.GetOpenAPIDocumentJSON.Path {
			w.Header().Set("Content-Type", "application/json")
			body = map[string]any{"openapi": "3.1.0", "paths": map[string]any{
				"/" + p.value + "/{id}": map[string]any{"get": map[string]any{"operationId": contract.GetKYCStatus.ID}},
			}}
		} else {
			_ = json.Unmarshal(answer.Body.Bytes(), &body)
			isTransfer := r.URL.Path == contract.CreateAutoTransfer.Path
			if isTransfer {
				transfer.Store(&sent)
			} else if last := transfer.Load(); last != nil && r.Method == http.MethodGet && body["data"] == nil &&
				strings.HasPrefix(r.URL.Path, "/transfers/") {
				sent, isTransfer = *last, true
			}
			if (r.Method == http.MethodPost || isTransfer) && answer.Code < 300 {
				_ = json.Unmarshal(sent, &body) // the effect is as requested
			}
			if isTransfer {
				delete(body, "source")
				delete(body, "destination")
			}
			p.giveReferences(r, body)
			maps.Copy(w.Header(), answer.Header())
		}
		changed, _ := json.Marshal(body)
		w.WriteHeader(answer.Code)
		_, _ = w.Write(changed)
	})
	rejecting := p.serve(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	silent := p.serve(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })

	create := strings.Fields("accounts create --type individual --first-name A --last-name B --country GB " +
		"--email a@b.example")
	contact := strings.Fields("contacts create --label L --holder-name H --holder-type business --rail base " +
		"--currency USDC --address 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")
	send := append(strings.Fields("transfer auto --route sepa:EUR->base:USDC --amount 12.50 --yes --retries 0"),
		"--contact="+p.value)
	secure := httptest.NewTLSServer(nil)
	p.Cleanup(secure.Close)
	authority := filepath.Join(p.dir, p.value)
	certificate := &pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}
	require.NoError(p, os.WriteFile(authority, pem.EncodeToMemory(certificate), 0o600))

	p.payctl(service, create)
	p.payctl(service, append(contact, "--account="+p.value))
	p.payctl(service, []string{"kyc", "get", "some"})
	p.payctl(service, []string{"kyc", "submit", "--field", "a=b", "--", p.value})
	p.payctl(service, []string{"kyc", "watch", "--accessible", "--timeout", "50ms", "--", p.value})
	p.payctl(service, []string{"events", "list"})
	p.payctl(service, []string{"routes", "select", "--source", "sepa:EUR"})
	p.payctl(service, append(send, "--dry-run"))
	p.payctl(service, append(send, "--reference", "used"))
	p.payctl(service, append(send, "--reference", "near"))
	p.payctl(service, append(send, "--reference", "twice"))
	p.payctl(service, append(send, "--wait", "--timeout", "50ms"))
	p.payctl(service, append(send, "--idempotency-key", p.value))
	p.payctl(service, []string{"transfer", "watch", "--accessible", "--timeout", "50ms", "--", p.value})
	p.payctl(service, []string{"doctor", "-o", "json"})
	p.payctl(silent, append(create, "--idempotency-key", p.value, "--retries", "0"))
	p.payctl(silent, []string{"transfer", "resolve"})
	p.payctl(rejecting, []string{"auth", "login"},
		"PAYCTL_TOKEN=", "PAYCTL_CLIENT_ID="+p.value, "PAYCTL_CLIENT_SECRET=secret")
	p.payctl(rejecting, []string{"--ca-cert", authority, "auth", "status", "-o", "json"}, "PAYCTL_TOKEN=")
	p.payctl(rejecting, []string{"-p", p.value, "auth", "status"}, "PAYCTL_TOKEN=")
	p.payctl(service, []string{"profile", "use", "--", p.value})
	p.payctl(service, []string{"profile", "set", "--", p.value, "base_url", ""})
	p.payctl(service, []string{"accounts", "list"}, "PAYCTL_PROFILE="+p.value)

	folder := filepath.Join(p.TempDir(), p.value)
	require.NoError(p, os.MkdirAll(filepath.Join(folder, "state"), 0o700))
	require.NoError(p, os.WriteFile(filepath.Join(folder, "state", "credentials.json"), nil, 0o600))
	require.NoError(p, os.Chmod(filepath.Join(folder, "state", "credentials.json"), 0o644))
	p.payctl(rejecting, []string{"doctor", "-o", "json"}, "PAYCTL_CONFIG_DIR="+folder)
	p.payctl(rejecting, []string{"accounts", "list"}, "PAYCTL_CONFIG_DIR="+folder, "PAYCTL_TOKEN=")
}

func (p *paster) serve(handler http.HandlerFunc) (url string) {
	server := httptest.NewServer(handler)
	p.Cleanup(server.Close)
	return server.URL
}

// giveReferences ends lists, and gives listed transfers the requested reference, so that they count as found.
func (p *paster) giveReferences(r *http.Request, body map[string]any) {
	if _, ok := body["nextCursor"]; ok {
		body["nextCursor"] = nil
	}
	if strings.HasPrefix(r.URL.Path, "/transfers/other/") {
		body["id"] = "other"
	}
	reference := r.URL.Query().Get("reference")
	found, ok := body["data"].([]any)
	if reference == "" || !ok {
		return
	}
	switch transfer := found[0].(map[string]any); reference {
	case "near":
		transfer["reference"] = "NEAR"
	case "twice":
		other := maps.Clone(transfer)
		other["id"] = "other"
		transfer["reference"], other["reference"] = reference, reference
		body["data"] = []any{transfer, other}
	default:
		transfer["reference"] = reference
	}
}

// payctl runs a command line with standard error at a terminal, and pastes the hints that it prints.
func (p *paster) payctl(url string, args []string, env ...string) {
	p.Helper()
	u := newUser(p.T, url)
	u.errTTY = true
	for _, variable := range append([]string{
		"HOME=" + p.dir, "PAYCTL_CONFIG_DIR=" + p.dir, "PAYCTL_TOKEN=some-token",
		"PAYCTL_CLIENT_ID=", "PAYCTL_CLIENT_SECRET=",
	}, env...) {
		name, value, _ := strings.Cut(variable, "=")
		u.env[name] = value
	}
	e := u.run(args...)
	for _, hint := range hintsIn(e.stdout, own.ReplaceAllString(e.stderr, "")) {
		p.paste(hint)
	}
}

// hintsIn returns the hints on standard output and standard error.
func hintsIn(out, notes string) (hints []string) {
	var document any
	if json.Unmarshal([]byte(out), &document) == nil {
		return append(hintsOf(document), hintsIn("", notes)...)
	}
	isNext := false
	for line := range strings.Lines(out + notes) {
		line = strings.TrimSuffix(line, "\n")
		_, toDo, isToDo := strings.Cut(line, "To do\t")
		_, told, isTold := strings.Cut(line, "Next: ")
		switch {
		case isNext && strings.HasPrefix(line, "  "):
			hints = append(hints, strings.TrimSpace(line))
			continue
		case isToDo:
			hints = append(hints, toDo)
		case isTold:
			hints = append(hints, told)
		case strings.HasPrefix(line, "Go on with "):
			hints = append(hints, line)
		}
		isNext = line == "Next:"
	}
	return hints
}

// hintsOf returns the hints in a JSON document.
func hintsOf(document any) (hints []string) {
	switch value := document.(type) {
	case []any:
		for _, element := range value {
			hints = append(hints, hintsOf(element)...)
		}
	case map[string]any:
		for _, name := range []string{"next", "fix", "advice"} {
			if hint, ok := value[name].(string); ok {
				hints = append(hints, hint)
			}
		}
		for _, member := range value {
			hints = append(hints, hintsOf(member)...)
		}
	}
	return hints
}

// tools defines the programs in hints as shell functions that record their name, their arguments and the count.
const tools = `
record() { printf '%s\0' "$#" "$@" >>"$RECORD"; }
payctl() { record payctl "$@"; }
for tool in chmod chown mv rm sudo; do eval "$tool() { record $tool \"\$@\"; }"; done
`

// paste runs a hint in a shell: the whole hint, and each command in it without the remark in parentheses.
func (p *paster) paste(hint string) {
	p.Helper()
	require.NotContains(p, hint, "run: ", "text before a command is pasted with it")
	lines := []string{hint}
	if command, _, hasRemark := strings.Cut(hint, "   ("); hasRemark {
		lines = append(lines, command)
	}
	for _, start := range []string{"payctl ", "chmod "} {
		if at := strings.Index(hint, start); at > 0 && strings.Count(hint[:at], "'")%2 == 0 {
			command, _, _ := strings.Cut(hint[at:], "   (")
			lines = append(lines, command)
		}
	}
	for _, line := range lines {
		folder := p.TempDir()
		mark, record := filepath.Join(folder, "mark"), filepath.Join(folder, "record")
		cmd := exec.CommandContext(p.Context(), "sh", "-c", tools+line)
		cmd.Dir = folder
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "MARK=" + mark, "RECORD=" + record, "EDITOR=true"}
		_ = cmd.Run() // a sentence is not a command
		require.NoFileExists(p, mark, hint)
		recorded, _ := os.ReadFile(record)
		require.NoFileExists(p, filepath.Join(folder, "$MARK"), hint)
		for words := strings.Split(string(recorded), "\x00"); len(words) > 1; {
			count, err := strconv.Atoi(words[0])
			require.NoError(p, err, hint)
			p.checkWords(hint, words[1:count+1])
			words = words[count+1:]
		}
	}
}

// checkWords checks the words of a command that a hint ran. A word with a part of the value has all of it. payctl takes
// it as an argument, or as the value of a flag.
func (p *paster) checkWords(hint string, words []string) {
	p.Helper()
	isWhole := func(word string) bool { return strings.Contains(word, p.value) }
	for _, word := range words {
		require.False(p, strings.Contains(word, "touch") && !isWhole(word), "%q in %q", word, hint)
	}
	if !slices.ContainsFunc(words, isWhole) {
		return
	}
	if words[0] != "payctl" {
		p.shown[words[0]] = true
		return
	}
	cmd, rest, err := Command().Find(words[1:])
	require.NoError(p, err, hint)
	require.NoError(p, cmd.ParseFlags(rest), hint)
	isTaken := slices.ContainsFunc(cmd.Flags().Args(), isWhole)
	cmd.Flags().Visit(func(f *pflag.Flag) { isTaken = isTaken || isWhole(strings.Join(flagValues(f), "\n")) })
	require.True(p, isTaken, hint)
	p.shown[strings.TrimPrefix(cmd.CommandPath(), "payctl ")] = true
}

func flagValues(f *pflag.Flag) []string {
	if several, ok := f.Value.(pflag.SliceValue); ok {
		return several.GetSlice()
	}
	return []string{f.Value.String()}
}
