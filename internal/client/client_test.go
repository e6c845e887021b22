package client

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	stdlog "log"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

func discardLogger() *stdlog.Logger { return stdlog.New(io.Discard, "", 0) }

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		base   string
		change func(*Config)
		kind   payments.Kind
	}{
		"plain http to a host":              {"http://api.example.com", nil, payments.KindInsecure},
		"plain http to an address":          {"http://10.0.0.1", nil, payments.KindInsecure},
		"a name that only begins so":        {"http://localhost.example.com", nil, payments.KindInsecure},
		"user name":                         {"https://a:b@api.example.com", nil, payments.KindInvalidSettings},
		"query":                             {"https://api.example.com/?a=b", nil, payments.KindInvalidSettings},
		"another scheme":                    {"ftp://api.example.com", nil, payments.KindInvalidSettings},
		"no host":                           {"https:///x", nil, payments.KindInvalidSettings},
		"bad pointer":                       {"https://x.test", func(c *Config) { c.Differences.Members = map[string]string{"kyc.status": "status"} }, payments.KindInvalidSettings},
		"unknown operation":                 {"https://x.test", mapped("getKyc", "GET /x/{id}"), payments.KindInvalidSettings},
		"operation without method":          {"https://x.test", mapped("getKycStatus", "/x/{id}"), payments.KindInvalidSettings},
		"operation without parameter":       {"https://x.test", mapped("getKycStatus", "GET /x"), payments.KindInvalidSettings},
		"operation with two":                {"https://x.test", mapped("getKycStatus", "GET /x/{a}/{b}"), payments.KindInvalidSettings},
		"operation with a query":            {"https://x.test", mapped("getKycStatus", "GET /x/{a}?b=c"), payments.KindInvalidSettings},
		"operation with a host":             {"https://x.test", mapped("getKycStatus", "GET https://y.test/{a}"), payments.KindInvalidSettings},
		"a write as GET":                    {"https://x.test", mapped("createAutoTransfer", "GET /x"), payments.KindInvalidSettings},
		"nothing wrong, https":              {"https://api.example.com/prefix/", mapped("getKycStatus", "POST /x/{id}"), ""},
		"nothing wrong, loopback":           {"http://127.0.0.2:1", nil, ""},
		"nothing wrong, loopback, IPv6":     {"http://[::1]:1", nil, ""},
		"nothing wrong, insecure on wish":   {"http://api.example.com", func(c *Config) { c.AllowInsecureHTTP = true }, ""},
		"nothing wrong, pointer of a slash": {"https://x.test", func(c *Config) { c.Differences.Members = map[string]string{"kyc.status": "/a~1b"} }, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, err := url.Parse(test.base)
			require.NoError(t, err)
			config := Config{BaseURL: u}
			if test.change != nil {
				test.change(&config)
			}
			_, err = New(config)
			if test.kind == "" {
				require.NoError(t, err)
				return
			}
			require.Equal(t, test.kind, kindOf(t, err))
		})
	}
	_, err := New(Config{})
	require.Equal(t, payments.KindInvalidSettings, kindOf(t, err))
}

func mapped(id, to string) func(*Config) {
	return func(config *Config) { config.Differences.Operations = map[string]string{id: to} }
}

