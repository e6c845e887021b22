package redact

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRedactJSON(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ body, want string }{
		"credentials":           {`{"access_token":"abcdef","client_secret":"ghijkl","scope":"x"}`, `{"access_token":"[redacted]","client_secret":"[redacted]","scope":"x"}`},
		"spellings":             {`{"accessToken":"a","Client-Secret":"b","TAXID":"c","tax_id":"d"}`, `{"accessToken":"[redacted]","Client-Secret":"[redacted]","TAXID":"[redacted]","tax_id":"[redacted]"}`},
		"a number":              {`{"accountNumber":12345678,"limit":5}`, `{"accountNumber":"[redacted]","limit":5}`},
		"all below a name":      {`{"secret":{"a":["b",{"c":1}]},"after":"x"}`, `{"secret":{"a":["[redacted]",{"c":"[redacted]"}]},"after":"x"}`},
		"an array below a name": {`{"iban":["a","b"],"x":[{"iban":"c"},"d"]}`, `{"iban":["[redacted]","[redacted]"],"x":[{"iban":"[redacted]"},"d"]}`},
		"a secret said again":   {`{"iban":"DE8937","detail":"no DE8937 here","DE8937":1}`, `{"iban":"[redacted]","detail":"no [redacted] here","[redacted]":1}`},
		"cut inside a secret":   {`{"a":1,"access_token":"abcdef`, `{"a":1,"access_token" (malformed from here)`},
		"cut inside an object":  {`{"a":{"b":"c"`, `{"a":{"b":"c" (malformed from here)`},
		"duplicate names":       {`{"token":"abcdef","token":"ghijkl"}`, `{"token":"[redacted]","token":"[redacted]"}`},
		"white space":           {" {\n \"a\" : [ 1 , 2 ] }\n", `{"a":[1,2]}`},
		"what follows":          {`{"a":1} nonsense abcdef`, `{"a":1} (malformed from here)`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, (&Secrets{}).With(nil, []byte(test.body)).Body([]byte(test.body)))
		})
	}
}

// Personal data is not in the log unless it is asked for.
func TestRedactPersonalData(t *testing.T) {
	t.Parallel()
	body := `{"firstName":"Ada","address":{"line1":"1 Main St","line2":"Flat 2","city":"London","postalCode":"N1 9GU","country":"GB"},"email":"ada@example.com","legalName":"Ada Ltd","status":"Ada"}`
	d := (&Secrets{}).With(nil, []byte(body))
	require.Equal(t, `{"firstName":"[redacted]","address":{"line1":"[redacted]","line2":"[redacted]","city":"[redacted]","postalCode":"[redacted]","country":"GB"},"email":"[redacted]","legalName":"Ada Ltd","status":"Ada"}`,
		d.Body([]byte(body)))
	require.Equal(t, "https://x.test/a?email=[redacted]&limit=1", d.URL("https://x.test/a?email=ada%40example.com&limit=1"))
}

func TestRedactAddresses(t *testing.T) {
	t.Parallel()
	d := (&Secrets{}).With([]string{"abcdef"})
	require.Equal(t, "https://x.test/abc?cursor=1&access_token=[redacted]#token=[redacted]",
		d.URL("https://x.test/abc?cursor=1&access_token=zzz#token=zzz"))
	require.Equal(t, "https://x.test/[redacted]", d.URL("https://x.test/abcdef"))
}
