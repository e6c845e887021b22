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

// The story is the same in each run, and a document without an example for each of its parts is never made.
func TestExamples(t *testing.T) {
	t.Chdir("../../..")
	told, err := readStory(storyFile)
	require.NoError(t, err)

	var published []string
	for range 2 {
		document := readSource(t)
		require.NoError(t, document.addExamples(told))
		text, err := encodeYAML(document.root)
		require.NoError(t, err)
		published = append(published, string(text))
	}
	require.Equal(t, published[0], published[1])

	without := func(operation string) error {
		shorter := told
		shorter.Story = slices.DeleteFunc(slices.Clone(told.Story), func(s scene) bool { return s.Operation == operation })
		return readSource(t).addExamples(shorter)
	}
	err = without("cancelTransfer")
	require.ErrorContains(t, err, "cancelTransfer: no request succeeds")
	require.ErrorContains(t, without("submitKyc"), "the schema KYCSubmission")
	require.ErrorContains(t, without("selectRoutes"), "no earlier response has ${routes.routes.0}")

	other := told
	other.Story = append(slices.Clone(told.Story), scene{Operation: "getHealth", Status: 404})
	require.ErrorContains(t, readSource(t).addExamples(other), "getHealth: the response is 200")
}
