// Package architecture holds the packages to the rule of who may import whom; docs/ARCHITECTURE.md draws it.
package architecture

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/payctl/payctl/"

// mayImport lists, for each package below internal, the packages below internal that it may import. A pattern that ends
// in /* stands for every package below.
var mayImport = map[string][]string{
	"payments":             {"payments/coordinates"},
	"payments/coordinates": {},
	"contract":             {"moment"},
	"contract/generate":    {},

	// The service's side of the wire, from a store at the bottom to HTTP at the top.
	"store":     {"payments"},
	"store/*":   {"payments", "store", "safefile", "sqlitefile"},
	"catalogue": {"payments", "payments/coordinates", "nearest"},
	"service":   {"payments", "store", "catalogue"},
	"sandbox":   {"payments", "store", "catalogue", "service"},
	"server":    {"payments", "contract", "moment", "wait"},
	"audit":     {"contract", "server"},
	"reference": {"payments", "catalogue", "sandbox", "server", "service", "store", "store/*"},

	// The client's side of it.
	"client":     {"payments", "contract", "wait"},
	"term":       {"wait"},
	"term/live":  {"term"},
	"config":     {"nearest", "safefile"},
	"credential": {"safefile"},
	"session":    {"payments", "config", "credential"},
	"connect":    {"client", "config"},
	"watch":      {"payments", "wait"},
	"journal":    {"payments", "safefile", "sqlitefile"},
	"batch":      {"payments"},
	"doctor":     {"payments", "contract", "client", "config", "connect", "credential", "journal", "session", "safefile"},
	"cli/deps":   {"payments", "doctor", "config", "credential", "journal", "moment", "safefile", "session", "term"},
	"cli/desk":   {"payments", "config", "nearest", "term", "term/live", "wait", "watch", "cli/deps"},
	"cli/*":      {"payments", "batch", "config", "credential", "doctor", "journal", "moment", "safefile", "term", "wait", "watch", "cli/deps", "cli/desk"},
	"cli":        {"nearest", "cli/*"},

	"moment":                 {},
	"nearest":                {},
	"safefile":               {},
	"sqlitefile":             {},
	"wait":                   {},
	"credential/keyringtest": {},

	// Where both meet.
	"app":           {"*"},
	"app/generate":  {"app"},
	"bench":         {},
	"fuzz":          {},
	"bench/peers/*": {},

	"paytest": {"payments", "reference", "sandbox", "server", "contract"},
	"proof":   {},
}

// only lists what a package outside the module is allowed to, because it costs or decides too much to be everywhere.
var only = map[string][]string{
	"github.com/charmbracelet/lipgloss": {"term"},
	"github.com/muesli/termenv":         {"term"},
	"charm.land/bubbletea":              {"term/live"},
	"github.com/spf13/viper":            {"config"},
	"github.com/zalando/go-keyring":     {"credential"},
	"github.com/KimMachineGun":          {"app"},
	"modernc.org/sqlite":                {"store/sqlite", "journal"},
	"net/http":                          {"client", "server", "reference", "bench", "bench/peers/*", "paytest"},
	"github.com/getkin/kin-openapi":     {"contract/generate", "paytest"},
	"github.com/stretchr/testify":       {"paytest", "proof", "store/storetest", "credential/keyringtest"},
}

// testHelpers are imported by tests alone.
var testHelpers = []string{"paytest", "proof", "store/storetest", "credential/keyringtest"}

func TestImports(t *testing.T) {
	t.Parallel()
	for name, imports := range packages(t) {
		allowed, known := rule(name)
		require.True(t, known, "package %s has no rule yet: say here what it may import", name)
		for _, imported := range imports {
			if below, ours := strings.CutPrefix(imported, module+"internal/"); ours {
				require.True(t, matches(allowed, below), "%s may not import %s", name, below)
				require.NotContains(t, testHelpers, below, "%s imports a test helper", name)
			}
			for restricted, to := range only {
				if within(restricted, imported) {
					require.True(t, matches(to, name), "%s may not import %s", name, imported)
				}
			}
		}
	}
}

// TestRulesHaveNoDeadRows keeps the tables from naming packages that are gone, and from allowing what nobody does any more.
func TestRulesHaveNoDeadRows(t *testing.T) {
	t.Parallel()
	known := packages(t)
	byRow := map[string][]string{} // what the packages of a row of mayImport import
	for name, imports := range known {
		byRow[row(name)] = append(byRow[row(name)], imports...)
	}
	for name, allowed := range mayImport {
		require.True(t, byRow[name] != nil, "%s is gone", name)
		for _, pattern := range allowed {
			require.True(t, slices.ContainsFunc(byRow[name], func(imported string) bool {
				below, ours := strings.CutPrefix(imported, module+"internal/")
				return ours && matches([]string{pattern}, below)
			}), "%s does not import %s any more", name, pattern)
		}
	}
	for restricted, to := range only {
		for _, pattern := range to {
			var imports []string
			for name, its := range known {
				if matches([]string{pattern}, name) {
					imports = append(imports, its...)
				}
			}
			require.True(t, slices.ContainsFunc(imports, func(imported string) bool { return within(restricted, imported) }),
				"%s does not import %s any more", pattern, restricted)
		}
	}
}

// packages maps each package below internal to what its non-test files import.
func packages(t *testing.T) map[string][]string {
	found := map[string][]string{}
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	require.NoError(t, filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		below, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		if strings.Contains(below, "testdata") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(below)
		found[name] = append(found[name], []string{}...)
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if !slices.Contains(found[name], imported) {
				found[name] = append(found[name], imported)
			}
		}
		return nil
	}))
	require.NotEmpty(t, found)
	return found
}

// rule is what a package may import.
func rule(name string) (allowed []string, known bool) {
	allowed, known = mayImport[row(name)]
	return allowed, known
}

// row names the most particular row for a package.
func row(name string) string {
	if _, own := mayImport[name]; own {
		return name
	}
	return path.Dir(name) + "/*"
}

// within says whether a package is another, or below it.
func within(above, name string) bool {
	return name == above || strings.HasPrefix(name, above+"/")
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		below, all := strings.CutSuffix(pattern, "*")
		return pattern == name || all && strings.HasPrefix(name, below)
	})
}
