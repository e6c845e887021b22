package redact

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
)

// Redacting keeps valid JSON valid, with the same tokens except the values that it hides, and shows no value under a
// sensitive name, whatever follows.
func FuzzRedactJSON(f *testing.F) {
	f.Add([]byte(`{"access_token":"abcdef","a":[1,{"iban":"x"},null],"b":"c"}`))
	f.Add([]byte(`[{"token":{"a":["b"]}},"c"]`))
	f.Add([]byte(`{"a":1,"password":"abc`))
	shown := func(body []byte) string {
		text, _, _ := (&Secrets{}).With(nil).rewriteJSON(body, isSensitive)
		return text
	}
	for _, seed := range []string{
		`{"secret":[{"a":{"token":1}},2],"iban":{},"b":["c"]}`, `{"token":"a","token":"b"}`,
		`{"account_number":123,"x":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		text := shown(body)
		if jsontext.Value(body).IsValid() && looksLikeJSON(body) {
			require.True(t, jsontext.Value(text).IsValid(), text)
			require.Equal(t, kinds(body), kinds([]byte(text)))
		}
		// No text behind a secret makes the secret visible.
		for _, start := range []string{`{"access_token":"zq-secret`, `{"access_token":"zq-secret",`, `{"token":["zq-secret",`, `{"token":{"a":"zq-secret"`} {
			require.NotContains(t, shown(append([]byte(start), body...)), "zq-secret")
		}
	})
}

// kinds returns the kinds of a JSON text's tokens; a number counts as a text, which it becomes when it is hidden.
func kinds(body []byte) string {
	var b bytes.Buffer
	decoder := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true))
	for {
		token, err := decoder.ReadToken()
		if err != nil {
			return b.String()
		}
		kind := byte(token.Kind())
		switch kind {
		case '0', 't', 'f', 'n':
			kind = '"'
		}
		b.WriteByte(kind)
	}
}
