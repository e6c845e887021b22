package payments

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// kinds reads the constants of type Kind from the source, so that none is forgotten: those of the service, which its
// answers carry, and those that the client's side finds itself.
func kinds(t *testing.T) (service, local []Kind) {
	t.Helper()
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var declarations []ast.Decl
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		require.NoError(t, err)
		declarations = append(declarations, file.Decls...)
	}
	for _, declaration := range declarations {
		block, ok := declaration.(*ast.GenDecl)
		if !ok || block.Tok != token.CONST {
			continue
		}
		for _, spec := range block.Specs {
			constant := spec.(*ast.ValueSpec)
			if name, ok := constant.Type.(*ast.Ident); !ok || name.Name != "Kind" {
				continue
			}
			literal, prefix := constant.Values[0], ""
			if sum, ok := literal.(*ast.BinaryExpr); ok { // LocalPrefix + "…"
				literal, prefix = sum.Y, LocalPrefix
			}
			value, err := strconv.Unquote(literal.(*ast.BasicLit).Value)
			require.NoError(t, err)
			if strings.Contains(block.Doc.Text(), "the service reports") {
				service = append(service, Kind(prefix+value))
			} else {
				local = append(local, Kind(prefix+value))
			}
		}
	}
	return service, local
}

func TestEveryProblemKindIsDescribed(t *testing.T) {
	t.Parallel()
	all, local := kinds(t)
	require.Greater(t, len(all), 15)
	for _, kind := range local {
		require.NotContains(t, all, kind, "a kind is the service's or the client's")
	}
	require.Len(t, Kinds, len(all))
	seen := map[string]bool{}
	for _, kind := range all {
		d := Describe(kind)
		require.Equal(t, kind, d.Kind, "%s is not described", kind)
		require.NotEmpty(t, http.StatusText(d.Status))
		require.GreaterOrEqual(t, d.Status, 400)
		require.True(t, strings.HasSuffix(d.Title, "."), "%s: %q is no sentence", kind, d.Title)
		require.False(t, seen[d.Title], "%s shares its title", kind)
		seen[d.Title] = true
		refusal := NewProblem(kind, "It was %s.", "so")
		require.Equal(t, kind, refusal.Kind())
		require.Equal(t, "It was so.", refusal.Detail)
		require.Equal(t, d.Status, refusal.Status)
		require.Equal(t, d.Title, refusal.Title)
	}
	require.Equal(t, KindInternal, Describe("no-such-kind").Kind)
}

func TestValidationProblemIsInTheSpecificationsWords(t *testing.T) {
	t.Parallel()
	r := NewValidationProblem(FieldErrors{"route": {RequiredMessage("route")}})
	require.Equal(t, 400, r.Status)
	require.Equal(t, "One or more validation errors occurred.", r.Title)
	require.Equal(t, "The request body failed validation.", r.Detail)
	require.Equal(t, FieldErrors{"route": {"The route field is required."}}, r.Errors)
	require.Equal(t, "One or more validation errors occurred: The request body failed validation. [route: The route field is required.]", r.Error())
}

func TestRefusalIsFoundInAChain(t *testing.T) {
	t.Parallel()
	wrapped := fmt.Errorf("create: %w", NotFound("account", "acc_1"))
	var refusal *ProblemError
	require.ErrorAs(t, wrapped, &refusal)
	var problem *Problem
	require.ErrorAs(t, wrapped, &problem)
	require.Equal(t, KindNotFound, problem.Kind())
	require.Contains(t, problem.Detail, `"acc_1"`)
}

func TestProblemKind(t *testing.T) {
	t.Parallel()
	for uri, kind := range map[string]Kind{
		"https://api.example/problems/validation-error": KindValidation,
		"/problems/not-found":                           KindNotFound,
		"gone":                                          KindGone,
		"payctl:unreachable":                            KindUnreachable,
		"payctl:a/b":                                    "payctl:a/b",
		"":                                              "",
		"about:blank":                                   "about:blank",
	} {
		require.Equal(t, kind, (&Problem{Type: uri}).Kind(), uri)
	}
}
