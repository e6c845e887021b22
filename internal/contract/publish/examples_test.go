package main

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

func readSource(t *testing.T) openAPI {
	t.Helper()
	raw, err := os.ReadFile(source)
	require.NoError(t, err)
	var file yaml.Node
	require.NoError(t, yaml.Unmarshal(raw, &file))
	require.NoError(t, moveParameters(file.Content[0]))
	return openAPI{file.Content[0]}
}

// The examples are the same in each run, and a document without an example for each of its parts is never made.
func TestExamples(t *testing.T) {
	t.Chdir("../../..")
	list, err := readRequests(requestsFile)
	require.NoError(t, err)

	var published []string
	for range 2 {
		document := readSource(t)
		require.NoError(t, document.addExamples(list))
		text, err := encodeYAML(document.root)
		require.NoError(t, err)
		published = append(published, string(text))
	}
	require.Equal(t, published[0], published[1])

	without := func(operation string) error {
		shorter := list
		shorter.Requests = slices.DeleteFunc(slices.Clone(list.Requests), func(r exampleRequest) bool {
			return r.Operation == operation
		})
		return readSource(t).addExamples(shorter)
	}
	err = without("cancelTransfer")
	require.ErrorContains(t, err, "cancelTransfer: no request succeeds")
	require.ErrorContains(t, without("submitKyc"), "the schema KYCSubmission")
	require.ErrorContains(t, without("selectRoutes"), "no earlier response has ${routes.routes.0}")

	other := list
	other.Requests = append(slices.Clone(list.Requests), exampleRequest{Operation: "getHealth", Status: 404})
	require.ErrorContains(t, readSource(t).addExamples(other), "getHealth: the response is 200")
}
