package app

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

// The credentials of these tests, with characters that some encoding escapes.
const (
	leakClient = "leaky-client"
	leakSecret = `pa55/w+rd"<&>=é%20 secret`
	leakToken  = "t0ken/with+plus~and.dots-_0123456789=="
)

// leakForms returns credentials in every form in which the service repeats them.
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
		alphabets := map[string]*base64.Encoding{"base64": base64.RawStdEncoding, "base64url": base64.RawURLEncoding}
		for alphabet, encoding := range alphabets {
			add(alphabet, encoding.EncodeToString([]byte(secret)))
			add(alphabet+" of Basic", encoding.EncodeToString([]byte(leakClient+":"+secret)))
			add(alphabet+" of Bearer", encoding.EncodeToString([]byte("Bearer "+secret)))
		}
	}
	return found
}

// leaky starts a service that repeats credentials in every text of its answers. The way selects the kind of answer.
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
	resource := strings.ReplaceAll(`{"id": ECHO, "accountId": ECHO, "type": "individual", "firstName": ECHO,
		"reason": ECHO, "status": "pending", "state": "awaiting_funds", "reference": ECHO, "externalId": ECHO, "label": ECHO,
		"holderName": ECHO, "requirements": [{"name": ECHO, "description": ECHO}], "createdAt": TIME,
		"routes": [{"key": ECHO, "provider": ECHO}], "transactionsInfo": [], "availableDestinations": [],
		"availableSources": [{"paymentRail": ECHO, "currency": ECHO}], "mode": ECHO, "now": TIME, "instance": ECHO,
		"world": {"a": ECHO}, "checksum": ECHO, "version": ECHO, "takenAt": TIME, "rules": [ECHO], "clientId": ECHO,
		"scope": ECHO, "expiresAt": "2099-01-01T00:00:00Z", "issuedAt": TIME, "cursor": "c", "nextCursor": null,
		"data": [{"id": ECHO, "type": "transfer.state", "subjectId": ECHO, "status": ECHO, "state": ECHO, "to": ECHO,
			"from": null, "occurredAt": TIME, "label": ECHO, "key": ECHO, "number": 1, "method": ECHO, "path": ECHO,
			"time": TIME}]}`, "ECHO", text)
	resource = strings.ReplaceAll(resource, "TIME", `"2026-01-01T00:00:00Z"`)
	problem := strings.ReplaceAll(`{"type": "https://x.test/problems/not-found", "title": ECHO, "detail": ECHO,
		"instance": ECHO, "requestId": ECHO, "errors": {ECHO: [ECHO]}, "more": [ECHO, {ECHO: ECHO}]}`, "ECHO", text)
	event := fmt.Sprintf("id: %s\ndata: "+`{"id":"evt_1","type":%[2]s,"subjectId":%[2]s,"to":%[2]s,`+
		`"occurredAt":"2026-01-01T00:00:00Z"}`+"\n\n", secrets[0], text)
	token := fmt.Sprintf(`{"access_token": %[2]q, "token_type": %[1]s, "expires_in": 3600, "scope": %[1]s,
		"other": %[1]s}`, text, leakToken)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		for _, name := range []string{
			"X-Echo", "X-Request-Id", "Payctl-World", "Server", "Etag", "Location", "Set-Cookie", "Www-Authenticate", "Warning",
			"Retry-After",
		} {
			header.Set(name, strings.ReplaceAll(echo, "é", ""))
		}
		answer := func(status int, media, body string) {
			header.Set("Content-Type", media)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
		if strings.Contains(r.URL.Path, "/identity/auth/tokens") && r.Method == http.MethodPost && way != "refused" {
			answer(200, "application/json", token)
			return
		}
		switch way {
		case "resource":
			if strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
				answer(200, "text/event-stream", event)
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

// leakLines returns command lines that get further than those of wholeLine.
func leakLines(t *testing.T, dir string) [][]string {
	rows := filepath.Join(dir, "rows.csv")
	const payment = "reference,contact,route,amount\nr-1,sct_1,base:USDC->sepa:EUR,5\n"
	require.NoError(t, os.WriteFile(rows, []byte(payment), 0o600))
	var lines [][]string
	for _, line := range []string{
		"accounts create --type individual --first-name Ada --last-name L --email ada@example.com --country GB",
		"contacts create --account acc_1 --label L --holder-name N --holder-type individual --rail sepa --currency EUR " +
			"--iban DE89370400440532013000",
		"transfer auto --contact sct_1 --route 'base:USDC->sepa:EUR' --amount 5 --reference r-2 --yes",
		"transfer auto --contact sct_1 --route 'base:USDC->sepa:EUR' --amount 5 --yes",
		"transfer auto --contact sct_1 --route 'base:USDC->sepa:EUR' --amount 5 --dry-run",
		"transfer batch " + rows + " --report " + filepath.Join(dir, "report.csv") + " --yes",
		"transfer resolve", "api GET /accounts/v1", "api POST /anything -f a=b", "events list", "sandbox snapshot",
		"__complete accounts get ''", "__complete transfer auto --contact ''", "auth status", "profile show",
	} {
		lines = append(lines, shellWords(line))
	}
	return lines
}

// TestSecretsGetNowhere runs every command with -v against services that repeat the credentials in every form and
// place. No output and no file contains them, except the credential store and the output of `auth token`.
func TestSecretsGetNowhere(t *testing.T) {
	t.Parallel()
	token := map[string]string{"PAYCTL_TOKEN": leakToken}
	login := map[string]string{"PAYCTL_CLIENT_ID": leakClient, "PAYCTL_CLIENT_SECRET": leakSecret}
	both := []string{leakToken, leakSecret}
	for way, with := range map[string]struct {
		environment map[string]string
		secrets     []string
	}{
		"resource": {nil, both}, "problem": {nil, both}, "text": {nil, both}, // with a stored login
		"page": {login, both}, "no HTTP": {login, both}, "refused": {login, []string{leakSecret}},
		"cut": {token, []string{leakToken}}, "moved": {token, []string{leakToken}},
		"nothing is sent": {token, []string{leakToken}},
	} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			l := newLeak(t, leaky(t, way, with.secrets), with.secrets)
			maps.Copy(l.env, with.environment)
			if with.environment == nil {
				l.stdin = leakSecret + "\n"
				e := l.run("auth", "login", "--client-id", leakClient, "--secret-stdin")
				require.Zero(t, e.code, e.stderr)
				l.stdin = ""
			}
			lines := leakLines(t, l.dir)
			for _, cmd := range commands(Command()) {
				if !cmdutil.IsLocal(cmd) && cmd.Name() != "logout" || cmd.Name() == "token" {
					lines = append(lines, wholeLine(t, cmd))
				}
			}
			for i, line := range lines {
				form := []string{"json", "table", "yaml", "csv", "ndjson"}[i%5]
				if line[0] != "__complete" {
					line = append(line, "--timeout", "300ms", "-v", "--retries", "0", "-o", form)
				}
				if way == "nothing is sent" {
					line = append(line, "--curl")
				}
				known := with.secrets
				if line[0] == "doctor" && with.environment != nil || line[0] == "ping" || line[0] == "contract" {
					// They read the service's health or its document first. They cannot know a token that the service
					// issued to another program.
					known = slices.DeleteFunc(slices.Clone(known), func(secret string) bool {
						return !slices.Contains(slices.Collect(maps.Values(with.environment)), secret)
					})
				}
				l.requireNone(l.run(line...), known, line)
			}
			l.requireFiles()
		})
	}
}

