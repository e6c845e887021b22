package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// browsers are the programs to test with. A desktop browser refuses some commands that its headless shell accepts.
var browsers = []string{"chromium", "google-chrome", "chromium-headless-shell"}

// inEachBrowser runs a test with each installed browser. Without one, the test fails in CI and is skipped elsewhere.
func inEachBrowser(t *testing.T, test func(t *testing.T, browser string)) {
	t.Helper()
	t.Parallel()
	found := false
	for _, name := range browsers {
		if _, err := exec.LookPath(name); err == nil {
			found = true
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, name)
			})
		}
	}
	if !found && os.Getenv("CI") != "" {
		t.Fatal("there is no browser; .ci/install-packages installs two")
	}
	if !found {
		t.Skipf("there is no browser: install one of %v", browsers)
	}
}

// newBrowser returns a browser with an empty profile that reaches only this machine. Its first command starts it. Name
// rules map names to addresses.
func newBrowser(t *testing.T, browser, nameRules string) context.Context {
	t.Helper()
	home := shortFolder(t)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.NoSandbox,
		chromedp.NoInheritEnv, chromedp.Env(inherited("HOME="+home, "TMPDIR="+home)...),
		chromedp.Flag("host-resolver-rules", nameRules+"MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"))
	for _, flag := range []string{"disable-gpu", "disable-quic", "disable-component-update", "no-proxy-server"} {
		options = append(options, chromedp.Flag(flag, true))
	}
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, _ := chromedp.NewContext(allocator)
	return ctx
}

// A tab shows a page in a browser.
type tab struct {
	t   *testing.T
	ctx context.Context
}

// openTab opens an empty tab of a new browser. An exception in the page fails the test, and so does an error in its
// log. Failed requests do not.
func openTab(t *testing.T, browser string) *tab {
	t.Helper()
	b := &tab{t, newBrowser(t, browser, "")}
	require.NoError(t, chromedp.Listen(b.ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			t.Error(&chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails})
		case *log.EventEntryAdded:
			if e.Entry.Level == log.EntryLevelError && e.Entry.Source != log.EntrySourceNetwork {
				t.Error(e.Entry.Text)
			}
		}
	}))
	b.do(chromedp.EmulateViewport(1280, 760))
	return b
}

func (b *tab) do(action chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, action))
}

func (b *tab) visit(url string) {
	b.t.Helper()
	b.do(chromedp.Navigate(url))
}

// eval returns the value of an expression in the page, awaited if it is a promise.
func (b *tab) eval(expression string) any {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[any](expression, chromedp.EvalAwaitPromise))
	require.NoError(b.t, err, expression)
	return value
}

// await waits until the value of an expression in the page is truthy, and returns it.
func (b *tab) await(expression string) any {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Poll[any](expression,
		chromedp.WithPollingInterval(10*time.Millisecond), chromedp.WithPollingTimeout(longestWait)))
	if err != nil {
		require.FailNow(b.t, expression, "%v: the page shows %v", err, b.eval("document.body.innerText"))
	}
	return value
}

// element is an expression for the first visible element that has a text.
func element(selector, text string) string {
	const find = `[...document.querySelectorAll(%q)].find(e => e.checkVisibility() && e.textContent.includes(%q))`
	return fmt.Sprintf(find, selector, text)
}

// see waits until the page shows a text in an element.
func (b *tab) see(selector, text string) {
	b.t.Helper()
	b.await(element(selector, text) + " !== undefined")
}

// click clicks with the mouse on the first element that has a text, once it is there. chromedp.Click fails when the
// page replaces the element before the click.
func (b *tab) click(selector, text string) {
	b.t.Helper()
	at := b.await(`(() => { const e = ` + element(selector, text) + `; e?.scrollIntoView({block: "nearest"});
		const r = e?.getBoundingClientRect(); return r && [r.x + Math.min(r.width / 2, 40), r.y + r.height / 2] })()`).([]any)
	b.do(chromedp.MouseClickXY(at[0].(float64), at[1].(float64)))
}

// press presses a key. chromedp.KeyEvent types the text even if the page prevents that. A keyboard does not.
func (b *tab) press(key, text string) {
	b.t.Helper()
	for _, kind := range []input.DispatchKeyEventType{kb.KeyDown, kb.KeyUp} {
		_, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: key, Text: text})
		require.NoError(b.t, err)
	}
}
