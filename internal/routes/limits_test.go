package routes

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
)

// The contract states the limits of a catalogue again, as bounds of the response that lists it.
func TestLimitsAreTheContracts(t *testing.T) {
	t.Parallel()
	members := map[string]*contract.Schema{}
	var add func(s *contract.Schema)
	add = func(s *contract.Schema) {
		for _, member := range s.Members {
			members[member.Name] = member.Schema
			if member.Schema.Items != nil {
				add(member.Schema.Items)
			}
		}
	}
	add(contract.SelectRoutes.ResponseFor(http.StatusOK).Content[0].Schema)
	require.Equal(t, maxNames, members["availableSources"].MaxItems)
	require.Equal(t, maxNames, members["availableDestinations"].MaxItems)
	require.Equal(t, maxRoutes, members["routes"].MaxItems)
	require.Equal(t, maxRoutes, members["transactionsInfo"].MaxItems)
	require.EqualValues(t, 2*maxSeconds, members["estimatedSettlementSeconds"].Maximum, "both sides take their time")
	require.EqualValues(t, maxPlaces, members["decimals"].Maximum)
}
