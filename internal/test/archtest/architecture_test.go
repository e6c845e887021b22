// Package archtest holds the packages to the rule of who may import whom; docs/ARCHITECTURE.md draws it.
package archtest

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
	"contract":             {"payments"},
	"contract/diff":        {"contract"},
	"contract/generate":    {},
	"contract/publish":     {"payments", "contract", "refserver", "sandbox", "server"},

	// The service's side of the wire, from a store at the bottom to HTTP at the top.
	"store":              {"payments"},
	"store/sql/postgres": {"store", "store/sql"},
	"store/sql/sqlite":   {"store/sql", "sqlitedb", "securefile"},
	"store/memory":       {"payments", "store", "store/memory/compact"},
	"store/*":            {"payments", "store"},
	"routes":             {"payments", "payments/coordinates", "plaintext", "suggest"},
	"service":            {"payments", "contract", "store", "routes"},
	"sandbox":            {"payments", "contract", "store", "routes", "service"},
	"server":             {"payments", "contract", "metrics", "suggest", "wait"},
	"server/coverage":    {"contract", "server"},
	"refserver":          {"payments", "metrics", "routes", "sandbox", "server", "service", "store", "store/*", "store/sql/*"},

	// The client's side of it.
	"client":         {"payments", "contract", "client/redact", "plaintext", "settings", "wait", "shell"},
	"client/redact":  {},
	"ui":             {"wait"},
	"ui/chart":       {"ui"},
	"ui/live":        {"ui", "ui/chart", "wait", "shell"},
	"settings":       {"suggest", "plaintext", "securefile", "shell"},
	"auth/keystore":  {"plaintext", "securefile", "shell"},
	"auth":           {"payments", "settings", "auth/keystore"},
	"follow":         {"payments", "wait"},
	"outbox/journal": {"securefile", "sqlitedb"},
	"rows":           {"plaintext", "suggest"},
	"outbox":         {"payments", "outbox/journal", "wait", "shell"},
	"outbox/pace":    {"payments", "outbox", "wait"},
	"outbox/batch":   {"payments", "outbox", "outbox/journal", "outbox/pace", "plaintext", "rows", "securefile", "suggest"},
	"report":         {"payments", "rows", "suggest"},
	"doctor":         {"payments", "contract", "contract/diff", "client", "client/redact", "settings", "auth/keystore", "outbox/journal", "auth", "securefile", "shell"},
	"cli/cmdutil":    {"payments", "doctor", "settings", "auth/keystore", "outbox", "plaintext", "rows", "securefile", "shell", "suggest", "auth", "ui", "ui/live", "wait"},
	"cli/watchui":    {"payments", "rows", "settings", "shell", "ui", "ui/live", "wait", "follow", "cli/cmdutil"},
	"cli/*":          {"ui/live", "payments", "plaintext", "report", "outbox", "outbox/batch", "settings", "auth", "auth/keystore", "doctor", "outbox/journal", "securefile", "shell", "ui", "wait", "follow", "cli/cmdutil", "cli/watchui"},
	"cli/kyc":        {"payments", "report", "shell", "ui", "ui/chart", "ui/live", "follow", "cli/cmdutil", "cli/watchui"},
	"cli":            {"shell", "suggest", "settings", "cli/*"},

	// Files of accounts and contacts.
	"outbox/importer": {"payments", "contract", "outbox", "outbox/pace", "rows"},
	"cli/importui":    {"outbox", "outbox/importer", "outbox/pace", "ui", "wait", "cli/cmdutil"},
	"cli/accounts":    {"payments", "contract", "outbox", "outbox/importer", "shell", "ui", "cli/cmdutil", "cli/importui", "cli/watchui"},
	"cli/contacts":    {"payments", "contract", "outbox", "outbox/importer", "rows", "shell", "ui", "cli/cmdutil", "cli/importui"},

	"plaintext":                 {},
	"suggest":                   {},
	"shell":                     {},
	"securefile":                {"shell"},
	"sqlitedb":                  {"securefile"},
	"wait":                      {},
	"metrics":                   {},
	"auth/keystore/keyringtest": {},
	"store/memory/compact":      {},
	"securefile/swaptest":       {},

	// Where both meet.
	"app":          {"*"},
	"app/notices":  {},
	"app/generate": {"app", "cli", "outbox", "outbox/journal"},

	"test/clock":    {},
	"test/paytest":  {"payments", "refserver", "sandbox", "server", "contract", "client"},
	"test/doccheck": {},
	"test/golden":   {},
	"test/pgtest":   {},
	"test/terminal": {},
}

// only lists what a package outside the module is allowed to, because it costs or decides too much to be everywhere.
var only = map[string][]string{
	"github.com/charmbracelet/lipgloss": {"ui"},
	"charm.land/bubbletea":              {"ui/live"},
	"github.com/spf13/viper":            {"settings"},
	"github.com/zalando/go-keyring":     {"auth/keystore"},
	"github.com/danieljoos/wincred":     {"auth/keystore/keyringtest"},
	"github.com/KimMachineGun":          {"app"},
	"modernc.org/sqlite":                {"sqlitedb"},
	"github.com/jackc/pgx":              {"store/sql/postgres", "test/pgtest", "test/bench/peers/statements"},
	"net/http":                          {"client", "server", "refserver", "contract/publish", "test/bench", "test/bench/peers/*", "test/paytest"},
	"github.com/getkin/kin-openapi":     {"contract/generate", "test/paytest"},
	"github.com/stretchr/testify":       {"test/paytest", "test/doccheck", "test/golden", "test/pgtest", "test/terminal", "store/storetest", "auth/keystore/keyringtest", "securefile/swaptest"},
	"github.com/prometheus":             {}, // tests read the metrics with its parser
}

// testHelpers are imported by tests and benchmarks alone.
var testHelpers = []string{"test/paytest", "test/doccheck", "test/golden", "test/pgtest", "test/terminal", "store/storetest", "auth/keystore/keyringtest", "securefile/swaptest"}

func TestImports(t *testing.T) {
	t.Parallel()
	for name, imports := range packages(t) {
		allowed, known := rule(name)
		require.True(t, known, "package %s has no rule yet: say here what it may import", name)
		for _, imported := range imports {
			if below, ours := strings.CutPrefix(imported, module+"internal/"); ours {
				require.True(t, matches(allowed, below), "%s may not import %s", name, below)
				if name != "test/bench" {
					require.NotContains(t, testHelpers, below, "%s imports a test helper", name)
				}
			}
			for restricted, to := range only {
				if within(restricted, imported) {
					require.True(t, matches(to, name), "%s may not import %s", name, imported)
				}
			}
		}
	}
}

// TestRulesHaveNoDeadRows keeps the tables from naming packages that are gone, and from allowing imports that no longer
// exist.
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
	root, err := filepath.Abs(filepath.Join("..", ".."))
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

// within reports whether a package is another one, or below it.
func within(above, name string) bool {
	return name == above || strings.HasPrefix(name, above+"/")
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		below, all := strings.CutSuffix(pattern, "*")
		return pattern == name || all && strings.HasPrefix(name, below)
	})
}