// A leak is a user of a service that repeats secrets. All files of the user are in one folder.
type leak struct {
	*user

	dir     string
	secrets []string
}

func newLeak(t *testing.T, url string, secrets []string) leak {
	t.Helper()
	dir := t.TempDir()
	l := leak{newUser(t, url), dir, secrets}
	for name, value := range map[string]string{
		"HOME": dir, "TMPDIR": dir, "PAYCTL_CONFIG_DIR": filepath.Join(dir, "config"),
		"PAYCTL_CLIENT_ID": "", "PAYCTL_CLIENT_SECRET": "",
	} {
		l.env[name] = value
	}
	return l
}

// requireNone requires that no output of a run contains secrets.
func (l leak) requireNone(e ended, secrets, line []string) {
	l.t.Helper()
	for name, form := range leakForms(secrets) {
		require.NotContains(l.t, e.stderr, form, "%v: %s on standard error", line, name)
		if !slices.Equal(line[:2], []string{"auth", "token"}) {
			require.NotContains(l.t, e.stdout, form, "%v: %s on standard output", line, name)
		}
	}
}

// requireFiles requires that no file contains secrets, except the credential store.
func (l leak) requireFiles() {
	seen := 0
	require.NoError(l.t, filepath.WalkDir(l.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "credentials.json" {
			return err
		}
		content, err := os.ReadFile(path)
		for name, form := range leakForms(l.secrets) {
			require.False(l.t, bytes.Contains(content, []byte(form)), "%s in %s", name, path)
		}
		seen++
		return err
	}))
	require.NotZero(l.t, seen)
}

// TestNoSecretIsAnArgument requires that no flag takes a secret, except --client of the reference service. Other users
// of the machine can read arguments.
func TestNoSecretIsAnArgument(t *testing.T) {
	t.Parallel()
	root := Command()
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

// TestProxyThatRepeatsItsPassword makes a proxy refuse with a status line that repeats the password.
func TestProxyThatRepeatsItsPassword(t *testing.T) { //nolint:paralleltest // it changes the environment of the process
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
	l := newLeak(t, "https://payments.example.com", nil)
	l.env["PAYCTL_TOKEN"], l.env["HTTPS_PROXY"] = leakToken, "http://ada:"+password+"@"+listener.Addr().String()
	t.Setenv("HTTPS_PROXY", l.env["HTTPS_PROXY"])
	e := l.run("accounts", "list", "-v", "-o", "json", "--retries", "0")
	require.NotZero(t, e.code)
	require.Equal(t, "Basic "+basic, <-asked)
	require.Contains(t, e.stdout+e.stderr, "(407)")
	l.requireNone(e, []string{leakToken}, []string{"accounts", "list"})
	require.NotContains(t, e.stdout+e.stderr, password)
	require.NotContains(t, e.stdout+e.stderr, basic)
}
