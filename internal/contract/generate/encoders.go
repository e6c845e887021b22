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

// An encoders writes the functions that encode wire types. It knows the types as they were generated, so that a function
// and the type's tags cannot part.
type encoders struct {
	structs map[string]*ast.StructType
	texts   map[string]bool // types that are strings
	maps    map[string]bool // types that are maps of strings
	names   []string        // of the structs that get an encoder, in their order
	lists   []string        // the types of whose lists a function is needed
	b       strings.Builder
}

// renderEncoders is the source of an encoder for each wire type that consists of nothing but types it knows; the others are
// left to the JSON library.
func renderEncoders(d *document) ([]byte, error) {
	e, err := readEncoders(d)
	if err != nil {
		return nil, err
	}
	e.b.WriteString(encodersHead)
	for _, name := range e.names {
		e.encoder(name)
	}
	slices.Sort(e.lists)
	for _, name := range slices.Compact(e.lists) {
		fmt.Fprintf(&e.b, "\nfunc append%ss(b []byte, list []%s) []byte {\n\tb = append(b, '[')\n\tfor i := range list {\n"+
			"if i > 0 {\nb = append(b, ',')\n}\nb = list[i].AppendJSON(b)\n}\nreturn append(b, ']')\n}\n", name, name)
	}
	return format.Source([]byte(e.b.String()))
}

// renderEncoderTests is the source of a test that holds each encoder to the library.
func renderEncoderTests(d *document) ([]byte, error) {
	e, err := readEncoders(d)
	if err != nil {
		return nil, err
	}
	e.b.WriteString(encodersHead + "\nimport \"testing\"\n\n" +
		"// TestGeneratedEncodersWriteWhatTheLibraryWrites, in bytes, for each type that has one.\n" +
		"func TestGeneratedEncodersWriteWhatTheLibraryWrites(t *testing.T) {\nt.Parallel()\n")
	for _, name := range e.names {
		fmt.Fprintf(&e.b, "holdsToLibrary[%s](t)\n", name)
	}
	e.b.WriteString("}\n")
	return format.Source([]byte(e.b.String()))
}

// encodersHead begins both files.
const encodersHead = "// Code generated from internal/contract/openapi.yaml. DO NOT EDIT.\n\npackage payments\n"

// readEncoders reads the wire types, and which of them get an encoder.
func readEncoders(d *document) (*encoders, error) {
	source, err := renderTypes(d)
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), "types.gen.go", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	e := &encoders{structs: map[string]*ast.StructType{}, texts: map[string]bool{}, maps: map[string]bool{}}
	for _, declaration := range file.Decls {
		if group, ok := declaration.(*ast.GenDecl); ok && group.Tok == token.TYPE {
			for _, spec := range group.Specs {
				e.declared(spec.(*ast.TypeSpec))
			}
		}
	}
	e.names = slices.DeleteFunc(e.names, func(name string) bool { return !e.known(name) })
	return e, nil
}

func (e *encoders) declared(spec *ast.TypeSpec) {
	name := spec.Name.Name
	if spec.Assign.IsValid() {
		return // another name for a type
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

// known says whether a struct consists of nothing but known types.
func (e *encoders) known(name string) bool {
	t, ok := e.structs[name]
	return ok && !slices.ContainsFunc(t.Fields.List, func(f *ast.Field) bool {
		of := strings.TrimLeft(types.ExprString(f.Type), "*[]")
		return e.value(of, "") == "" && !e.known(of)
	})
}

// value is an expression that adds a value of a type to b; empty for a type that has none.
func (e *encoders) value(of, value string) string {
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

func (e *encoders) encoder(name string) {
	fmt.Fprintf(&e.b, "\n// AppendJSON adds the %s as it goes over the wire.\nfunc (v %s) AppendJSON(b []byte) []byte {\nstart := len(b)\n", name, name)
	for _, field := range e.structs[name].Fields.List {
		e.field(field)
	}
	e.b.WriteString("return closeObject(b, start)\n}\n")
}

// field writes what adds a member, comma and name before it.
func (e *encoders) field(f *ast.Field) {
	tag, _ := strconv.Unquote(f.Tag.Value)
	name, optional, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	field, of := "v."+f.Names[0].Name, types.ExprString(f.Type)
	value, present := e.value(of, field), field+` != ""`
	pointed, isPointer := strings.CutPrefix(of, "*")
	element, isList := strings.CutPrefix(of, "[]")
	switch {
	case isPointer:
		present = field + " != nil"
		if pointed == "time.Time" && strings.Contains(optional, "omitzero") { // it says itself whether it is zero
			present += " && !" + field + ".IsZero()"
		}
		if e.structs[pointed] == nil {
			field = "*" + field
		}
		value = e.value(pointed, field)
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
