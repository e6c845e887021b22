package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/format"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// goTypes names the handwritten types of schemas and members in package payments.
var goTypes = map[string]string{
	"Amount": "money.Decimal", "NullableAmount": "Amount", "RouteReference": "RouteChoice",
	"AccountPatch": "MergePatch", "AddressPatch": "MergePatch", "MetadataPatch": "MergePatch",
	"SavedContactPatch": "MergePatch",
	"Problem.errors":    "FieldErrors", "SandboxSnapshot.world": "SandboxContent",
}

// pointers are members that are pointers although null is not allowed. An empty text, time or number may differ from an
// absent one, or the value is large and often absent.
var pointers = []string{
	"RouteEndpoint.currency", "RouteEndpoint.paymentRail", "RouteEndpoint.provider", "SandboxClockSettings.now",
	"Transfer.depositInstructions", "AvailableEndpoint.decimals",
}

// received are the resources that have the service's document in a field Document.
var received = []string{"Account", "KYC", "SavedContact", "Transfer", "Event", "TransferInfo"}

// open are the requests that may have members beyond the contract.
var open = []string{"AccountDetails", "SavedContactDetails", "NewAutoTransfer"}

// renderTypes generates the wire types, with members in the document's order. Members that may be null are pointers,
// and so are optional members whose absence differs from zero.
func renderTypes(d *document) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("// Code generated from internal/contract/openapi.yaml. DO NOT EDIT.\n\npackage payments\n\n" +
		"import (\n\t\"time\"\n\n\t\"github.com/go-json-experiment/json/jsontext\"\n\n" +
		"\t\"github.com/payctl/payctl/internal/money\"\n)\n")
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		switch s := d.Components.Schemas[name].Value; {
		case goTypes[name] != "" || len(s.AllOf) == 1:
			writeComment(&b, "\n// "+name+" ", s.Description)
			fmt.Fprintf(&b, "type %s = %s\n", name, goType(name, &openapi3.SchemaRef{Value: s}))
		case len(s.Properties) > 0 || len(s.AllOf) > 0:
			writeStruct(&b, name, s)
		case s.Type.Is("string") && len(s.Enum) > 0:
			writeEnumeration(&b, name, s)
		case !s.Type.Is("string"):
			writeComment(&b, "\n// "+name+" ", s.Description)
			fmt.Fprintf(&b, "type %s %s\n", name, goType("", &openapi3.SchemaRef{Value: s}))
		}
	}
	return format.Source(b.Bytes())
}

// writeComment writes a description without the mark of what is published, which is for the readers of the document.
func writeComment(b *bytes.Buffer, head, description string) {
	text := strings.TrimSuffix(strings.TrimSpace(description), " `published`")
	b.WriteString(head + strings.ReplaceAll(text, "\n", "\n// ") + "\n")
}

func writeStruct(b *bytes.Buffer, name string, s *openapi3.Schema) {
	merged := flatten(s)
	writeComment(b, "\n// "+name+" ", s.Description)
	fmt.Fprintf(b, "type %s struct {\n", name)
	isReceived := slices.Contains(received, name)
	if isReceived {
		b.WriteString("// Document is what the service sent. Nil means that nothing was received.\nDocument jsontext.Value " +
			"`json:\"-\"`\n\n")
	}
	if slices.Contains(open, name) {
		b.WriteString("// Further are members that the contract does not have.\nFurther map[string]jsontext.Value " +
			"`json:\",embed\"`\n\n")
	}
	if merged.Properties["nextCursor"] != nil {
		b.WriteString("// End is what a page without a cursor says of the rest of its list.\nEnd ListEnd `json:\"-\"`\n\n")
	}
	for _, member := range members(s) {
		ref := merged.Properties[member]
		full, isRequired := name+"."+member, slices.Contains(merged.Required, member)
		of, omit := goType(full, ref), ",omitempty,omitzero"
		if slices.Contains(pointers, full) || isNullable(ref.Value) || !isRequired && needsPointer(of, ref.Value) {
			of, omit = "*"+of, ",omitzero"
		}
		if isRequired {
			omit = ""
		}
		writeComment(b, "// "+goName(member)+" ", ref.Value.Description)
		fmt.Fprintf(b, "%s %s `json:\"%s%s\"`\n\n", goName(member), of, member, omit)
	}
	b.WriteString("}\n")
	if isReceived {
		fmt.Fprintf(b, "\n// Received returns the document in which a service sent it. Nil means that none did.\n"+
			"func (r %s) Received() jsontext.Value { return r.Document }\n", name)
	}
}

