package e2e

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/app"
	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/test/testkit"
)

// The credentials of these tests, with what has to be escaped somewhere.
const (
	leakClient = "leaky-client"
	leakSecret = `pa55/w+rd"<&>=é%20 secret`
	leakToken  = "t0ken/with+plus~and.dots-_0123456789=="
)

// leakForms are credentials in every form that is looked for, and that the service repeats them in.
func leakForms(secrets []string) map[string]string {
	found := map[string]string{}
	for _, secret := range secrets {
		name := map[string]string{leakSecret: "secret", leakToken: "token"}[secret]
		quoted, _ := json.Marshal(secret)
		add := func(form, text string) { found[name+", "+form] = text }
		add("plain", secret)
		add("JSON", string(quoted[1:len(quoted)-1]))
		add("query", url.QueryEscape(secret))
		add("path", url.PathEscape(secret))
		add("HTML", html.EscapeString(secret))
		add("hex", fmt.Sprintf("%x", secret))
		for alphabet, encoding := range map[string]*base64.Encoding{"base64": base64.RawStdEncoding, "base64url": base64.RawURLEncoding} {
			add(alphabet, encoding.EncodeToString([]byte(secret)))
			add(alphabet+" of Basic", encoding.EncodeToString([]byte(leakClient+":"+secret)))
			add(alphabet+" of Bearer", encoding.EncodeToString([]byte("Bearer "+secret)))
		}
	}
	return found
}

