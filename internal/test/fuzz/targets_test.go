// Package fuzz holds the fuzz targets of the module to rules: each has a corpus, and each parser has a target. `make fuzz` runs
// them.
package fuzz

import (
	"go/ast"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fewestSeeds is how many inputs the corpus of a target has at the least.
const fewestSeeds = 5

func TestEveryTargetHasACorpus(t *testing.T) {
	t.Parallel()
	all, err := targets(filepath.Join("..", "..", ".."))
	require.NoError(t, err)
	require.NotEmpty(t, all)
	for _, target := range all {
		seeds, err := target.seeds()
		require.NoError(t, err)
		if seeds < fewestSeeds {
			t.Errorf("%s has %d inputs, fewer than %d", target.corpus(), seeds, fewestSeeds)
		}
	}
}

// parsers are the names of functions that read foreign input.
var parsers = regexp.MustCompile(`^([Pp]arse|[Dd]ecode|Unmarshal|Sanitize|Validate)([A-Z].*)?$`)

// notFuzzed are functions with the name of a parser that need no target, and why.
var notFuzzed = map[string]string{
	"server/decode":              "FuzzBody calls it by each operation",
	"server/decodeBody":          "FuzzBody calls it by each operation",
	"server/decodeWrite":         "FuzzBody calls it by each operation",
	"server/parseAuthorization":  "FuzzAuthorization calls it by parseBearerToken and parseBasicCredentials",
	"server/parsePageQuery":      "FuzzRequest calls it by each list",
	"cli/watchui/parseIDs":       "FuzzIDs calls it by parse",
	"routes/parseYAML":           "FuzzParse calls it by parse",
	"service/parseID":            "TestForeignIdentifiers and FuzzRequest send it any text",
	"store/sql/parseTimeText":    "it reads what the store has written itself",
	"routes/decode":              "FuzzParse calls it by parse",
	"payments/UnmarshalJSONFrom": "FuzzRouteChoice calls it by json.Unmarshal",
	"payments/UnmarshalBinary":   "it reads what a store in memory has written itself; the tests of store/memory/compact call it",
	"payments/parseISODuration":  "FuzzParseDuration calls it by ParseDuration",
	"store/sql/decode":           "it reads what the store has written itself, and errors of it are errors of the store",
}

// TestEveryParserIsFuzzed finds each parser by its name in the package's files of fuzz targets.
func TestEveryParserIsFuzzed(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..", "internal")
	found, used := map[string][]string{}, map[string][]string{}
	require.NoError(t, eachFile(root, func(path string, file *ast.File) {
		folder, err := filepath.Rel(root, filepath.Dir(path))
		require.NoError(t, err)
		folder = filepath.ToSlash(folder)
		switch {
		case strings.HasPrefix(folder, "test/"), folder == "contract/generate", folder == "app/generate":
		case !strings.HasSuffix(path, "_test.go"):
			for _, f := range functions(file) {
				if parsers.MatchString(f.Name.Name) {
					found[folder] = append(found[folder], f.Name.Name)
				}
			}
		case slices.ContainsFunc(functions(file), isTarget):
			ast.Inspect(file, func(node ast.Node) bool {
				if name, ok := node.(*ast.Ident); ok {
					used[folder] = append(used[folder], name.Name)
				}
				return true
			})
		}
	}))
	require.NotEmpty(t, found)
	for folder, names := range found {
		for _, name := range names {
			if notFuzzed[folder+"/"+name] == "" && !slices.Contains(used[folder], name) {
				t.Errorf("%s/%s reads foreign input, and no file of its package with a fuzz target calls it", folder, name)
			}
		}
	}
}
