package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// programs are the executables that are measured.
type programs struct {
	dir                             string
	payctl, empty, bare, statements string
	notes                           []string // what was not measured, and why
	growth                          []stage  // what measureGrowth measured
}

// build compiles the executables into a new temporary folder.
func build(ctx context.Context) (*programs, error) {
	dir, err := os.MkdirTemp("", "payctl-bench-")
	if err != nil {
		return nil, err
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	p := &programs{dir: dir, payctl: at("payctl"), empty: at("empty"), bare: at("bare"), statements: at("statements")}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", dir+string(filepath.Separator),
		"./cmd/payctl", "./internal/test/bench/peers/empty", "./internal/test/bench/peers/bare",
		"./internal/test/bench/peers/statements")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	output, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, output)
	}
	if err = errors.Join(err, copyInPlace(p.payctl), copyInPlace(p.empty), copyInPlace(p.bare), copyInPlace(p.statements)); err != nil {
		p.remove()
		return nil, err
	}
	return p, nil
}

// copyInPlace replaces a program that was just linked with a copy: the pages of a file that the linker has written through
// a memory map start measurably more slowly than those of a file that was copied, as an installed program is.
func copyInPlace(path string) error {
	linked, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return errors.Join(os.Remove(path), os.WriteFile(path, linked, 0o700))
}

func (p *programs) remove() { _ = os.RemoveAll(p.dir) }

// A server is a running program that answers HTTP.
type server struct {
	cmd *exec.Cmd
	url string
}

// start runs a program and reads its URL from the first line that it prints: the line itself, or its member url.
func start(ctx context.Context, path string, args ...string) (*server, error) {
	return startCommand(exec.CommandContext(ctx, path, args...))
}

func startCommand(cmd *exec.Cmd) (*server, error) {
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{cmd: cmd}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		s.stop()
		return nil, fmt.Errorf("%s printed no first line: %w", filepath.Base(cmd.Path), err)
	}
	go func() { _, _ = io.Copy(io.Discard, stdout) }()
	ready := struct{ URL string }{strings.TrimSpace(line)}
	_ = json.Unmarshal([]byte(line), &ready) // the bare peer prints no JSON
	s.url = ready.URL
	return s, nil
}

// startService runs payctl serve on a free port.
func (p *programs) startService(ctx context.Context, flags ...string) (*server, error) {
	return start(ctx, p.payctl, append([]string{"serve", "--addr", "127.0.0.1:0"}, flags...)...)
}

// address is the server's host and port.
func (s *server) address() string { return strings.TrimPrefix(s.url, "http://") }

// stop kills the program.
func (s *server) stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// environment is what a client command needs to log in at a server, with a configuration folder of its own.
func (s *server) environment(config string) []string {
	return append(os.Environ(), "PAYCTL_BASE_URL="+s.url, "PAYCTL_CLIENT_ID=bench", "PAYCTL_CLIENT_SECRET=bench",
		"PAYCTL_CREDENTIAL_STORE=file", "PAYCTL_CONFIG_DIR="+config)
}

// A session is a logged-in client of a service.
type session struct {
	url, client, token string
}

func login(ctx context.Context, s *server) (*session, error) { return loginAs(ctx, s, "bench") }

func loginAs(ctx context.Context, s *server, client string) (*session, error) {
	c := &session{url: s.url, client: client}
	response, err := c.call(ctx, http.MethodPost, "/identity/auth/tokens/current/v1", "")
	if err == nil {
		c.token, err = text(response, "access_token")
	}
	return c, err
}

// maxResponse is the largest response that is read, in bytes.
const maxResponse = 1 << 20

// call sends one request and decodes its response, which must be a success.
func (c *session) call(ctx context.Context, method, path, body string) (map[string]any, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token == "" {
		request.SetBasicAuth(c.client, c.client)
	} else {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var decoded map[string]any
	if err := json.NewDecoder(io.LimitReader(response.Body, maxResponse)).Decode(&decoded); err != nil {
		return nil, err
	}
	if response.StatusCode >= http.StatusBadRequest {
		return nil, fmt.Errorf("%s %s: %d %v", method, path, response.StatusCode, decoded)
	}
	return decoded, nil
}

// createAccount creates an account and returns its id.
func (c *session) createAccount(ctx context.Context, email string) (string, error) {
	account, err := c.call(ctx, http.MethodPost, "/accounts/v1",
		`{"type":"individual","firstName":"Ada","lastName":"Lovelace","email":"`+email+`","country":"GB"}`)
	if err != nil {
		return "", err
	}
	return text(account, "id")
}

// createContact creates an account, waits for its approval, and returns its id and that of a contact of it.
func (c *session) createContact(ctx context.Context) (account, contact string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if account, err = c.createAccount(ctx, "ada@example.com"); err != nil {
		return "", "", err
	}
	for {
		kyc, err := c.call(ctx, http.MethodGet, "/accounts/"+account+"/kyc/v1", "")
		if err != nil {
			return "", "", err
		}
		if kyc["status"] == "approved" {
			break
		}
	}
	saved, err := c.call(ctx, http.MethodPost, "/contacts/saved/v1", `{"label":"Ada","holderName":"Ada",`+
		`"holderType":"individual","paymentRail":"sepa","currency":"EUR","iban":"DE89370400440532013000"}`)
	if err != nil {
		return "", "", err
	}
	contact, err = text(saved, "id")
	return account, contact, err
}

// text returns a string member of a response.
func text(response map[string]any, name string) (string, error) {
	value, ok := response[name].(string)
	if !ok {
		return "", errors.New("the response has no " + name)
	}
	return value, nil
}
