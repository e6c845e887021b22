package refserver_test

import (
	"bytes"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

// BenchmarkHandler measures what a request costs inside the service, without a connection. Every transfer that is created
// settles as well, while those that follow are created.
func BenchmarkHandler(b *testing.B) {
	b.Run("select", func(b *testing.B) {
		c := newDirect(b)
		body := []byte(`{"selectedSource":{"currency":"USDC","paymentRail":"base","provider":"chainline"},` +
			`"selectedDestination":{"currency":"EUR","paymentRail":"sepa","provider":"europay"}}`)
		b.ReportAllocs()
		for b.Loop() {
			c.do(b, http.MethodPatch, "/transfers/info/v1", body, "", http.StatusOK)
		}
	})
	b.Run("create", func(b *testing.B) {
		c := newDirect(b)
		c.approveContact(b)
		b.ReportAllocs()
		for b.Loop() {
			c.create(b)
		}
	})
}

// BenchmarkScale measures the same requests in a world of a thousand transfers and in one of a million. Get, page and
// create are to cost no more than half as much again in the second.
func BenchmarkScale(b *testing.B) {
	for _, size := range []int{1_000, 1_000_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			c := newDirect(b)
			c.approveContact(b)
			before := heap()
			ids := make([]string, size)
			for i := range ids {
				ids[i] = c.create(b)
			}
			each := float64(heap()-before) / float64(size)
			for range 5 { // make bench takes the medians
				b.Run("get", func(b *testing.B) {
					for i := range b.N {
						const stride = 7919 // a prime, so that every transfer has its turn
						c.do(b, http.MethodGet, "/transfers/"+ids[i*stride%size]+"/v1", nil, "", http.StatusOK)
					}
					b.ReportMetric(each, "B/transfer")
				})
				b.Run("page", func(b *testing.B) {
					for range b.N {
						c.do(b, http.MethodGet, "/transfers/v1?state=payment_processed", nil, "", http.StatusOK)
					}
				})
			}
			b.Run("create", func(b *testing.B) { // once: the small world grows by it
				for range b.N {
					c.create(b)
				}
			})
		})
	}
}

// heap is how much memory is in use.
func heap() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// direct calls a service's handler without a connection.
type direct struct {
	handler        http.Handler
	token, contact string
	serial         int
	answer         discarded
}

func newDirect(b *testing.B) *direct {
	b.Helper()
	s, err := refserver.New(refserver.Config{KYCDelay: time.Nanosecond, SettleDelay: time.Nanosecond})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, s.Close()) })
	c := &direct{handler: s.Handler, answer: discarded{header: http.Header{}}}
	var token payments.AccessToken
	c.read(b, c.do(b, http.MethodPost, "/identity/auth/tokens/current/v1", nil, "", http.StatusOK), &token)
	c.token = token.AccessToken
	return c
}

// do sends one request and returns its answer, which is gone with the next.
func (c *direct) do(b *testing.B, method, path string, body []byte, key string, status int) []byte {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), method, path, bytes.NewReader(body))
	require.NoError(b, err)
	if body != nil {
		r.Header["Content-Type"] = []string{"application/json"}
	}
	if key != "" {
		r.Header["Idempotency-Key"] = []string{key}
	}
	if c.token == "" {
		r.SetBasicAuth(paytest.ClientID, paytest.ClientSecret)
	} else {
		r.Header["Authorization"] = []string{"Bearer " + c.token}
	}
	clear(c.answer.header)
	c.answer.body.Reset()
	c.handler.ServeHTTP(&c.answer, r)
	if c.answer.status != status {
		require.Equal(b, status, c.answer.status, "%s", &c.answer.body)
	}
	return c.answer.body.Bytes()
}

func (c *direct) read(b *testing.B, body []byte, into any) {
	b.Helper()
	require.NoError(b, json.Unmarshal(body, into))
}

// approveContact makes an account, waits for its approval and gives it a contact.
func (c *direct) approveContact(b *testing.B) {
	b.Helper()
	account := []byte(`{"type":"individual","firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","country":"GB"}`)
	c.do(b, http.MethodPost, "/accounts/v1", account, "", http.StatusCreated)
	require.Eventually(b, func() bool {
		var page payments.AccountPage
		c.read(b, c.do(b, http.MethodGet, "/accounts/v1", nil, "", http.StatusOK), &page)
		return page.Data[0].KYCStatus == payments.KYCStatusApproved
	}, 10*time.Second, time.Millisecond)
	var contact payments.SavedContact
	c.read(b, c.do(b, http.MethodPost, "/contacts/saved/v1",
		[]byte(`{"label":"Ada","holderName":"Ada","holderType":"individual","paymentRail":"sepa","currency":"EUR","iban":"DE89370400440532013000"}`),
		"", http.StatusCreated), &contact)
	c.contact = contact.ID
}

// create creates a transfer with an idempotency key.
func (c *direct) create(b *testing.B) (id string) {
	b.Helper()
	c.serial++
	n := fmt.Sprintf("%012d", c.serial)
	c.do(b, http.MethodPost, "/transfers/auto/v1", []byte(transferTo(c.contact, "r-"+n)), "k-"+n, http.StatusCreated)
	_, id, _ = strings.Cut(c.answer.header.Get("Location"), "/transfers/")
	id, _, _ = strings.Cut(id, "/")
	return strings.Clone(id)
}

// discarded is a response that only the benchmark reads.
type discarded struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (d *discarded) Header() http.Header { return d.header }

// WriteHeader implements http.ResponseWriter.
func (d *discarded) WriteHeader(status int) { d.status = status }

// Write implements http.ResponseWriter.
func (d *discarded) Write(p []byte) (int, error) { return d.body.Write(p) }
