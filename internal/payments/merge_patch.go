package payments

import (
	"maps"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json"
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
