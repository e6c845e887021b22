package server_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/reference"
)

// How docs/CONFORMANCE.md names a test, with its file, and a source.
var (
	proofForm  = regexp.MustCompile("`([a-z_/]+_test\\.go):((?:Test|Fuzz)\\w+)(?:/([^`]+))?`")
	sourceForm = regexp.MustCompile(`^(RFC \d{4} §[\d.]+|RFC 8785|draft-[a-z-]+ §[\d.]+|Specification, "|Own rule$|HTML Living Standard)`)
)

// The page names what is there, and all that is there.
func TestConformancePage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "CONFORMANCE.md"))
	require.NoError(t, err)
	named := map[string]map[string][]string{} // subtests by function by file
	rows := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		cells := strings.Split(strings.Trim(line, "|"), " | ")
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "| ---") || line == "| behaviour | source | test |" || len(cells) == 2 {
			continue
		}
		require.Len(t, cells, 3, line)
		behaviour, source, tests := strings.TrimSpace(cells[0]), strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2])
		require.NotEmpty(t, behaviour)
		require.False(t, rows[behaviour], "two lines tell the same: %s", behaviour)
		rows[behaviour] = true
		require.Regexp(t, sourceForm, source, behaviour)
		proofs := proofForm.FindAllStringSubmatch(tests, -1)
		require.NotEmpty(t, proofs, "no test: %s", behaviour)
		require.Empty(t, strings.Trim(proofForm.ReplaceAllString(tests, ""), ", "), "not the name of a test: %s", tests)
		for _, p := range proofs {
			if named[p[1]] == nil {
				named[p[1]] = map[string][]string{}
			}
			named[p[1]][p[2]] = append(named[p[1]][p[2]], p[3])
		}
	}
	require.Greater(t, len(rows), 80)
	requireBounds(t, string(page))
	for _, file := range slices.Sorted(maps.Keys(named)) {
		requireNamed(t, file, named[file])
	}
}

// requireBounds holds the page's table of limits to the defaults.
func requireBounds(t *testing.T, page string) {
	t.Helper()
	l := reference.Bounds{}.WithDefaults()
	bytes := func(n int64) string { return strconv.FormatInt(n, 10) + " bytes" }
	bounds := map[string]string{
		"securing a connection, and then the head of a request": l.HeadTimeout.String(),
		"a whole request": l.RequestTimeout.String(),
		"an answer, until the client has accepted all of it":    l.AnswerTimeout.String(),
		"a connection between two requests":                     l.IdleTimeout.String(),
		"running requests, when the service stops":              l.StopTimeout.String(),
		"a request behind another one with its idempotency key": l.KeyWait.String(),
		"the head of a request, about":                          bytes(int64(l.HeadBytes)),
		"the target of a request":                               bytes(int64(l.TargetBytes)),
		"a body":                                                bytes(l.BodyBytes),
		"a body that holds a snapshot":                          bytes(l.SnapshotBytes),
	}
	require.Equal(t, reflect.TypeOf(l).NumField(), len(bounds), "every limit has a line")
	for name, value := range bounds {
		require.Contains(t, page, "\n| "+name+" | "+value+" |\n")
	}
}

// requireNamed holds what a page names of a test file to what that has.
func requireNamed(t *testing.T, file string, named map[string][]string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", filepath.FromSlash(file)), nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	texts := map[string]bool{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				texts[text] = true
			}
		}
		return true
	})
	functions := map[string]*ast.FuncDecl{}
	for _, declaration := range parsed.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if ok && function.Recv == nil && (strings.HasPrefix(function.Name.Name, "Test") || strings.HasPrefix(function.Name.Name, "Fuzz")) {
			functions[function.Name.Name] = function
			require.Contains(t, named, function.Name.Name, "%s has a test without a line", file)
		}
	}
	for name, subtests := range named {
		require.Contains(t, functions, name, "%s has no such test", file)
		for _, subtest := range subtests {
			below, lowest, _ := strings.Cut(subtest, "/")
			require.True(t, subtest == "" || texts[subtest] || texts[below] && texts[lowest], "%s: %s has no subtest %q", file, name, subtest)
		}
		if !slices.Contains(subtests, "") { // subtests alone are named: all of them
			for _, subtest := range literalSubtests(functions[name]) {
				require.Contains(t, subtests, subtest, "%s: %s has a subtest without a line", file, name)
			}
		}
	}
}

// literalSubtests are the names of a test's subtests, as far as they are written where they are run.
func literalSubtests(function *ast.FuncDecl) (names []string) {
	ast.Inspect(function, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 2 {
			return true
		}
		selector, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || selector.Sel.Name != "Run" {
			return true
		}
		if literal, ok := call.Args[0].(*ast.BasicLit); ok {
			if name, err := strconv.Unquote(literal.Value); err == nil {
				names = append(names, name)
			}
		}
		return true
	})
	return names
}
