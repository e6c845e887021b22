package contract

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// published is all that the specification shows of operations and members; everything else is assumed.
var (
	publishedOperations = map[string][]string{ // to what is assumed of them
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
		"TransferInfo.availableDestinations", "TransferInfo.availableSources", "TransferInfo.routes", "TransferInfo.selectedDestination",
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

// origin is the x-origin of a node, which it must have.
func origin(t *testing.T, n *yaml.Node, what string) string {
	t.Helper()
	mark := at(n, "x-origin")
	require.NotNil(t, mark, "%s (line %d) has no x-origin", what, n.Line)
	require.Contains(t, []string{Published, Assumed}, mark.Value, what)
	return mark.Value
}

func TestEveryOperationCarriesItsOrigin(t *testing.T) {
	t.Parallel()
	published, operations := map[string][]string{}, 0
	for _, path := range pairs(at(root(t), "paths")) {
		for _, method := range pairs(path[1]) {
			if method[0].Value == "parameters" {
				continue
			}
			operations++
			id := at(method[1], "operationId").Value
			mark := origin(t, method[1], id)
			require.NotNil(t, Find(id), id)
			require.Equal(t, mark, Find(id).Origin, "%s: the generated table disagrees", id)
			if mark == Published {
				published[id] = nil
				if assumed := at(method[1], "x-assumed"); assumed != nil {
					for _, what := range assumed.Content {
						published[id] = append(published[id], what.Value)
					}
				}
			}
		}
	}
	require.Equal(t, publishedOperations, published)
	require.Len(t, Operations, operations, "every operation of the document is in the generated table")
}

func TestEveryParameterCarriesItsOrigin(t *testing.T) {
	t.Parallel()
	count := 0
	check := func(list *yaml.Node, where string) {
		if list == nil {
			return
		}
		for _, parameter := range list.Content {
			if at(parameter, "$ref") == nil {
				require.Equal(t, Assumed, origin(t, parameter, where+" "+at(parameter, "name").Value))
				count++
			}
		}
	}
	for _, path := range pairs(at(root(t), "paths")) {
		check(at(path[1], "parameters"), path[0].Value)
		for _, method := range pairs(path[1]) {
			if method[1].Kind == yaml.MappingNode {
				check(at(method[1], "parameters"), path[0].Value)
			}
		}
	}
	for _, parameter := range pairs(at(root(t), "components", "parameters")) {
		require.Equal(t, Assumed, origin(t, parameter[1], parameter[0].Value))
		count++
	}
	require.Greater(t, count, 10)
}

func TestEveryMemberCarriesItsOrigin(t *testing.T) {
	t.Parallel()
	schemas := at(root(t), "components", "schemas")
	var published []string
	var members int
	// walk finds properties wherever they are: below allOf, oneOf, items and other properties.
	var walk func(n *yaml.Node, where string)
	walk = func(n *yaml.Node, where string) {
		for _, pair := range pairs(n) {
			if pair[0].Value != "properties" {
				walk(pair[1], where)
				continue
			}
			for _, property := range pairs(pair[1]) {
				members++
				name, marked := fmt.Sprintf("%s.%s", where, property[0].Value), property[1]
				if reference := at(marked, "$ref"); reference != nil { // a reference has no other members: its schema has the mark
					marked = at(schemas, strings.TrimPrefix(reference.Value, "#/components/schemas/"))
				}
				if origin(t, marked, name) == Published {
					published = append(published, name)
				}
				walk(property[1], name)
			}
		}
		if n.Kind == yaml.SequenceNode {
			for _, element := range n.Content {
				walk(element, where)
			}
		}
	}
	for _, schema := range pairs(schemas) {
		walk(schema[1], schema[0].Value)
	}
	slices.Sort(published)
	require.Equal(t, publishedMembers, published)
	require.Greater(t, members, 100)
}