func writeEnumeration(b *bytes.Buffer, name string, s *openapi3.Schema) {
	var names []string
	writeComment(b, "\n// "+name+" ", s.Description)
	fmt.Fprintf(b, "type %s string\n\n// The values of %s.\nconst (\n", name, name)
	for _, value := range s.Enum {
		names = append(names, name+goName(fmt.Sprint(value)))
		fmt.Fprintf(b, "%s %s = %q\n", names[len(names)-1], name, value)
	}
	fmt.Fprintf(b, ")\n\n// Valid reports whether the value is one of the contract.\nfunc (v %s) Valid() bool {\nswitch "+
		"v {\ncase %s:\n"+
		"return true\n}\nreturn false\n}\n", name, strings.Join(names, ",\n"))
}

// goType returns the Go type of a member, or of what a schema without members describes.
func goType(member string, ref *openapi3.SchemaRef) string {
	switch s := ref.Value; {
	case goTypes[member] != "":
		return goTypes[member]
	case ref.Ref != "" && (!s.Type.Is("string") || len(s.Enum) > 0 || goTypes[refName(ref.Ref)] != ""):
		return refName(ref.Ref)
	case len(s.AllOf) == 1:
		return goType("", s.AllOf[0])
	case s.Type.Is("string") && s.Format == "date-time":
		return "time.Time"
	case s.Type.Is("integer"):
		return "int"
	case s.Type.Is("boolean"):
		return "bool"
	case s.Type.Is("array"):
		return "[]" + goType("", s.Items)
	case s.Type.Is("object"):
		return "map[string]" + goType("", s.AdditionalProperties.Schema)
	}
	return "string"
}

func isNullable(s *openapi3.Schema) bool {
	return s.Nullable || len(s.AllOf) == 1 && isNullable(s.AllOf[0].Value)
}

// needsPointer reports whether an optional member has to be a pointer: structs and amounts, whose zero value would be
// encoded.
func needsPointer(goType string, s *openapi3.Schema) bool {
	if len(s.AllOf) == 1 {
		return needsPointer(goType, s.AllOf[0].Value)
	}
	return len(s.Properties) > 0 || goTypes[goType] != "" && s.Pattern != ""
}

// members returns the names of a schema's members, with those of its allOf branches, in the order of the document.
func members(s *openapi3.Schema) []string {
	line := func(name string) int {
		ref := s.Properties[name]
		if ref.Ref != "" {
			return ref.Origin.Key.Line
		}
		return ref.Value.Origin.Key.Line
	}
	names := slices.SortedFunc(maps.Keys(s.Properties), func(a, b string) int { return cmp.Compare(line(a), line(b)) })
	for _, branch := range s.AllOf {
		names = append(names, members(branch.Value)...)
	}
	return names
}

var nameWord = regexp.MustCompile(`[A-Z]?[a-z0-9]+|[A-Z]+`)

// goName returns a member's name, or a value, in Go's style.
func goName(name string) string {
	words := strings.NewReplacer("_", " ", ".", " ").Replace(name)
	return strings.ReplaceAll(nameWord.ReplaceAllStringFunc(words, func(word string) string {
		if slices.Contains([]string{"id", "url", "kyc", "iban", "bic", "clabe", "pix"}, strings.ToLower(word)) {
			return strings.ToUpper(word)
		}
		return strings.ToUpper(word[:1]) + word[1:]
	}), " ", "")
}
