package redact

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
)

// A mask keeps valid JSON valid, with the same tokens except the values that it hides. It shows no value of a member
// that is not harmless, whatever text follows.
func FuzzMaskJSON(f *testing.F) {
	for _, seed := range []string{
		`{"access_token":"abcdef","a":[1,{"iban":"x"},null],"b":"c"}`, `[{"token":{"a":["b"]}},"c"]`,
		`{"a":1,"password":"abc`,
		`{"secret":[{"a":{"token":1}},2],"iban":{},"b":["c"]}`, `{"token":"a","token":"b"}`, `{"account_number":123,"x":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, kind := range []Body{Resource, Failure, Token} {
			shown := func(body []byte) string { return (&Secrets{}).Mask(nil, nil).Show(body, kind) }
			text := shown(body)
			if jsontext.Value(body).IsValid() && looksLikeJSON(body) {
				require.True(t, jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true)), text)
				require.Equal(t, kinds(body), kinds([]byte(text)))
			}
			for _, start := range []string{
				`{"access_token":"zq-secret`, `{"a":"zq-secret",`, `{"id":1,"b":["zq-secret",`, `{"token":{"id":"zq-secret"`,
			} {
				require.NotContains(t, shown(append([]byte(start), body...)), "zq-secret")
			}
		}
	})
}

// kinds returns the kinds of the tokens in a JSON text. Every scalar counts as a string, which a hidden value becomes.
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