// leaky is a service that repeats credentials wherever an answer has room for text, in one of the ways to answer.
func leaky(t *testing.T, way string, secrets []string) string {
	var all []string
	for _, form := range leakForms(secrets) {
		all = append(all, form)
	}
	slices.Sort(all)
	echo := strings.Join(all, " ")
	inJSON, err := json.Marshal(echo)
	require.NoError(t, err)
	text := string(inJSON)
	resource := strings.ReplaceAll(`{"id": ECHO, "accountId": ECHO, "type": "individual", "firstName": ECHO, "status": "pending", "state": "awaiting_funds", "reason": ECHO,
		"reference": ECHO, "externalId": ECHO, "label": ECHO, "holderName": ECHO, "requirements": [{"name": ECHO, "description": ECHO}], "createdAt": "2026-01-01T00:00:00Z",
		"routes": [{"key": ECHO, "provider": ECHO}], "transactionsInfo": [], "availableSources": [{"paymentRail": ECHO, "currency": ECHO}], "availableDestinations": [],
		"mode": ECHO, "now": "2026-01-01T00:00:00Z", "instance": ECHO, "world": {"a": ECHO}, "checksum": ECHO, "version": ECHO, "takenAt": "2026-01-01T00:00:00Z", "rules": [ECHO],
		"clientId": ECHO, "scope": ECHO, "expiresAt": "2099-01-01T00:00:00Z", "issuedAt": "2026-01-01T00:00:00Z", "cursor": "c", "nextCursor": null,
		"data": [{"id": ECHO, "type": "transfer.state", "subjectId": ECHO, "status": ECHO, "state": ECHO, "to": ECHO, "from": null, "occurredAt": "2026-01-01T00:00:00Z", "label": ECHO, "key": ECHO,
			"number": 1, "method": ECHO, "path": ECHO, "time": "2026-01-01T00:00:00Z"}]}`, "ECHO", text)
	problem := strings.ReplaceAll(`{"type": "https://x.test/problems/not-found", "title": ECHO, "detail": ECHO, "instance": ECHO, "requestId": ECHO, "errors": {ECHO: [ECHO]}, "more": [ECHO, {ECHO: ECHO}]}`, "ECHO", text)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		for _, name := range []string{"X-Echo", "X-Request-Id", "Payctl-World", "Server", "Etag", "Location", "Set-Cookie", "Www-Authenticate", "Warning", "Retry-After"} {
			header.Set(name, strings.ReplaceAll(echo, "é", ""))
		}
		answer := func(status int, media, body string) {
			header.Set("Content-Type", media)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
		if strings.Contains(r.URL.Path, "/identity/auth/tokens") && r.Method == http.MethodPost && way != "refused" {
			answer(200, "application/json", `{"access_token": "`+leakToken+`", "token_type": `+text+`, "expires_in": 3600, "scope": `+text+`, "other": `+text+`}`)
			return
		}
		switch way {
		case "resource":
			if strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
				answer(200, "text/event-stream", "id: "+secrets[0]+"\ndata: {\"id\":\"evt_1\",\"type\":"+text+",\"subjectId\":"+text+",\"to\":"+text+",\"occurredAt\":\"2026-01-01T00:00:00Z\"}\n\n")
				return
			}
			answer(200, "application/json", resource)
		case "refused":
			answer(401, "application/problem+json", problem)
		case "problem":
			answer(404, "application/problem+json", problem)
		case "page":
			answer(502, "text/html", "<html><title>"+echo+"</title>"+echo)
		case "cut":
			answer(200, "application/json", resource[:len(resource)/2])
		case "text":
			answer(200, "text/plain", echo)
		case "moved":
			header.Set("Location", "https://elsewhere.test/"+url.PathEscape(secrets[0])+"?secret="+url.QueryEscape(secrets[0]))
			answer(307, "text/plain", echo)
		case "no HTTP":
			connection, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = connection.Write([]byte(strings.ReplaceAll(echo, "\n", "") + "\r\n\r\n"))
				_ = connection.Close()
			}
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// leakLines are command lines that get further than those that are made of the usage.
func leakLines(t *testing.T, dir string) [][]string {
	rows := filepath.Join(dir, "rows.csv")
	require.NoError(t, os.WriteFile(rows, []byte("reference,contact,route,amount\nr-1,sct_1,base:USDC->sepa:EUR,5\n"), 0o600))
	return [][]string{
		{"accounts", "create", "--type", "individual", "--first-name", "Ada", "--last-name", "L", "--email", "ada@example.com", "--country", "GB"},
		{"contacts", "create", "--account", "acc_1", "--label", "L", "--holder-name", "N", "--holder-type", "individual", "--rail", "sepa", "--currency", "EUR", "--iban", "DE89370400440532013000"},
		{"transfer", "auto", "--contact", "sct_1", "--route", "base:USDC->sepa:EUR", "--amount", "5", "--reference", "r-2", "--yes"},
		{"transfer", "auto", "--contact", "sct_1", "--route", "base:USDC->sepa:EUR", "--amount", "5", "--yes"},
		{"transfer", "auto", "--contact", "sct_1", "--route", "base:USDC->sepa:EUR", "--amount", "5", "--dry-run"},
		{"transfer", "batch", rows, "--report", filepath.Join(dir, "report.csv"), "--yes"},
		{"transfer", "resolve"},
		{"api", "GET", "/accounts/v1"},
		{"api", "POST", "/anything", "-f", "a=b"},
		{"events", "list"},
		{"sandbox", "snapshot"},
		{"__complete", "accounts", "get", ""},
		{"__complete", "transfer", "auto", "--contact", ""},
		{"auth", "status"}, {"profile", "show"},
	}
}

// TestSecretsGetNowhere runs every command with -v against services that repeat the credentials in every way and place: no
// output and no file has them, but the store and what `auth token` is there to print.
func TestSecretsGetNowhere(t *testing.T) {
	t.Parallel()
	if testkit.Raced || runtime.GOOS == "windows" {
		t.Skip("it starts the program hundreds of times to look at texts, in which the race detector and Windows change nothing")
	}
	token, client := []string{"PAYCTL_TOKEN=" + leakToken}, []string{"PAYCTL_CLIENT_ID=" + leakClient, "PAYCTL_CLIENT_SECRET=" + leakSecret}
	both := []string{leakToken, leakSecret}
	for way, with := range map[string]struct{ environment, secrets []string }{
		"resource": {nil, both}, "problem": {nil, both}, "text": {nil, both}, // with a stored login
		"page": {client, both}, "no HTTP": {client, both}, "refused": {client, []string{leakSecret}},
		"cut": {token, []string{leakToken}}, "moved": {token, []string{leakToken}}, "nothing is sent": {token, []string{leakToken}},
	} {
		if testing.Short() && way != "resource" && way != "refused" {
			continue
		}
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			run := leakRun{t: t, dir: dir, url: leaky(t, way, with.secrets), env: with.environment, secrets: with.secrets}
			if with.environment == nil {
				run.stdin = leakSecret + "\n"
				login := run.run("auth", "login", "--client-id", leakClient, "--secret-stdin")
				require.Zero(t, login.code, "%s", login.stderr)
				run.stdin = ""
			}
			lines := leakLines(t, dir)
			for _, cmd := range commands(app.Command()) {
				if !cmdutil.IsLocal(cmd) && cmd.Name() != "logout" || cmd.Name() == "token" {
					lines = append(lines, wholeLine(t, cmd))
				}
			}
			for i, line := range lines {
				form := []string{"json", "table", "yaml", "csv", "ndjson"}[i%5]
				if line[0] != "__complete" {
					line = slices.Concat(line, endsSoon, []string{"-v", "--retries", "0", "-o", form})
				}
				if way == "nothing is sent" {
					line = append(line, "--curl")
				}
				run.run(line...)
			}
			run.requireFiles()
		})
	}
}

