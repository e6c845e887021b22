package doccheck_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/app"
)

const module = "github.com/payctl/payctl/"

// plainParts are the functions, and the variables of functions, whose values may be joined with the text of a hint: they
// never come from the service, a file or the environment.
var plainParts = map[string]string{
	"securefile.MoveCommand":     "it is of shell.Hint",
	"chmodCommand":               "it is of shell.Hint",
	"chownCommand":               "it is of shell.Hint",
	"RemoveCommand":              "it is of shell.Hint",
	"restrictCommand":            "it is of shell.Hint",
	"FlagName":                   "the name of a flag",
	"roundUp":                    "a number of minutes",
	"cmdutil.Count":              "a number of things",
	"Kinds":                      "the names of the credential stores",
	"cmd.CommandPath":            "the name of a command",
	"missingArgs.list":           "a command of a constant table",
	"missingArgs.first":          "the name of an argument",
	"withWords":                  "its words are of shell.Hint",
	"unknownFlag.near":           "the name of a flag",
	"misplacedFlag.name":         "the name of a flag that a command has",
	"refuseRepeatedFlags.f.Name": "the name of a flag",
	"unknownKey.known":           "the names of the keys",
	"checkRegular.then":          "a text of the caller",
}

// hints is the source of the program, as far as it is about hints.
type hints struct {
	*testing.T
	files  *token.FileSet
	consts map[string]map[string]ast.Expr // by folder and name; those of functions too
	used   map[string]bool                // of plainParts
}

// A place is the function and the file in which an expression is.
type place struct {
	folder   string
	file     *ast.File
	function *ast.FuncDecl
}

// program matches "payctl " before a command in a text.
var program = regexp.MustCompile(`\bpayctl (?:` + strings.Join(commandNames(), "|") + `)(?: |$)`)

// commandNames are the names of the commands and groups that payctl has.
func commandNames() (names []string) {
	for _, cmd := range app.Command().Commands() {
		names = append(names, cmd.Name())
	}
	return names
}

// flagValue matches a flag with a value, as fmt writes it.
var flagValue = regexp.MustCompile(`--[a-z-]+[ =]%[a-z]`)

// verb matches what fmt replaces by a value.
var verb = regexp.MustCompile(`%[^% ]`)

// TestHintsQuoteTheirValues holds every hint, and every other text with a command of payctl in it, to constants and to
// shell.Hint, which quotes the values. A user pastes these texts into a shell.
func TestHintsQuoteTheirValues(t *testing.T) {
	t.Parallel()
	h := &hints{T: t, files: token.NewFileSet(), consts: map[string]map[string]ast.Expr{}, used: map[string]bool{}}
	sources := h.parse(filepath.Join("..", "..", ".."))
	templates := 0
	for _, at := range sources {
		var above []ast.Node
		ast.Inspect(at.file, func(node ast.Node) bool {
			if node == nil {
				above = above[:len(above)-1]
				return false
			}
			above = append(above, node)
			in := at
			for _, outer := range above {
				if function, ok := outer.(*ast.FuncDecl); ok {
					in.function = function
				}
			}
			switch node := node.(type) {
			case *ast.BasicLit:
				h.checkText(in, node, above)
			case *ast.CallExpr:
				if name(node.Fun) == "shell.Hint" {
					h.checkTemplate(in, node)
					templates++
				} else {
					h.checkCall(in, node)
				}
			case *ast.KeyValueExpr:
				if isHint(name(node.Key)) {
					h.checkHint(in, node.Value)
				}
			case *ast.AssignStmt:
				for i, left := range node.Lhs {
					if isHint(name(left)) && len(node.Rhs) == len(node.Lhs) {
						h.checkHint(in, node.Rhs[i])
					}
				}
			}
			return true
		})
	}
	require.Greater(t, templates, 30)
	for part := range plainParts {
		require.True(t, h.used[part], "no hint has %s any more", part)
	}
}

