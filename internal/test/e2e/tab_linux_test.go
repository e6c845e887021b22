package e2e

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
)

// startBrowser starts a browser without a display, which reaches nothing beyond this machine, and ends it with the test.
func startBrowser(t *testing.T, said *bytes.Buffer, files []*os.File, args ...string) {
	t.Helper()
	profile, err := os.MkdirTemp("", "browser")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	args = append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--no-proxy-server", "--user-data-dir=" + profile}, args...)
	cmd := exec.CommandContext(ctx, findBrowser(t), args...)
	cmd.Env, cmd.ExtraFiles = inherited("HOME="+profile), files
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay, cmd.Stdout, cmd.Stderr = time.Second, said, said
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
		require.Eventually(t, func() bool { return os.RemoveAll(profile) == nil }, longestWait, 10*time.Millisecond, "its processes end")
	})
}

// A tab is a page in a browser, which is told what to do by the DevTools protocol.
type tab struct {
	t       *testing.T
	to      *os.File
	from    *bufio.Reader
	session string
	number  int
	errors  []string // what the page said on its console as errors, and exceptions
}

// openTab opens an empty tab of a browser of its own. Name rules lead names to addresses.
func openTab(t *testing.T, width, height int, nameRules string) *tab {
	t.Helper()
	theirs, ours, err := os.Pipe()
	require.NoError(t, err)
	heard, spoken, err := os.Pipe()
	require.NoError(t, err)
	startBrowser(t, &bytes.Buffer{}, []*os.File{theirs, spoken}, "--remote-debugging-pipe", "--hide-scrollbars", nameRules)
	require.NoError(t, theirs.Close())
	require.NoError(t, spoken.Close())
	t.Cleanup(func() { _, _ = ours.Close(), heard.Close() })
	b := &tab{t: t, to: ours, from: bufio.NewReader(heard)}
	made := b.tell("Target.createTarget", map[string]any{"url": "about:blank", "width": width, "height": height})
	b.session = b.tell("Target.attachToTarget", map[string]any{"targetId": made["targetId"], "flatten": true})["sessionId"].(string)
	b.size(width, height)
	b.tell("Runtime.enable", nil)
	b.tell("Log.enable", nil)
	b.tell("Browser.grantPermissions", map[string]any{"permissions": []string{"clipboardReadWrite", "clipboardSanitizedWrite"}})
	return b
}

// tell sends a command and returns its result.
func (b *tab) tell(method string, params map[string]any) map[string]any {
	b.t.Helper()
	b.number++
	message := map[string]any{"id": b.number, "method": method, "params": params}
	if b.session != "" && method[:7] != "Browser" {
		message["sessionId"] = b.session
	}
	text, err := json.Marshal(message)
	require.NoError(b.t, err)
	_, err = b.to.Write(append(text, 0))
	require.NoError(b.t, err)
	for {
		line, err := b.from.ReadBytes(0)
		require.NoError(b.t, err, "the browser has ended")
		var got struct {
			ID             int
			Method         string
			Result, Params map[string]any
			Error          jsontext.Value
		}
		require.NoError(b.t, json.Unmarshal(line[:len(line)-1], &got, json.MatchCaseInsensitiveNames(true)))
		switch entry, _ := got.Params["entry"].(map[string]any); {
		case got.Method == "Runtime.exceptionThrown":
			b.errors = append(b.errors, string(line))
		case got.Method == "Log.entryAdded" && entry["level"] == "error" && entry["source"] != "network":
			b.errors = append(b.errors, fmt.Sprint(entry["text"]))
		case got.Method == "" && got.ID == b.number:
			require.Empty(b.t, string(got.Error), method)
			return got.Result
		}
	}
}

func (b *tab) size(width, height int) {
	b.t.Helper()
	b.tell("Emulation.setDeviceMetricsOverride",
		map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false})
}

func (b *tab) visit(url string) {
	b.t.Helper()
	b.tell("Page.navigate", map[string]any{"url": url})
}

// eval returns the value of an expression in the page, awaited if it is a promise.
func (b *tab) eval(expression string) any {
	b.t.Helper()
	got := b.tell("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true})
	require.NotContains(b.t, got, "exceptionDetails", expression)
	return got["result"].(map[string]any)["value"]
}

// await waits until an expression in the page is true.
func (b *tab) await(expression string) {
	b.t.Helper()
	for begun := time.Now(); b.eval(expression) != true; <-time.After(10 * time.Millisecond) {
		if time.Since(begun) > longestWait {
			require.FailNow(b.t, expression, b.eval("document.body.innerText"))
		}
	}
}

// see waits until the page shows a text in an element.
func (b *tab) see(selector, text string) {
	b.t.Helper()
	b.await("[...document.querySelectorAll(" + strconv.Quote(selector) + ")].some(e => e.checkVisibility() && e.textContent.includes(" +
		strconv.Quote(text) + "))")
}

// click clicks with the mouse on the first element that has a text, once it is there.
func (b *tab) click(selector, text string) {
	b.t.Helper()
	b.see(selector, text)
	at := b.eval(`(() => { const e = [...document.querySelectorAll(` + strconv.Quote(selector) + `)].find(e => e.checkVisibility() &&
		e.textContent.includes(` + strconv.Quote(text) + `)); e.scrollIntoView({block: "nearest"}); const r = e.getBoundingClientRect();
		return [r.x + Math.min(r.width / 2, 40), r.y + r.height / 2] })()`).([]any)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		b.tell("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1})
	}
}

// press presses a key.
func (b *tab) press(key, text string) {
	b.t.Helper()
	b.tell("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": key, "text": text})
	b.tell("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key})
}
