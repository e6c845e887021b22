package contract

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// The specification shows these operations and members. Everything else is assumed.
var (
	publishedOperations = map[string][]string{ // with what is assumed about them
		"createAccessToken":  {"status"},
		"selectRoutes":       {"status"},
		"createAutoTransfer": {"method", "status", "unique references"},
	}
	publishedMembers = []string{
		"AccessToken.access_token",
		"NewAutoTransfer.destinationSavedContactId", "NewAutoTransfer.route",
		"Problem.detail", "Problem.errors", "Problem.instance", "Problem.status", "Problem.title", "Problem.type",
		"RouteEndpoint.currency", "RouteEndpoint.paymentRail", "RouteEndpoint.provider",
		"RouteSelection.selectedDestination", "RouteSelection.selectedSource",
		"TransferInfo.availableDestinations", "TransferInfo.availableSources", "TransferInfo.routes",
		"TransferInfo.selectedDestination",
		"TransferInfo.selectedSource", "TransferInfo.transactionsInfo",
		"TransferRoute.flowType", "TransferRoute.provider", "TransferRoute.routeKey",
	}
)

// pairs lists the keys and values of a mapping in order.
func pairs(n *yaml.Node) [][2]*yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	var all [][2]*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		all = append(all, [2]*yaml.Node{n.Content[i], n.Content[i+1]})
	}
	return all
}

func at(n *yaml.Node, path ...string) *yaml.Node {
	for _, name := range path {
		var next *yaml.Node
		for _, pair := range pairs(n) {
			if pair[0].Value == name {
				next = pair[1]
			}
		}
		n = next
	}
	return n
}

func root(t *testing.T) *yaml.Node {
	t.Helper()
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal(YAML, &document))
	return document.Content[0]
}

// origin returns the x-origin of a node. The node must have one.
func origin(t *testing.T, n *yaml.Node, what string) string {
	t.Helper()
	mark := at(n, "x-origin")
	require.NotNil(t, mark, "%s (line %d) has no x-origin", what, n.Line)
	require.Contains(t, []string{Published, Assumed}, mark.Value, what)
	return mark.Value
}

// TestEverythingCarriesItsOrigin checks each operation, parameter and member of the document.
func TestEverythingCarriesItsOrigin(t *testing.T) {
	t.Parallel()
	document := root(t)
	operations, members := map[string][]string{}, []string{} // that are published
	counts := map[string]int{}
	var walk func(n *yaml.Node, where string)
	walk = func(n *yaml.Node, where string) {
		if id := at(n, "operationId"); id != nil {
			counts["operations"]++
			require.NotNil(t, Find(id.Value), id.Value)
			require.Equal(t, origin(t, n, id.Value), Find(id.Value).Origin, "%s: the generated table disagrees", id.Value)
			if Find(id.Value).Origin == Published {
				operations[id.Value] = nil
				for _, assumed := range at(n, "x-assumed").Content {
					operations[id.Value] = append(operations[id.Value], assumed.Value)
				}
			}
		}
		if at(n, "in") != nil && at(n, "name") != nil {
			counts["parameters"]++
			require.Equal(t, Assumed, origin(t, n, where+" "+at(n, "name").Value))
		}
		for _, member := range pairs(at(n, "properties")) {
			counts["members"]++
			name, marked := where+"."+member[0].Value, member[1]
			if reference := at(marked, "$ref"); reference != nil { // a reference has no other members: its schema has the mark
				marked = at(document, strings.Split(strings.TrimPrefix(reference.Value, "#/"), "/")...)
			}
			if origin(t, marked, name) == Published {
				members = append(members, name)
			}
		}
		for _, pair := range pairs(n) {
			switch {
			case pair[0].Value == "schemas":
				for _, schema := range pairs(pair[1]) {
					walk(schema[1], schema[0].Value)
				}
			case pair[0].Value == "properties":
				for _, member := range pairs(pair[1]) {
					walk(member[1], where+"."+member[0].Value)
				}
			case !strings.HasPrefix(pair[0].Value, "example"):
				walk(pair[1], where)
			}
		}
		if n.Kind == yaml.SequenceNode {
			for _, element := range n.Content {
				walk(element, where)
			}
		}
	}
	walk(document, "")
	slices.Sort(members)
	require.Equal(t, publishedOperations, operations)
	require.Equal(t, publishedMembers, members)
	require.Len(t, Operations, counts["operations"], "every operation of the document is in the generated table")
	require.Greater(t, counts["parameters"], 10)
	require.Greater(t, counts["members"], 100)
}
