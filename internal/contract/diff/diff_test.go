package diff

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
)

func TestTheContractDoesNotDifferFromItself(t *testing.T) {
	t.Parallel()
	for _, op := range contract.Operations {
		require.Zero(t, compareWith(t, string(contract.JSON), op), op.ID)
	}
}

func compareWith(t testing.TB, text string, op *contract.Operation) Difference {
	t.Helper()
	ours, err := Parse(contract.JSON)
	require.NoError(t, err)
	theirs, err := Parse([]byte(text))
	require.NoError(t, err)
	return Operation(ours, theirs, op, op.Method, op.Path)
}

func TestDifferences(t *testing.T) {
	t.Parallel()
	document := func(request, response string) string {
		schema := func(s string) string { return `{"content":{"application/json":{"schema":` + s + `}}}` }
		return `{"paths":{"/kyc/{x}":{"get":{"operationId":"getKycStatus"}},"` + contract.CreateAccount.Path +
			`":{"post":{"requestBody":` + schema(request) + `,"responses":{"201":` + schema(response) + `}}}}}`
	}
	require.Equal(t, Difference{}, compareWith(t, document("{}", "{}"), &contract.CreateAccount), "an open schema allows everything")
	found := compareWith(t, document(`{"required":["shoeSize"],"properties":{}}`, `{"properties":{"id":{}}}`), &contract.CreateAccount)
	require.Contains(t, found.Breaking, "the member shoeSize of the request is required, and payctl does not know it")
	require.Contains(t, strings.Join(found.Breaking, "\n"), "of the response is missing")
	choice := `{"allOf":[{"properties":{"label":{}}},{"oneOf":[{"properties":{"id":{}}}]}]}`
	require.Empty(t, compareWith(t, document("{}", choice), &contract.CreateAccount).Breaking, "a choice may have any members")
	require.True(t, compareWith(t, document("{}", "{}"), &contract.GetTransfer).Missing)

	theirs, err := Parse([]byte(document("{}", "{}")))
	require.NoError(t, err)
	require.Equal(t, "GET /kyc/{x}", theirs.Find("getKycStatus"))
	require.Empty(t, theirs.Find("createAccount"))
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"paths":{"/accounts/v1":{"get":{"responses":{"200":{"$ref":"#/paths"}}}}}}`))
	f.Add([]byte(`{"s":{"$ref":"#/s"},"paths":{}}`))
	for _, seed := range []string{
		`{"paths":{"/accounts/v1":{"post":{"requestBody":{"$ref":"#/components/requestBodies/none"}}}}}`,
		`[{"paths":{}}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		theirs, err := Parse(text)
		if err != nil {
			return
		}
		ours, err := Parse(contract.JSON)
		require.NoError(t, err)
		for _, op := range contract.Operations {
			Operation(ours, theirs, op, op.Method, op.Path)
		}
	})
}