// parse reads all Go files of the program, apart from tests, and notes their constants.
func (h *hints) parse(root string) (sources []place) {
	h.Helper()
	require.NoError(h, filepath.WalkDir(filepath.Join(root, "internal"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		below, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil || strings.HasPrefix(filepath.ToSlash(below), "internal/test") {
			return err
		}
		file, err := parser.ParseFile(h.files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(below)
		sources = append(sources, place{folder: folder, file: file})
		if h.consts[folder] == nil {
			h.consts[folder] = map[string]ast.Expr{}
		}
		ast.Inspect(file, func(node ast.Node) bool {
			if declared, ok := node.(*ast.GenDecl); ok && declared.Tok == token.CONST {
				for _, spec := range declared.Specs {
					for i, name := range spec.(*ast.ValueSpec).Names {
						h.consts[folder][name.Name] = nil
						if values := spec.(*ast.ValueSpec).Values; i < len(values) {
							h.consts[folder][name.Name] = values[i]
						}
					}
				}
			}
			return true
		})
		return nil
	}))
	return sources
}

const useHint = "; use shell.Hint, which quotes"

// isHint reports whether a member or variable of a name has a hint.
func isHint(name string) bool {
	last := name[strings.LastIndex(name, ".")+1:]
	return slices.Contains([]string{"Next", "next", "Fix", "Advice", "remedy"}, last)
}

// checkText fails if a text has a command of payctl, and a value is put into it or behind it.
func (h *hints) checkText(in place, literal *ast.BasicLit, above []ast.Node) {
	text, _ := h.text(in, literal)
	if !program.MatchString(text) {
		return
	}
	var whole ast.Node = literal
	for i := len(above) - 2; i >= 0; i-- {
		switch outer := above[i].(type) {
		case *ast.BinaryExpr:
			if outer.Op == token.ADD && outer.X == whole {
				if _, constant := h.text(in, outer.Y); !constant {
					h.fail(in, outer, "a command is joined with a value"+useHint)
				}
			}
			whole = outer
			continue
		case *ast.CallExpr:
			format, _ := h.text(in, whole.(ast.Expr))
			at := program.FindStringIndex(format)
			if at != nil && slices.Contains(outer.Args, whole.(ast.Expr)) && verb.MatchString(format[at[1]:]) {
				h.fail(in, outer, "a command is formatted with a value"+useHint)
			}
		}
		return
	}
}

// checkCall checks the arguments of a function that are hints.
func (h *hints) checkCall(in place, call *ast.CallExpr) {
	called := name(call.Fun)
	switch last := called[strings.LastIndex(called, ".")+1:]; {
	case last == "WithHint", last == "Hint", last == "remedy":
		h.checkHint(in, call.Args[len(call.Args)-1])
	case slices.Contains([]string{"Notef", "Warnf", "Successf"}, last):
		if format, _ := h.text(in, call.Args[0]); flagValue.MatchString(format) {
			h.fail(in, call, "a flag is formatted with a value"+useHint)
		}
	case called == "append" && isHint(name(call.Args[0])):
		for _, added := range call.Args[1:] {
			h.checkHint(in, added)
		}
	}
}

// checkHint fails if a hint is joined or formatted from values.
func (h *hints) checkHint(in place, hint ast.Expr) {
	switch hint := hint.(type) {
	case *ast.CompositeLit:
		for _, element := range hint.Elts {
			h.checkHint(in, element)
		}
	case *ast.BinaryExpr:
		for _, part := range []ast.Expr{hint.X, hint.Y} {
			if _, isJoined := part.(*ast.BinaryExpr); isJoined {
				h.checkHint(in, part)
			} else if !h.isPlain(in, part) {
				h.fail(in, part, "a hint is joined with a value"+useHint)
			}
		}
	case *ast.Ident:
		for _, assigned := range assignments(in, hint) {
			if _, isVariable := assigned.(*ast.Ident); !isVariable {
				h.checkHint(in, assigned)
			}
		}
	case *ast.CallExpr:
		if strings.HasPrefix(name(hint.Fun), "fmt.") {
			h.fail(in, hint, "a hint is formatted"+useHint)
		}
	}
}

// isPlain reports whether a part of a hint is a constant, or one of plainParts, or a variable that has been set to such.
func (h *hints) isPlain(in place, part ast.Expr) bool {
	if _, constant := h.text(in, part); constant {
		return true
	}
	if call, ok := part.(*ast.CallExpr); ok {
		called := name(call.Fun)
		if called == "strings.Join" || called == "string" {
			return h.isPlain(in, call.Args[0])
		}
		_, known := plainParts[called]
		h.used[called] = known
		return known || called == "shell.Hint"
	}
	if in.function == nil {
		return false
	}
	if variable := in.function.Name.Name + "." + name(part); plainParts[variable] != "" {
		h.used[variable] = true
		return true
	}
	assigned := assignments(in, part)
	return len(assigned) > 0 && !slices.ContainsFunc(assigned, func(value ast.Expr) bool { return !h.isPlain(in, value) })
}

// assignments are all values that a variable is given in its function.
func assignments(in place, variable ast.Expr) (values []ast.Expr) {
	identifier, ok := variable.(*ast.Ident)
	if !ok || in.function == nil {
		return nil
	}
	ast.Inspect(in.function, func(node ast.Node) bool {
		if assigned, ok := node.(*ast.AssignStmt); ok && len(assigned.Lhs) == len(assigned.Rhs) {
			for i, left := range assigned.Lhs {
				if name(left) == identifier.Name {
					values = append(values, assigned.Rhs[i])
				}
			}
		}
		return true
	})
	return values
}

// checkTemplate checks a call of shell.Hint: the hint is constant, it has each placeholder, and each command in it is one
// of payctl's, whose arguments are behind "--".
func (h *hints) checkTemplate(in place, call *ast.CallExpr) {
	candidates := []ast.Expr{call.Args[0]}
	if _, constant := h.text(in, call.Args[0]); !constant {
		candidates = assignments(in, call.Args[0])
	}
	var texts []string
	for _, candidate := range candidates {
		text, constant := h.text(in, candidate)
		if !constant {
			h.fail(in, candidate, "the hint is not constant")
		}
		texts = append(texts, text)
	}
	if len(texts) == 0 {
		h.fail(in, call, "the hint is not constant")
	}
	values, ok := call.Args[1].(*ast.CompositeLit)
	if !ok {
		h.fail(in, call, "the placeholders are not named here")
		return
	}
	var placeholders []string
	for _, element := range values.Elts {
		placeholder, constant := h.text(in, element.(*ast.KeyValueExpr).Key)
		isWord := func(text string) bool { return slices.Contains(hintWords(text), placeholder) }
		if !constant || !slices.ContainsFunc(texts, isWord) {
			h.fail(in, element, "no hint has the placeholder "+placeholder)
		}
		placeholders = append(placeholders, placeholder)
	}
	for _, text := range texts {
		for _, placeholder := range placeholders {
			before, _, _ := strings.Cut(text, placeholder)
			if strings.Count(before, "'")%2 != 0 || strings.Count(before, `"`)%2 != 0 {
				h.fail(in, call, "to a shell, the apostrophe before "+placeholder+" ends at the quotes of its value")
			}
		}
		for _, line := range commandLines(text) {
			if problem := checkLine(line, placeholders); problem != "" {
				h.fail(in, call, problem+": payctl "+line)
			}
		}
	}
}

func hintWords(text string) []string {
	words := strings.Split(text, " ")
	for i := range words {
		words[i] = strings.Trim(words[i], "(),")
	}
	return words
}

// commandLines are what follows "payctl " in a hint, up to a remark in parentheses.
func commandLines(text string) (lines []string) {
	for _, at := range program.FindAllStringIndex(text, -1) {
		line, _, _ := strings.Cut(text[at[0]+len("payctl "):], "   (")
		lines = append(lines, line)
	}
	return lines
}

// checkLine returns why a line is no command of payctl, or could take a placeholder's value for a flag.
func checkLine(line string, placeholders []string) string {
	cmd, rest, err := app.Command().Find(strings.Fields(line))
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if err != nil {
		return err.Error()
	}
	arguments := cmd.Flags().Args()
	if cmd.HasSubCommands() && len(arguments) > 0 {
		return "there is no such command"
	}
	behind := cmd.Flags().ArgsLenAtDash()
	for i, argument := range arguments {
		if slices.Contains(placeholders, argument) && (behind < 0 || i < behind) {
			return "-- is missing before " + argument
		}
	}
	var swallowed string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if strings.HasPrefix(f.Value.String(), "-") {
			swallowed = "--" + f.Name + " has no value"
		}
	})
	return swallowed
}