// Every method sends what the contract says.
func TestMethods(t *testing.T) {
	t.Parallel()
	when := time.Date(2026, 3, 4, 5, 6, 7, 8000, time.FixedZone("", 3600))
	tests := map[string]struct {
		call func(context.Context, *Client) error
		want string
		body string
	}{
		"select": {selectCall, "PATCH /p/transfers/info/v1", `{}`},
		"create account": {func(ctx context.Context, c *Client) error {
			_, err := c.CreateAccount(ctx, payments.NewAccount{Type: "individual"}, testKey{})
			return err
		}, "POST /p/accounts/v1", `{"type":"individual","email":"","country":""}`},
		"get account": {func(ctx context.Context, c *Client) error {
			_, err := c.GetAccount(ctx, "acc/1 ?", payments.ReadOptions{})
			return err
		},
			"GET /p/accounts/acc%2F1%20%3F/v1", ""},
		"update account": {func(ctx context.Context, c *Client) error {
			key := testKey{Match: `"1"`}
			_, err := c.UpdateAccount(ctx, "acc_1", payments.AccountPatch{"phoneNumber": nil, "email": "a@b"}, key)
			return err
		}, "PATCH /p/accounts/acc_1/v1", `{"email":"a@b","phoneNumber":null}`},
		"list accounts": {func(ctx context.Context, c *Client) error {
			_, err := c.ListAccounts(ctx, payments.AccountFilter{PageQuery: payments.PageQuery{Limit: 5, Cursor: "a&b",
				CreatedAfter: when, CreatedBefore: when}, KYCStatuses: []payments.KYCStatus{"approved", "rejected"},
				Email: "a@b", ExternalID: "e"})
			return err
		}, "GET /p/accounts/v1?createdAfter=2026-03-04T04%3A06%3A07.000008Z&createdBefore=2026-03-04T04%3A06%3A07.000008Z&" +
			"cursor=a%26b&email=a%40b&externalId=e&kycStatus=approved%2Crejected&limit=5", ""},
		"get KYC": {func(ctx context.Context, c *Client) error {
			_, err := c.GetKYCStatus(ctx, "acc_1", payments.ReadOptions{})
			return err
		}, "GET /p/accounts/acc_1/kyc/v1", ""},
		"submit KYC": {func(ctx context.Context, c *Client) error {
			_, err := c.SubmitKYC(ctx, "acc_1", payments.KYCSubmission{}, testKey{})
			return err
		}, "POST /p/accounts/acc_1/kyc/submissions/v1", `{"requirements":[]}`},
		"create contact": {func(ctx context.Context, c *Client) error {
			_, err := c.CreateSavedContact(ctx, payments.NewSavedContact{Label: "l"}, testKey{})
			return err
		}, "POST /p/contacts/saved/v1", `{"label":"l","holderName":"","holderType":"","paymentRail":"","currency":""}`},
		"get contact": {func(ctx context.Context, c *Client) error {
			_, err := c.GetSavedContact(ctx, "sct_1", payments.ReadOptions{})
			return err
		},
			"GET /p/contacts/saved/sct_1/v1", ""},
		"update contact": {func(ctx context.Context, c *Client) error {
			_, err := c.UpdateSavedContact(ctx, "sct_1", payments.SavedContactPatch{"label": "l"}, testKey{})
			return err
		}, "PATCH /p/contacts/saved/sct_1/v1", `{"label":"l"}`},
		"list contacts": {func(ctx context.Context, c *Client) error {
			_, err := c.ListSavedContacts(ctx, payments.SavedContactFilter{AccountID: "acc_1"})
			return err
		}, "GET /p/contacts/saved/v1?accountId=acc_1", ""},
		"delete contact": {deleteCall, "DELETE /p/contacts/saved/sct_1/v1", ""},
		"auto transfer":  {keyedCall, "POST /p/transfers/auto/v1", `{"destinationSavedContactId":"sct_1","route":"sepa:EUR->base:USDC"}`},
		"get transfer":   {readCall, "GET /p/transfers/trf_1/v1", ""},
		"list transfers": {func(ctx context.Context, c *Client) error {
			_, err := c.ListTransfers(ctx, payments.TransferFilter{AccountID: "a", ContactID: "c", Route: "o",
				States: []payments.TransferState{"s", "t"}, Reference: "r", ExternalID: "e", BatchID: "b"})
			return err
		}, "GET /p/transfers/v1?accountId=a&batchId=b&destinationSavedContactId=c&externalId=e&reference=r&route=o&state=s%2Ct", ""},
		"cancel":   {cancelCall, "POST /p/transfers/trf_1/cancel/v1", ""},
		"describe": {func(ctx context.Context, c *Client) error { _, err := c.DescribeAccessToken(ctx, "t"); return err }, "GET /p/identity/auth/tokens/current/v1", ""},
		"revoke":   {func(ctx context.Context, c *Client) error { return c.RevokeAccessToken(ctx, "t") }, "DELETE /p/identity/auth/tokens/current/v1", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
				w.Header().Set("Payctl-World", "w-1")
				w.Header().Set("Server", "payctl/1")
				id := "x"
				for _, known := range []string{"acc/1 ?", "acc_1", "sct_1", "trf_1"} {
					if strings.Contains(r.URL.Path, known) {
						id = known
					}
				}
				replyJSON(w, 200, `{"id":"`+id+`","status":"approved","routes":[],"data":[],"expiresAt":"2026-01-01T00:00:00Z","unknown":{"member":1}}`)
			})
			c, _ := connect(t, s.URL+"/p/")
			require.NoError(t, test.call(t.Context(), c))
			request := s.request(0)
			require.Equal(t, test.want, request.Method+" "+request.RequestURI)
			require.Equal(t, "application/json, application/problem+json", request.Header.Get("Accept"))
			require.Equal(t, "payctl/test", request.Header.Get("User-Agent"))
			require.Equal(t, test.body, s.bodies[0])
			switch {
			case strings.HasPrefix(name, "update "):
				require.Equal(t, "application/merge-patch+json", request.Header.Get("Content-Type"))
			case test.body != "":
				require.Equal(t, "application/json", request.Header.Get("Content-Type"))
			}
			if name == "update account" {
				require.Equal(t, `"1"`, request.Header.Get("If-Match"))
			}
			require.Equal(t, "w-1", c.World())
			require.Equal(t, "payctl/1", c.Server())
		})
	}
}

