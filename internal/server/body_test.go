package server

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// Where a body holds to its schema and its type cannot take it nevertheless, the answer has no words of the decoder's.
func TestBodyThatCannotBeDecoded(t *testing.T) {
	t.Parallel()
	c := &exchange{op: &contract.AdvanceSandboxClock, server: &Server{}}
	_, err := decodeBody[struct {
		Duration int `json:"duration"`
	}](c, []byte(`{"duration":"PT1S"}`), nil)
	require.Equal(t, payments.NewProblem(payments.KindMalformed, "The body has a value that cannot be read."), err)
}

// The contract states the bounds of what the server puts into responses again.
func TestBoundsOfResponsesAreTheContracts(t *testing.T) {
	t.Parallel()
	longest := func(op *contract.Operation, status int, name string) int {
		members := op.ResponseFor(status).Content[0].Schema.Members
		i := slices.IndexFunc(members, func(m contract.Member) bool { return m.Name == name })
		require.GreaterOrEqual(t, i, 0, name)
		return members[i].Schema.MaxLength
	}
	require.Equal(t, maxDetail, longest(&contract.GetHealth, http.StatusNotAcceptable, "detail"))
	require.Equal(t, MaxClientID, longest(&contract.DescribeAccessToken, http.StatusOK, "clientId"))
}