// text returns the text of a constant, and reports whether an expression is one. The text of a constant of a type other
// than string may be empty.
func (h *hints) text(in place, expression ast.Expr) (text string, constant bool) {
	switch e := expression.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text, true
	case *ast.ParenExpr:
		return h.text(in, e.X)
	case *ast.BinaryExpr:
		left, first := h.text(in, e.X)
		right, second := h.text(in, e.Y)
		return left + right, first && second && e.Op == token.ADD
	case *ast.Ident:
		return h.constant(in, in.folder, e.Name)
	case *ast.SelectorExpr:
		for _, imported := range in.file.Imports {
			path, _ := strconv.Unquote(imported.Path.Value)
			if folder, ours := strings.CutPrefix(path, module); ours && filepath.Base(folder) == name(e.X) {
				return h.constant(in, folder, e.Sel.Name)
			}
		}
	}
	return "", false
}

// constant returns the text of a named constant of a folder.
func (h *hints) constant(in place, folder, name string) (string, bool) {
	value, ok := h.consts[folder][name]
	if !ok || value == nil {
		return "", ok
	}
	in.folder = folder
	text, _ := h.text(in, value)
	return text, true
}

func (h *hints) fail(in place, node ast.Node, why string) {
	function := ""
	if in.function != nil {
		function = " in " + in.function.Name.Name
	}
	h.Errorf("%s%s: %s", h.files.Position(node.Pos()), function, why)
}

// name returns the name of a variable, a member or a function as it is written, such as "e.Next".
func name(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return strings.TrimPrefix(name(e.X)+"."+e.Sel.Name, ".")
	}
	return ""
}
