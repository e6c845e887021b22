package main

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// An encoderGenerator generates the functions that encode wire types. It reads the generated types, so that a function and
// the tags of its type cannot differ.
type encoderGenerator struct {
	structs map[string]*ast.StructType
	texts   map[string]bool // names of string types
	maps    map[string]bool // names of types that map strings to strings
	names   []string        // of the structs that get an encoder, in order
	lists   []string        // element types of lists that need a function
	b       strings.Builder
}

// renderEncoders generates an encoder for each wire type whose members all have types that it can encode. The JSON library
// encodes the others.
func renderEncoders(d *document) ([]byte, error) {
	e, err := readEncoders(d)
	if err != nil {
		return nil, err
	}
	e.b.WriteString(encodersHead)
	for _, name := range e.names {
		e.writeEncoder(name)
	}
	slices.Sort(e.lists)
	for _, name := range slices.Compact(e.lists) {
		fmt.Fprintf(&e.b, "\nfunc append%ss(b []byte, list []%s) []byte {\n\tb = append(b, '[')\n\tfor i := range list {\n"+
			"if i > 0 {\nb = append(b, ',')\n}\nb = list[i].AppendJSON(b)\n}\nreturn append(b, ']')\n}\n", name, name)
	}
	return format.Source([]byte(e.b.String()))
}

// renderEncoderTests generates a test that compares each encoder with the JSON library.
func renderEncoderTests(d *document) ([]byte, error) {
	e, err := readEncoders(d)
	if err != nil {
		return nil, err
	}
	e.b.WriteString(encodersHead + "\nimport \"testing\"\n\n" +
		"// TestGeneratedEncodersWriteWhatTheLibraryWrites compares the bytes of each encoder with the library's.\n" +
		"func TestGeneratedEncodersWriteWhatTheLibraryWrites(t *testing.T) {\nt.Parallel()\n")
	for _, name := range e.names {
		fmt.Fprintf(&e.b, "holdsToLibrary[%s](t)\n", name)
	}
	e.b.WriteString("}\n")
	return format.Source([]byte(e.b.String()))
}

// encodersHead is the beginning of both files.
const encodersHead = "// Code generated from internal/contract/openapi.yaml. DO NOT EDIT.\n\npackage payments\n"

// readEncoders reads the generated wire types and selects those that get an encoder.
func readEncoders(d *document) (*encoderGenerator, error) {
	source, err := renderTypes(d)
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), "types.gen.go", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	e := &encoderGenerator{structs: map[string]*ast.StructType{}, texts: map[string]bool{}, maps: map[string]bool{}}
	for _, declaration := range file.Decls {
		if group, ok := declaration.(*ast.GenDecl); ok && group.Tok == token.TYPE {
			for _, spec := range group.Specs {
				e.addType(spec.(*ast.TypeSpec))
			}
		}
	}
	e.names = slices.DeleteFunc(e.names, func(name string) bool { return !e.isComplete(name) })
	return e, nil
}

func (e *encoderGenerator) addType(spec *ast.TypeSpec) {
	name := spec.Name.Name
	if spec.Assign.IsValid() {
		return // an alias
	}
	switch t := spec.Type.(type) {
	case *ast.StructType:
		e.structs[name] = t
		e.names = append(e.names, name)
	case *ast.Ident:
		e.texts[name] = t.Name == "string"
	case *ast.MapType:
		e.maps[name] = types.ExprString(t) == "map[string]string"
	}
}

// isComplete reports whether all members of a struct have types that can be encoded.
func (e *encoderGenerator) isComplete(name string) bool {
	t, ok := e.structs[name]
	return ok && !slices.ContainsFunc(t.Fields.List, func(f *ast.Field) bool {
		of := strings.TrimLeft(types.ExprString(f.Type), "*[]")
		return e.appendExpression(of, "") == "" && !e.isComplete(of)
	})
}

// appendExpression returns a Go expression that appends a value of a type to b, or an empty string if there is none.
func (e *encoderGenerator) appendExpression(of, value string) string {
	switch {
	case of == "string":
		return "appendString(b, " + value + ")"
	case e.texts[of]:
		return "appendString(b, string(" + value + "))"
	case of == "bool", of == "int", of == "Amount":
		return "append" + strings.ToUpper(of[:1]) + of[1:] + "(b, " + value + ")"
	case of == "time.Time":
		return "appendTime(b, " + value + ")"
	case e.maps[of]:
		return "appendMap(b, " + value + ")"
	case e.structs[of] != nil && value != "":
		return value + ".AppendJSON(b)"
	}
	return ""
}

func (e *encoderGenerator) writeEncoder(name string) {
	fmt.Fprintf(&e.b, "\n// AppendJSON appends the JSON of a %s.\nfunc (v %s) AppendJSON(b []byte) []byte {\nstart := len(b)\n", name, name)
	for _, field := range e.structs[name].Fields.List {
		e.writeField(field)
	}
	e.b.WriteString("return closeObject(b, start)\n}\n")
}

// writeField writes the statements that append a member, after a comma and its name.
func (e *encoderGenerator) writeField(f *ast.Field) {
	tag, _ := strconv.Unquote(f.Tag.Value)
	name, optional, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	field, of := "v."+f.Names[0].Name, types.ExprString(f.Type)
	value, present := e.appendExpression(of, field), field+` != ""`
	pointed, isPointer := strings.CutPrefix(of, "*")
	element, isList := strings.CutPrefix(of, "[]")
	switch {
	case isPointer:
		present = field + " != nil"
		if pointed == "time.Time" && strings.Contains(optional, "omitzero") { // the library omits a zero time, too
			present += " && !" + field + ".IsZero()"
		}
		if e.structs[pointed] == nil {
			field = "*" + field
		}
		value = e.appendExpression(pointed, field)
	case isList:
		present = "len(" + field + ") > 0"
		if !strings.Contains(optional, "omitempty") {
			present = field + " != nil"
		}
		value = "append" + strings.ToUpper(element[:1]) + element[1:] + "s(b, " + field + ")"
		if element != "string" {
			e.lists = append(e.lists, element)
		}
	case e.maps[of]:
		present = "len(" + field + ") > 0"
	case of == "int":
		present = field + " != 0"
	}
	member := fmt.Sprintf("b = append(b, `,%q:`...)\nb = %s\n", name, value)
	switch {
	case optional != "":
		member = "if " + present + " {\n" + member + "}\n"
	case isPointer:
		member = "if " + present + " {\n" + member + "} else {\n" + fmt.Sprintf("b = append(b, `,%q:null`...)\n", name) + "}\n"
	}
	e.b.WriteString(member)
}
