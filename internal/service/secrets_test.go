package service_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Nothing that is secret is compared but in constant time: how long it takes does not reveal how much of a guess was right. What is
// looked up is looked up by its hash.
func TestSecretsAreComparedInConstantTime(t *testing.T) {
	t.Parallel()
	secret := regexp.MustCompile(`(?i)^(client)?secret$|hash$|^(access)?token$|password|^given$|^expected$`)
	names := func(e ast.Expr) string {
		switch e := e.(type) {
		case *ast.Ident:
			return e.Name
		case *ast.SelectorExpr:
			return e.Sel.Name
		case *ast.SliceExpr:
			if x, ok := e.X.(*ast.Ident); ok {
				return x.Name
			}
		}
		return ""
	}
	nothing := func(e ast.Expr) bool {
		literal, ok := e.(*ast.BasicLit)
		return ok && (literal.Value == `""` || literal.Kind == token.INT) || names(e) == "nil"
	}
	compared := 0
	for _, folder := range []string{".", "../server", "../sandbox", "../refserver"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			set := token.NewFileSet()
			parsed, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
			require.NoError(t, err)
			ast.Inspect(parsed, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BinaryExpr:
					if n.Op == token.EQL || n.Op == token.NEQ {
						about := secret.MatchString(names(n.X)) || secret.MatchString(names(n.Y))
						require.False(t, about && !nothing(n.X) && !nothing(n.Y), "%s compares a secret", set.Position(n.Pos()))
					}
				case *ast.CallExpr:
					if called, ok := n.Fun.(*ast.SelectorExpr); ok {
						pkg, _ := called.X.(*ast.Ident)
						if pkg != nil && pkg.Name == "subtle" && called.Sel.Name == "ConstantTimeCompare" {
							compared++
						}
						if pkg != nil && (pkg.Name == "bytes" || pkg.Name == "strings") && (called.Sel.Name == "Equal" || called.Sel.Name == "EqualFold" || called.Sel.Name == "Compare") {
							for _, argument := range n.Args {
								require.False(t, secret.MatchString(names(argument)), "%s compares a secret", set.Position(n.Pos()))
							}
						}
					}
				}
				return true
			})
		}
	}
	require.Equal(t, 2, compared, "of the clients that are named, and of those that are not")
}
