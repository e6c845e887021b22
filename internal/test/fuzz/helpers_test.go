package fuzz

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A target is a fuzz target: its name and the folder of its package.
type target struct{ name, folder string }

// corpus is the folder with the inputs of a target that are kept.
func (t target) corpus() string { return filepath.Join(t.folder, "testdata", "fuzz", t.name) }

// seeds counts the inputs of a target that are kept.
func (t target) seeds() (int, error) {
	entries, err := os.ReadDir(t.corpus())
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	return len(entries), err
}

// targets finds every fuzz target below a folder by its declaration, in the order of their folders and files.
func targets(root string) ([]target, error) {
	var found []target
	err := eachFile(root, func(path string, file *ast.File) {
		if !strings.HasSuffix(path, "_test.go") {
			return
		}
		for _, f := range functions(file) {
			if isTarget(f) {
				found = append(found, target{f.Name.Name, filepath.Dir(path)})
			}
		}
	})
	return found, err
}

// isTarget reports whether a function is a fuzz target: FuzzX(*testing.F).
func isTarget(f *ast.FuncDecl) bool {
	if f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Fuzz") || len(f.Type.Params.List) != 1 {
		return false
	}
	pointer, ok := f.Type.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	of, ok := pointer.X.(*ast.SelectorExpr)
	return ok && of.Sel.Name == "F"
}

func functions(file *ast.File) []*ast.FuncDecl {
	var found []*ast.FuncDecl
	for _, declaration := range file.Decls {
		if f, ok := declaration.(*ast.FuncDecl); ok {
			found = append(found, f)
		}
	}
	return found
}

// eachFile visits the Go files below a folder.
func eachFile(root string, visit func(path string, file *ast.File)) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != root && (slices.Contains([]string{"testdata", "bin", "dist"}, entry.Name()) || strings.HasPrefix(entry.Name(), ".")) {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		visit(path, file)
		return nil
	})
}