// A leakRun runs the program in a folder of its own, in which it keeps everything.
type leakRun struct {
	t        *testing.T
	dir, url string
	env      []string
	secrets  []string
	stdin    string
}

func (r leakRun) run(args ...string) ending {
	command := exec.CommandContext(r.t.Context(), "payctl", args...)
	command.Dir = r.dir
	command.Stdin = strings.NewReader(r.stdin)
	command.Env = inherited(append([]string{
		"HOME=" + r.dir, "TMPDIR=" + r.dir, "PAYCTL_CONFIG_DIR=" + filepath.Join(r.dir, "config"),
		"PAYCTL_BASE_URL=" + r.url, "PAYCTL_CREDENTIAL_STORE=file",
	}, r.env...)...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		_, failed := errors.AsType[*exec.ExitError](err)
		require.True(r.t, failed, "%v: %v", args, err)
	}
	secrets := r.secrets
	if args[0] == "doctor" && r.env != nil || args[0] == "ping" || args[0] == "contract" {
		// They ask for the service's health or its document before anything else, and get no token where that fails: one
		// that the service gave to another program is nothing that they could know.
		secrets = slices.DeleteFunc(slices.Clone(secrets), func(secret string) bool { return !strings.Contains(strings.Join(r.env, " "), secret) })
	}
	for name, form := range leakForms(secrets) {
		require.NotContains(r.t, stderr.String(), form, "%v: %s on standard error", args, name)
		if !slices.Equal(args[:2], []string{"auth", "token"}) {
			require.NotContains(r.t, stdout.String(), form, "%v: %s on standard output", args, name)
		}
	}
	return ending{command.ProcessState.ExitCode(), stdout.Bytes(), stderr.Bytes()}
}

// requireFiles looks into every file that was left.
func (r leakRun) requireFiles() {
	seen := 0
	require.NoError(r.t, filepath.WalkDir(r.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "credentials.json" {
			return err
		}
		content, err := os.ReadFile(path)
		for name, form := range leakForms(r.secrets) {
			require.False(r.t, bytes.Contains(content, []byte(form)), "%s in %s", name, path)
		}
		seen++
		return err
	}))
	require.NotZero(r.t, seen)
}

// TestNoSecretIsAnArgument finds no flag that a secret would be the value of, where others on the machine could read it, but the
// one of the reference service, which names another way.
func TestNoSecretIsAnArgument(t *testing.T) {
	t.Parallel()
	root := app.Command()
	found := commands(root)
	require.Greater(t, len(found), 30)
	for _, cmd := range found {
		visit := func(flag *pflag.Flag) {
			about := strings.ToLower(flag.Name + " " + flag.Usage)
			for _, word := range []string{"secret", "token", "password", "credential"} {
				if !strings.Contains(about, word) || flag.Value.Type() == "bool" {
					continue
				}
				name := cmd.CommandPath() + " --" + flag.Name
				harmless := map[string]bool{"payctl serve --client": true, "payctl serve --token-ttl": true}
				isFile := strings.HasSuffix(flag.Name, "secret-file")
				require.True(t, harmless[name] || isFile || flag.Name == "credential-store", "%s: %s", name, flag.Usage)
			}
		}
		cmd.Flags().VisitAll(visit)
		cmd.InheritedFlags().VisitAll(visit)
	}
}

// TestProxyThatRepeatsItsPassword has a proxy refuse, with what it was sent in its words.
func TestProxyThatRepeatsItsPassword(t *testing.T) {
	t.Parallel()
	const password = "pass-of-the-proxy"
	basic := base64.StdEncoding.EncodeToString([]byte("ada:" + password))
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	asked := make(chan string, 1)
	go func() {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		defer connection.Close()
		request, err := http.ReadRequest(bufio.NewReader(connection))
		if err == nil {
			asked <- request.Header.Get("Proxy-Authorization")
		}
		_, _ = fmt.Fprintf(connection, "HTTP/1.1 407 Not with %s or %s\r\nContent-Length: 0\r\n\r\n", password, basic)
	}()
	run := leakRun{t: t, dir: t.TempDir(), url: "https://payments.example.com", env: []string{
		"PAYCTL_TOKEN=" + leakToken, "HTTPS_PROXY=http://ada:" + password + "@" + listener.Addr().String(),
	}}
	ended := run.run("accounts", "list", "-v", "-o", "json", "--retries", "0")
	require.NotZero(t, ended.code)
	require.Equal(t, "Basic "+basic, <-asked)
	shown := string(ended.stdout) + string(ended.stderr)
	require.Contains(t, shown, "(407)")
	require.NotContains(t, shown, password)
	require.NotContains(t, shown, basic)
}
