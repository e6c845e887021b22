package app

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/test/paytest"
)

// A mistake is one that a service makes. It changes requests before the service sees them, or responses.
type mistake struct {
	name, operation, check, group string // the last three name the check that finds it

	ignored  string    // a request header field that the service ignores
	says     [2]string // a text in bodies, and its replacement
	request  func(*http.Request)
	response func(*http.Response, string) string // returns the body to send instead
}

func isPath(r *http.Request, path string) bool { return r.URL.Path == path }

const (
	groupMatters, groupDiffers, groupHarmless = "matters for payments", "shown differently", "harmless"

	wholePages = "pages without loss or repetition"
)

var mistakes = []mistake{
	{
		name: "no token is needed", operation: "listTransfers", check: "401 without a token", group: groupMatters,
		request: func(r *http.Request) {
			if isPath(r, "/transfers/v1") && r.Header.Get("Authorization") == "" {
				r.Header.Set("Authorization", r.Header.Get("Known"))
			}
		},
	},
	{
		name: "403 for a wrong token", operation: "listAccounts", check: "401 with a wrong token", group: groupHarmless,
		response: func(r *http.Response, body string) string {
			if r.StatusCode == 401 {
				r.StatusCode = 403
			}
			return body
		},
	},
	{
		name: "problems as JSON", operation: "getAccount", check: "404 for an unknown id", group: groupHarmless,
		response: func(r *http.Response, body string) string {
			if r.StatusCode >= 400 {
				r.Header.Set("Content-Type", "application/json")
			}
			return body
		},
	},
	{
		name: "another media type", operation: "listSavedContacts", check: "response", group: groupDiffers,
		response: func(r *http.Response, body string) string {
			if isPath(r.Request, "/contacts/saved/v1") {
				r.Header.Set("Content-Type", "text/html")
			}
			return body
		},
	},
	{
		name: "a member is missing", operation: "getTransfer", check: "response", group: groupDiffers,
		says: [2]string{`"state":`, `"phase":`},
	},
	{
		name: "amounts are numbers", operation: "listTransfers", check: "response", group: groupDiffers,
		says: [2]string{`"amount":"1.03"`, `"amount":1.03`},
	},
	{
		name: "tags are ignored", operation: "getKycStatus", check: "304 for a known entity tag", group: groupHarmless,
		ignored: "If-None-Match",
	},
	{
		name: "the next page is the first", operation: "listAccounts", check: wholePages, group: groupMatters,
		request: func(r *http.Request) {
			if isPath(r, "/accounts/v1") {
				r.URL.RawQuery = "limit=" + r.URL.Query().Get("limit")
			}
		},
	},
	{
		name: "a row is lost between pages", operation: "listAccounts", check: wholePages, group: groupMatters,
		response: func(r *http.Response, body string) string {
			var page struct {
				Data []any `json:"data"`
				Next any   `json:"nextCursor"`
			}
			isNext := isPath(r.Request, "/accounts/v1") && r.Request.URL.Query().Get("cursor") != ""
			if !isNext || json.Unmarshal([]byte(body), &page) != nil {
				return body
			}
			page.Data = page.Data[1:]
			text, _ := json.Marshal(page)
			return string(text)
		},
	},
	{
		name: "405 without Allow", operation: "createAutoTransfer", check: "405 with Allow", group: groupHarmless,
		response: func(r *http.Response, body string) string {
			r.Header.Del("Allow")
			return body
		},
	},
	{
		name: "keys are ignored", operation: "createAccount", check: "one key, one effect", group: groupMatters,
		ignored: "Idempotency-Key",
	},
	{
		name: "a reference does not come back", operation: "createAutoTransfer", check: "members that come back",
		group: groupMatters, says: [2]string{`"reference":`, `"note":`},
	},
	{
		name: "another account is shown", operation: "getAccount", check: "the id that was asked for", group: groupMatters,
		response: func(r *http.Response, body string) string {
			if strings.HasPrefix(r.Request.URL.Path, "/accounts/acc_") {
				return strings.Replace(body, `"id":"acc_`, `"id":"acc_other`, 1)
			}
			return body
		},
	},
}

// TestVerifyFindsMistakes verifies a service that keeps the contract, and variants of it with one mistake each.
func TestVerifyFindsMistakes(t *testing.T) {
	t.Parallel()
	quick := refserver.Config{Clock: sandbox.ClockSetting{Mode: payments.ClockModeReal}, KYCDelay: 1, SettleDelay: 1}
	target, err := url.Parse(paytest.Run(t, quick).URL)
	require.NoError(t, err)
	verify := func(m mistake) ended {
		var known string
		proxy := &httputil.ReverseProxy{
			Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(target)
				token := r.In.Header.Get("Authorization")
				if strings.HasPrefix(token, "Bearer ") && !strings.Contains(token, "not-a-token") {
					known = token
				}
				r.Out.Header.Set("Known", known)
				r.Out.Header.Del(m.ignored)
				if m.request != nil {
					m.request(r.Out)
				}
			},
			ModifyResponse: func(r *http.Response) error {
				body, err := io.ReadAll(r.Body)
				if m.says[0] != "" {
					body = bytes.ReplaceAll(body, []byte(m.says[0]), []byte(m.says[1]))
				}
				if m.response != nil && !strings.HasPrefix(r.Request.URL.Path, "/identity/") {
					body = []byte(m.response(r, string(body)))
				}
				r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
				r.Header.Set("Content-Length", strconv.Itoa(len(body)))
				return err
			},
		}
		front := httptest.NewServer(proxy)
		t.Cleanup(front.Close)
		u := newUser(t, front.URL)
		u.env["PAYCTL_CLIENT_ID"], u.env["PAYCTL_CLIENT_SECRET"] = paytest.ClientID, paytest.ClientSecret
		return u.run("contract", "verify", "--writes", "--yes", "-o", "json")
	}
	verify(mistake{}) // creates objects to read
	right := verify(mistake{})
	require.Zero(t, right.code, right.stdout+right.stderr)
	require.NotContains(t, right.stdout, `"result": "skipped"`)
	require.Contains(t, right.stdout, `"idempotency_keys": "honoured"`)
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			e := verify(m)
			var report struct {
				Checks []struct {
					Check, Result, Group, Curl string
					Operations                 []string
				}
			}
			require.NoError(t, json.Unmarshal([]byte(e.stdout), &report), e.stderr)
			require.Equal(t, 15, e.code)
			isFound := false
			for _, check := range report.Checks {
				isFailed := check.Result == "failed"
				isThis := slices.Contains(check.Operations, m.operation) && check.Check == m.check && check.Group == m.group
				isFound = isFound || isThis && isFailed
				require.Equal(t, isFailed, strings.HasPrefix(check.Curl, "curl "), "%v", check)
			}
			require.True(t, isFound, e.stdout)
			require.NotContains(t, e.stdout, paytest.ClientSecret)
		})
	}
}
