package server

import (
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
