// Package doccheck holds documents to the tests that they name. A row of such a document's tables tells what is kept to, and
// ends with the tests that prove it, each as `server/http_test.go:TestHead/subtest`: the file below internal, the function,
// and the subtest where one is meant.
package doccheck

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A Row is a row of a table: what it tells, in cells, and what proves it.
type Row struct {
	Cells []string // without the last one, which names the tests
	Tests []Test
}

// A Test is the name of a test.
type Test struct{ File, Function, Subtest string }

// Rows reads the rows of the tables with a heading such as "| attack | what happens | test |". No row is there twice, each
// is as wide as the heading and names at least one test.
func Rows(t testing.TB, page, heading string) []Row {
	t.Helper()
	form := regexp.MustCompile("`([a-z_/0-9]+_test\\.go):((?:Test|Fuzz)\\w+)(?:/([^`]+))?`")
	wide := len(cells(heading))
	var rows []Row
	told, within := map[string]bool{}, false
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		within = line == heading || within && strings.HasPrefix(line, "|")
		if !within || line == heading || strings.HasPrefix(line, "| ---") {
			continue
		}
		parts := cells(line)
		require.Len(t, parts, wide, line)
		require.False(t, told[parts[0]], "two rows tell the same: %s", parts[0])
		told[parts[0]] = true
		row := Row{Cells: parts[:wide-1]}
		require.NotContains(t, row.Cells, "", line)
		last := parts[wide-1]
		for _, named := range form.FindAllStringSubmatch(last, -1) {
			row.Tests = append(row.Tests, Test{named[1], named[2], named[3]})
		}
		require.NotEmpty(t, row.Tests, "no test: %s", line)
		require.Empty(t, strings.Trim(form.ReplaceAllString(last, ""), ", "), "not the name of a test: %s", last)
		rows = append(rows, row)
	}
	require.NotEmpty(t, rows, "no table has the heading %s", heading)
	return rows
}

func cells(line string) []string {
	parts := strings.Split(strings.Trim(line, "| "), " | ")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// Hold holds rows to the tests that there are: each that is named exists, in the file below a folder, and in a file that is
// whole to the page each test has a row.
func Hold(t testing.TB, folder string, rows []Row, whole func(file string) bool) {
	t.Helper()
	named := map[string]map[string][]string{} // subtests by function by file
	for _, row := range rows {
		for _, test := range row.Tests {
			if named[test.File] == nil {
				named[test.File] = map[string][]string{}
			}
			named[test.File][test.Function] = append(named[test.File][test.Function], test.Subtest)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(named)) {
		hold(t, folder, file, named[file], whole(file))
	}
}

func hold(t testing.TB, folder, file string, named map[string][]string, whole bool) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, filepath.FromSlash(file)), nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	functions := map[string]*ast.FuncDecl{}
	for _, declaration := range parsed.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if ok && function.Recv == nil && (strings.HasPrefix(function.Name.Name, "Test") || strings.HasPrefix(function.Name.Name, "Fuzz")) {
			functions[function.Name.Name] = function
			require.False(t, whole && named[function.Name.Name] == nil && function.Name.Name != "TestMain", "%s has a test without a row: %s", file, function.Name.Name)
		}
	}
	known := texts(parsed)
	for name, subtests := range named {
		require.Contains(t, functions, name, "%s has no such test", file)
		for _, subtest := range subtests {
			below, lowest, _ := strings.Cut(subtest, "/")
			script := filepath.Join(folder, filepath.Dir(filepath.FromSlash(file)), "testdata", subtest+".txtar") // which is a subtest of its own
			require.True(t, subtest == "" || known[subtest] || known[below] && known[lowest] || exists(script), "%s: %s has no subtest %q", file, name, subtest)
		}
		if whole && !slices.Contains(subtests, "") { // subtests alone are named: all of them
			for _, subtest := range literalSubtests(functions[name]) {
				require.Contains(t, subtests, subtest, "%s: %s has a subtest without a row", file, name)
			}
		}
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// texts are the string literals of a file, among which the names of its subtests are.
func texts(parsed *ast.File) map[string]bool {
	found := map[string]bool{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				found[text] = true
			}
		}
		return true
	})
	return found
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
