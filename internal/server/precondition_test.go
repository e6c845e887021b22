package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
)

// revised is an account whose identity check asks for something, and a transfer that awaits its funds.
func revised(t *testing.T, a *api) (kyc, transfer string) {
	t.Helper()
	account := a.do("POST", accountsPath, adaBody).member("id").(string)
	a.Advance(t, time.Minute)
	contact := a.saved("base", "USDC")
	transfer = a.do("POST", autoPath, `{"destinationSavedContactId":"`+contact+`","route":"ach:USD->base:USDC"}`).member("id").(string)
	require.Equal(t, http.StatusOK, a.do("PUT", "/sandbox/accounts/"+account+"/kyc/v1", `{"status":"resubmission_required","reasons":["poor_quality_document"]}`).status)
	return "/accounts/" + account + "/kyc", "/transfers/" + transfer
}

const submission = `{"requirements":[{"name":"identity_document","value":"passport"}]}`

func TestConditionalReadsByRFC9110(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	kyc, transfer := revised(t, a)
	for _, path := range []string{kyc + "/v1", transfer + "/v1"} {
		tag := a.do("GET", path, "").header.Get("ETag")
		for _, c := range []struct {
			name    string
			headers []string
			status  int
		}{
			{"If-None-Match, the tag", []string{"If-None-Match", tag}, 304},
			{"If-None-Match, weakly", []string{"If-None-Match", "W/" + tag}, 304},
			{"If-None-Match, anything", []string{"If-None-Match", "*"}, 304},
			{"If-None-Match, one of a list", []string{"If-None-Match", `"a,b", W/"x",` + tag}, 304},
			{"If-None-Match, in two headers", []string{"If-None-Match", `"a"`, "If-None-Match", tag}, 304},
			{"If-None-Match, another", []string{"If-None-Match", `"other"`}, 200},
			{"If-None-Match, a star in quotation marks", []string{"If-None-Match", `"*"`}, 200},
			{"If-None-Match, a star between commas", []string{"If-None-Match", `",*,"`}, 200},
			{"If-None-Match, no tag", []string{"If-None-Match", "1"}, 200},
			{"If-Match, the tag", []string{"If-Match", tag}, 200},
			{"If-Match, anything", []string{"If-Match", "*"}, 200},
			{"If-Match, one of a list", []string{"If-Match", `"other", ` + tag}, 200},
			{"If-Match, in two headers", []string{"If-Match", `"other"`, "If-Match", tag}, 200},
			{"If-Match, another", []string{"If-Match", `"other"`}, 412},
			{"If-Match, weakly", []string{"If-Match", "W/" + tag}, 412},
			{"If-Match, no tag", []string{"If-Match", "1"}, 412},
			{"both hold", []string{"If-Match", tag, "If-None-Match", `"other"`}, 200},
			{"If-Match goes first", []string{"If-Match", `"other"`, "If-None-Match", tag}, 412},
			{"If-Match holds, the state is known", []string{"If-Match", tag, "If-None-Match", tag}, 304},
			{"dates count for nothing", []string{"If-Modified-Since", "Thu, 01 Jan 2099 00:00:00 GMT", "If-Unmodified-Since", "Thu, 01 Jan 1970 00:00:00 GMT"}, 200},
			{"ranges count for nothing", []string{"Range", "bytes=0-1", "If-Range", tag}, 200},
		} {
			for _, method := range []string{"GET", "HEAD"} {
				answer := a.do(method, path, "", c.headers...)
				require.Equal(t, c.status, answer.status, "%s %s", method, c.name)
				require.NotEmpty(t, answer.header.Get("X-Request-Id"))
				if c.status == http.StatusPreconditionFailed {
					require.Empty(t, answer.header.Get("ETag"))
					if method == "GET" {
						requireProblem(t, answer, payments.KindPreconditionFailed)
					}
					continue
				}
				require.Equal(t, tag, answer.header.Get("ETag"), c.name)
				require.Equal(t, "no-cache", answer.header.Get("Cache-Control"))
			}
		}
		requireProblem(t, a.do("GET", strings.TrimSuffix(path, "/v1")+"x/v1", "", "If-Match", `"other"`), payments.KindNotFound)
	}
}

// A write on something that has changed since it was read is refused before it has an effect.
func TestPreconditionsOfWrites(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		write func(a *api, kyc, transfer string, headers ...string) *answer
		read  func(kyc, transfer string) string
	}{
		"submit an identity check": {
			func(a *api, kyc, _ string, headers ...string) *answer {
				return a.do("POST", kyc+"/submissions/v1", submission, headers...)
			},
			func(kyc, _ string) string { return kyc + "/v1" },
		},
		"cancel a transfer": {
			func(a *api, _, transfer string, headers ...string) *answer {
				return a.do("POST", transfer+"/cancel/v1", "", headers...)
			},
			func(_, transfer string) string { return transfer + "/v1" },
		},
		"deposit by hand": {
			func(a *api, _, transfer string, headers ...string) *answer {
				return a.do("POST", "/sandbox"+transfer+"/deposit/v1", `{"amount":"100"}`, headers...)
			},
			func(_, transfer string) string { return transfer + "/v1" },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := run(t, refserver.Config{ManualDeposits: true})
			kyc, transfer := revised(t, a)
			before := a.do("GET", c.read(kyc, transfer), "")
			tag := before.header.Get("ETag")
			for _, headers := range [][]string{
				{"If-Match", `"other"`}, {"If-Match", "W/" + tag}, {"If-None-Match", tag}, {"If-None-Match", "W/" + tag}, {"If-None-Match", "*"},
				{"If-Match", tag, "If-None-Match", tag},
			} {
				requireProblem(t, c.write(a, kyc, transfer, append(headers, "Idempotency-Key", "k")...), payments.KindPreconditionFailed)
				after := a.do("GET", c.read(kyc, transfer), "")
				require.Equal(t, before.body, after.body, "nothing happened")
				require.Equal(t, tag, after.header.Get("ETag"))
			}
			guarded := []string{"If-Match", `"other", ` + tag, "If-None-Match", `"other"`, "Idempotency-Key", "k"}
			done := c.write(a, kyc, transfer, guarded...)
			require.Less(t, done.status, 300, done)
			require.NotEqual(t, tag, a.do("GET", c.read(kyc, transfer), "").header.Get("ETag"))

			again := c.write(a, kyc, transfer, guarded...)
			require.Equal(t, "true", again.header.Get("Idempotency-Replayed"), "a repetition is not held against the state that it made itself")
			require.Equal(t, done.body, again.body)
			requireProblem(t, c.write(a, kyc, transfer, "If-Match", tag), payments.KindPreconditionFailed)
		})
	}
}
