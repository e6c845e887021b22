package payments

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A MergePatch is a JSON Merge Patch (RFC 7396) of an object. A nil value removes the member. Its values are those that
// the JSON library decodes into any.
type MergePatch map[string]any

// Apply returns a changed copy of a document (RFC 7396 section 2).
func (p MergePatch) Apply(document map[string]any) map[string]any {
	merged := maps.Clone(document)
	if merged == nil {
		merged = map[string]any{}
	}
	for name, value := range p {
		switch value := value.(type) {
		case nil:
			delete(merged, name)
		case map[string]any:
			object, _ := merged[name].(map[string]any)
			merged[name] = MergePatch(value).Apply(object)
		default:
			merged[name] = value
		}
	}
	return merged
}

// Document returns the JSON object of a value.
func Document(value any) (document map[string]any, err error) {
	encoded, err := Encode(value)
	if err == nil {
		err = json.Unmarshal(encoded, &document)
	}
	return document, err
}

// Changed returns the sorted names of the members that differ between two documents.
func Changed(before, after map[string]any) (names []string) {
	all := map[string]any{}
	maps.Copy(all, before)
	maps.Copy(all, after)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !reflect.DeepEqual(before[name], after[name]) {
			names = append(names, name)
		}
	}
	return names
}

// Encode returns a value's JSON, always in the same order. Invalid UTF-8 is replaced. It does not look for duplicate
// names, because no value has them.
func Encode(value any) ([]byte, error) {
	return json.Marshal(value, json.Deterministic(true), jsontext.AllowInvalidUTF8(true),
		jsontext.AllowDuplicateNames(true))
}

// FingerprintOf returns the SHA-256 of a request's method, path and body, in hexadecimal. It tells whether a key is
// used again for the same request. White space, the order of members and other ways to write the same JSON value do not
// matter (RFC 8785).
func FingerprintOf(method, path string, body []byte) string {
	canonical := jsontext.Value(bytes.Clone(body))
	if canonical.Canonicalize() != nil { // not JSON
		canonical = body
	}
	sum := sha256.New()
	sum.Write([]byte(method + " " + path + "\n"))
	sum.Write(canonical)
	return hex.EncodeToString(sum.Sum(nil))
}

// A Path has the names of the members around a text in a JSON document. The innermost is last.
type Path []string

// Name returns the innermost name, or "" outside objects.
func (p Path) Name() string {
	if len(p) == 0 {
		return ""
	}
	return p[len(p)-1]
}

// RewriteJSON rewrites each text and number of JSON texts with rewrite, and each name with rename. A malformed or cut
// document is written up to the fault. Whole reports that there was no fault.
func RewriteJSON(
	body []byte, rename func(string) string, rewrite func(at Path, text string) string,
) (written []byte, whole bool) {
	decoder := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true))
	written = make([]byte, 0, len(body))
	path, lengths := make(Path, 0, 8), make([]int, 0, 8) // lengths of the path, of each open object and array
	for {
		container, count := decoder.StackIndex(decoder.StackDepth())
		token, err := decoder.ReadToken()
		if err != nil {
			return written, decoder.StackDepth() == 0 && decoder.InputOffset() >= int64(len(bytes.TrimRight(body, " \t\r\n")))
		}
		kind := token.Kind()
		isEnd := kind == '}' || kind == ']'
		isName := container == '{' && count%2 == 0 && !isEnd
		switch {
		case isEnd:
		case container == '{' && !isName:
			written = append(written, ':')
		case container != 0 && count > 0:
			written = append(written, ',')
		}
		was := token.String()
		is := was
		switch {
		case isName:
			is, path = rename(was), append(path[:lengths[len(lengths)-1]], was)
		case isEnd:
			path, lengths = path[:lengths[len(lengths)-1]], lengths[:len(lengths)-1]
		case kind == '{', kind == '[':
			lengths = append(lengths, len(path))
		case kind == '"', kind == '0':
			is = rewrite(path, was)
		}
		if kind == '"' || is != was {
			written, _ = jsontext.AppendQuote(written, is)
		} else {
			written = append(written, was...)
		}
	}
}
