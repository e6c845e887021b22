package redact

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func secretsOf(text string) *Secrets {
	s := &Secrets{}
	s.Add(text)
	return s
}

func TestMaskedJSON(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		kind       Body
		body, want string // • stands for a hidden value
	}{
		"a resource": {Resource, `{"id":"acc_1","firstName":"Ada","amount":12.5,"createdAt":"2026-01-01T00:00:00Z","active":true,"x":null}`,
			`{"id":"acc_1","firstName":"•","amount":12.5,"createdAt":"2026-01-01T00:00:00Z","active":true,"x":null}`},
		"lists":                   {Resource, `{"iban":["a","b"],"x":[{"id":"c"},"d"],"status":["e"]}`, `{"iban":["•","•"],"x":[{"id":"c"},"•"],"status":["e"]}`},
		"no member":               {Resource, `["a",1]`, `["•","•"]`},
		"a text":                  {Resource, `"a"`, `"•"`},
		"below a credential":      {Resource, `{"sessionToken":{"id":"a","type":["b"]},"id":"c"}`, `{"sessionToken":{"id":"•","type":["•"]},"id":"c"}`},
		"a harmless member":       {Resource, `{"type":"Ada Lovelace","id":"ada@example.com","title":"a"}`, `{"type":"•","id":"a***@example.com","title":"a"}`},
		"personal names":          {Resource, `{"ada@example.com":1,"Ada Lovelace":true,"4915112345678":true,"Адa":null,"data":[]}`, `{"•":"•","•":true,"•":true,"•":null,"data":[]}`},
		"cut inside a text":       {Resource, `{"id":1,"access_token":"abcdef`, `{"id":1,"access_token" (malformed from here)`},
		"what follows":            {Resource, `{"id":1} nonsense abcdef`, `{"id":1} (malformed from here)`},
		"as it came":              {Resource, "{\n \"id\" : [ 1 ] }\n", "{\n \"id\" : [ 1 ] }\n"},
		"no JSON":                 {Resource, "<token>abc</token>", "(18 bytes that are not JSON)"},
		"an error":                {Failure, `{"title":"Not today","errors":{"iban":["is closed"]},"holder":"Ada","error":{"message":"no way","token":"abc"}}`, `{"title":"Not today","errors":{"iban":["is closed"]},"holder":"•","error":{"message":"no way","token":"•"}}`},
		"a token":                 {Token, `{"data":{"jwt":"abc"},"id":"abc","expires_in":3600,"list":["abc"],"ok":true}`, `{"data":{"jwt":"•"},"id":"•","expires_in":"•","list":["•"],"ok":true}`},
		"a refusal of OAuth":      {Token, `{"error":"invalid_client","error_description":"abc"}`, `{"error":"invalid_client","error_description":"•"}`},
		"a refusal with a token":  {Token, `{"error":"abc","type":"https://x.test/abc","title":"abc"}`, `{"error":"•","type":"•","title":"•"}`},
		"a problem of a contract": {Token, `{"type":"https://abc.test/problems/unauthenticated"}`, `{"type":"/problems/unauthenticated"}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shown := (&Secrets{}).Mask(nil, nil).Show([]byte(test.body), test.kind)
			require.Equal(t, strings.ReplaceAll(test.want, "•", Mark), shown)
		})
	}
}

// Masked sentences have no personal data of the request, and nothing that looks like personal data or a token.
func TestMaskedSentences(t *testing.T) {
	t.Parallel()
	m := secretsOf("s3cr3t-token").Mask(map[string][]string{"email": {"grace@example.com"}},
		[]byte(`{"holderName":"Ada Lovelace","accountNumber":12345678,"reference":"rent-2026","amount":"1000.00"}`))
	for text, want := range map[string]string{
		"Ada LOVELACE has no account 12345678.":                 "Ada [redacted] has no account [redacted].",
		"rent-2026 over 1000.00 EUR of 2026-01-01":              "rent-2026 over 1000.00 EUR of 2026-01-01",
		"grace is known as s3cr3t-token":                        "[redacted] is known as [redacted]",
		"IBAN DE89370400440532013000 IS CLOSED":                 "IBAN DE****************3000 IS CLOSED",
		"de89 3704 0044 0532 0130 00 or DE89370400440532013000": "DE****************3000 or DE****************3000",
		"card 4111-1111-1111-1111.":                             "card ************1111.",
		"(bob@mail.test)":                                       "(b***@mail.test)",
		"call +49 30 901820 or 020 7946 0958":                   "call [redacted] or [redacted]",
		"Bearer abcdefgh is bad":                                "[redacted] is bad",
		"JWT eyJhbGciOi.eyJzdWIiOiIx.c2ln":                      "JWT ***",
		"a9B" + strings.Repeat("x", 40):                         Mark,
		"trf_01kdwcj4jg9etbjcny9hzk9879":                        "trf_01kdwcj4jg9etbjcny9hzk9879",
		"payctl-MDCPPKFNE3ROJ3YGUTSXDEOASU":                     "payctl-MDCPPKFNE3ROJ3YGUTSXDEOASU",
		"3f2504e0-4f89-41d3-9a0c-0305e82c3301":                  "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
	} {
		require.Equal(t, want, m.Text(text))
	}
	const failure = `{"type":"/problems/lovelace","title":"Lovelace","errors":{"lovelace":["Lovelace"]}}`
	require.Equal(t, `{"type":"/problems/lovelace","title":"[redacted]","errors":{"lovelace":["[redacted]"]}}`,
		m.Show([]byte(failure), Failure))
}

func TestMaskedAddresses(t *testing.T) {
	t.Parallel()
	m := secretsOf("abcdefgh").Mask(nil, nil)
	for address, want := range map[string]string{
		"https://x.test/abc?cursor=1&email=ada%40example.com&limit=1": "https://x.test/abc?cursor=1&email=[redacted]&limit=1",
		"/cb#access_token=zzz&state=1":                                "/cb#access_token=[redacted]&state=1",
		"https://x.test/abcdefgh/ada%40example.com":                   "https://x.test/[redacted]/[redacted]",
		"/a?ada@example.com=1&%zz":                                    "/a?[redacted]=[redacted]&=[redacted]",
	} {
		require.Equal(t, want, m.URL(address))
	}
	require.Equal(t, Mark, m.HeaderField("X-Auth-Token", "zzz"))
	require.Equal(t, "Basic "+Mark, m.HeaderField("Authorization", "Basic zzz"))
}

// No name of a member makes its text visible, unless it is known to be harmless and not in a token answer.
func TestNoNameShowsAText(t *testing.T) {
	t.Parallel()
	names := strings.Fields(`token accessToken access_token idToken jwt bearer session sessionId sid auth authToken key apiKey credential pass pin
		result data value payload secret hash signature nonce otp ticket assertion saml cookie grant access refresh login
		name firstName first_name fullName holder owner customer person client user userName nickname email mail eMail phone tel mobile
		dob birthday birthDate ssn taxId tin nationalId passport licence address street line1 city zip postcode lat lon ip
		iban bban account accountNumber acct routing clabe pix pixKey card pan number cvv expiry note memo comment description label
		gender nationality title2 nome apellido vorname geburtstag adresse konto telefon courriel correo`)
	m := (&Secrets{}).Mask(nil, nil)
	for _, name := range names {
		for _, form := range []string{`{%q:%q}`, `{"data":{%q:[%q]}}`, `[{"a":{%q:{"x":%q}}}]`} {
			body := []byte(fmt.Sprintf(form, name, "Zanzibar"))
			for _, kind := range []Body{Resource, Failure, Token} {
				require.NotContains(t, m.Show(body, kind), "Zanzibar", "%s", body)
			}
		}
	}
}