func TestIdentifiersThatAreNoPathSegment(t *testing.T) {
	t.Parallel()
	c, _ := connect(t, deadURL)
	for _, id := range []string{"", ".", ".."} {
		_, err := c.GetAccount(t.Context(), id, payments.ReadOptions{})
		require.Equal(t, payments.KindNotFound, kindOf(t, err))
		require.Equal(t, payments.KindNotFound, kindOf(t, c.DeleteSavedContact(t.Context(), id)))
	}
}

func TestKeysThatAreNoHeader(t *testing.T) {
	t.Parallel()
	c, _ := connect(t, deadURL)
	for _, key := range []string{"a b", "a\r\nX: y", "ключ"} {
		_, err := c.CreateAutoTransfer(t.Context(), newTransfer, testKey{Key: key})
		require.Equal(t, payments.KindInvalidRequest, kindOf(t, err))
	}
}

func TestOperationsAreMapped(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if r.URL.Path == "/v2/kyc" {
			status(503)(w)
			return
		}
		replyJSON(w, 200, `{"accountId":"a b","status":"approved"}`)
	})
	c, _ := connect(t, s.URL, mapped("getKycStatus", "POST /v2/{id}/kyc"))
	_, err := c.GetKYCStatus(t.Context(), "a b", payments.ReadOptions{})
	require.NoError(t, err)
	require.Equal(t, "POST /v2/a%20b/kyc", s.request(0).Method+" "+s.request(0).RequestURI)

	// It stays a read: what the operation does, not its method, decides what may be repeated.
	s = serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { status(503)(w) })
	c, _ = connect(t, s.URL, mapped("getKycStatus", "POST /v2/{id}/kyc"))
	_, err = c.GetKYCStatus(t.Context(), "a", payments.ReadOptions{})
	require.Equal(t, payments.Kind("x"), kindOf(t, err))
	require.Equal(t, 3, s.count())
}

