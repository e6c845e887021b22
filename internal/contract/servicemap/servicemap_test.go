package servicemap

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/payments"
)

// A status is read where the profile says it is, and is a verdict only as the contract or the profile writes it.
func TestStatusOfACheck(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ pointer, body, status string }{
		{"", `{"status":"approved"}`, "approved"},
		{"", `{"status":"dormant"}`, "dormant"},
		{"", `{"status":"VERIFIED"}`, "approved"},
		{"", `{"status":"Verified"}`, "Verified"},
		{"/data/status", `{"data":{"status":"approved"},"level":7,"attempt":"x"}`, "approved"},
		{"/checks/1/a~1b", `{"checks":[{},{"a/b":"pending"}]}`, "pending"},
		{"/data/status", `{"level":"basic"}`, ""},
		{"/checks/1", `{"checks":["a"]}`, ""},
		{"/checks/00", `{"checks":["a"]}`, ""},
	} {
		differences := Map{Values: map[string]string{"kyc.approved": "verified,VERIFIED"}}
		if test.pointer != "" {
			differences.Members = map[string]string{"kyc.status": test.pointer}
		}
		require.Equal(t, test.status, effect.Text(differences.TranslateType("KYC", []byte(test.body)), "status"), test.body)
	}
}

// FuzzTranslate checks that a profile's differences never lose a member of a document, nor stop its reading.
func FuzzTranslate(f *testing.F) {
	f.Add([]byte(`{"a":[{"b/c":"d"}]}`), "/a/0/b~1c", "d")
	f.Add([]byte(`{"":1}`), "/", "1")
	f.Add([]byte(`{"":{"~/":[[],{"a":0}]}}`), "//~0~1/1/a", "x")
	f.Add([]byte(`{"state":"PAID","a":1,"a":2}`), "/a", "PAID")
	f.Fuzz(func(t *testing.T, body []byte, pointer, word string) {
		if Check("members", "transfer.id", pointer) != nil || Check("values", "transfer.payment_processed", word) != nil {
			return
		}
		d := Map{
			Members: map[string]string{"transfer.id": pointer}, Values: map[string]string{"transfer.payment_processed": word},
		}
		translated := d.Translate(contract.ResourceNamed("transfer"), body)
		var before, after map[string]any
		if json.Unmarshal(body, &before) != nil {
			require.Equal(t, string(body), string(translated))
			return
		}
		require.NoError(t, json.Unmarshal(translated, &after))
		for name := range before {
			require.Contains(t, after, name)
		}
		var transfer payments.Transfer
		require.NoError(t, effect.Read(translated, &transfer, nil))
	})
}