func TestConditionalReads(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		w.Header().Set("ETag", `"v1"`)
		if r.Header.Get("If-None-Match") == `"v1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		replyJSON(w, 200, transferBody)
	})
	c, _ := connect(t, s.URL)
	first, err := c.GetTransfer(t.Context(), "trf_1", payments.ReadOptions{})
	require.NoError(t, err)
	require.Equal(t, `"v1"`, first.ETag)
	require.False(t, first.NotModified)
	require.NotContains(t, s.request(0).Header, "Prefer")
	second, err := c.GetTransfer(t.Context(), "trf_1", payments.ReadOptions{ETag: first.ETag, Wait: 20*time.Second + time.Millisecond})
	require.NoError(t, err)
	require.Equal(t, payments.ReadResult[payments.Transfer]{ETag: `"v1"`, NotModified: true}, second)
	require.Equal(t, "wait=20", s.request(1).Header.Get("Prefer"))
	kyc, err := c.GetKYCStatus(t.Context(), "acc_1", payments.ReadOptions{ETag: first.ETag})
	require.NoError(t, err)
	require.Equal(t, payments.ReadResult[payments.KYC]{ETag: `"v1"`, NotModified: true}, kyc)
}

// A read that asks the service to hold its response has that time in addition to the timeout; a repeated attempt asks
// for the rest of it.
func TestHeldReads(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
		if n == 1 {
			w.Header().Set("Retry-After", "25")
			replyProblem(w, 503, payments.KindUnavailable)
			return
		}
		replyJSON(w, 200, transferBody)
	})
	c, w := connect(t, s.URL, func(config *Config) { config.Timeout = time.Second })
	_, err := c.GetTransfer(t.Context(), "trf_1", payments.ReadOptions{ETag: `"v1"`, Wait: time.Minute})
	require.NoError(t, err)
	require.Len(t, w.delays, 1, "25 s are within the minute")
	require.Equal(t, "wait=60", s.request(0).Header.Get("Prefer"))
	require.Equal(t, "wait=34", s.request(1).Header.Get("Prefer"))
}

func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	big := `{"id":"trf_1","x":"` + strings.Repeat("a", maxBodyBytes) + `"}`
	tests := map[string]func(http.ResponseWriter){
		"announced": func(w http.ResponseWriter) { replyJSON(w, 200, big) },
		"chunked": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			_ = http.NewResponseController(w).Flush()
			_, _ = io.WriteString(w, big)
		},
		"compressed": func(w http.ResponseWriter) {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			_, _ = io.WriteString(z, big)
			_ = z.Close()
			w.Header().Set("Content-Encoding", "gzip")
			replyJSON(w, 200, b.String())
		},
		"header": func(w http.ResponseWriter) {
			w.Header().Set("X-Big", strings.Repeat("a", 2*maxHeaderBytes))
			replyJSON(w, 200, transferBody)
		},
	}
	for name, answer := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { answer(w) })
			c, _ := connect(t, s.URL)
			err := readCall(t.Context(), c)
			require.Equal(t, payments.KindUnusable, kindOf(t, err))
			if name != "header" {
				require.ErrorIs(t, err, errBodyTooLarge, "refused, not cut")
				require.Equal(t, 1, s.count(), "it will not be smaller the next time")
			}
			require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, keyedCall(t.Context(), c)))
		})
	}
	t.Run("the largest", func(t *testing.T) {
		t.Parallel()
		body := `{"id":"trf_1","x":"` + strings.Repeat("a", maxBodyBytes-21) + `"}`
		require.Len(t, body, maxBodyBytes)
		s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { replyJSON(w, 200, body) })
		c, _ := connect(t, s.URL)
		require.NoError(t, readCall(t.Context(), c))
	})
}

// Every response is read to its end, so that its connection is used again.
func TestConnectionsAreReused(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		switch n {
		case 1:
			page(403)(w)
		case 2:
			redirectTo(w, 302, "/x")
		case 3:
			problem(404, payments.KindNotFound)(w)
		default:
			replyJSON(w, 200, transferBody)
		}
	})
	c, _ := connect(t, s.URL)
	reused := 0
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if info.Reused {
			reused++
		}
	}})
	require.Error(t, readCall(ctx, c))
	require.Error(t, readCall(ctx, c))
	require.NoError(t, readCall(ctx, c))
	require.Equal(t, 3, reused)
}

// A service that offers HTTP/2 is spoken to by HTTP/1.1.
func TestHTTP1Alone(t *testing.T) {
	t.Parallel()
	var protocol string
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protocol = r.Proto + " " + r.Header.Get("Idempotency-Key")
		replyJSON(w, 201, transferBody)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	c, _ := connect(t, s.URL, func(config *Config) { config.RootCAs = s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs })
	require.NoError(t, keyedCall(t.Context(), c))
	require.Equal(t, "HTTP/1.1 k-1", protocol)
}
