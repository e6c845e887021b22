package contract

import "strings"

// JSONType is the type that a schema allows.
type JSONType uint8

// The kinds of schema. Any allows every type.
const (
	Any JSONType = iota
	String
	Integer
	Boolean
	Array
	Object
	null // is allowed beside another kind, by Nullable
)

var typeWords = [...]string{"a value", "a string", "a whole number", "true or false", "an array", "an object"}

// String returns the kind in words, with its article.
func (t JSONType) String() string { return typeWords[t] }

// A Schema is one schema of the OpenAPI document, ready for validation. A limit of zero means none.
type Schema struct {
	Type     JSONType
	Nullable bool
	Enum     []string
	Pattern  string
	Format   string // date, date-time, email and byte are checked

	MinLength, MaxLength int // characters
	MinItems, MaxItems   int
	MaxProperties        int
	MaxNameLength        int  // characters in the name of a member that Members does not name
	Bounded              bool // Minimum and Maximum apply
	Minimum, Maximum     int64

	Items   *Schema   // of an array
	Members []Member  // of an object, sorted by name
	Values  *Schema   // of an object's members that Members does not name
	OneOf   []*Schema // distinguished by their Type
}

// Has reports whether an object has a member with a name.
func (s *Schema) Has(name string) bool {
	_, known := s.member([]byte(name))
	return known
}

// Member returns the schema of a member of an object, or nil.
func (s *Schema) Member(name []byte) *Schema {
	if i, known := s.member(name); known {
		return s.Members[i].Schema
	}
	return nil
}

// A Member is a named part of an object, or a query parameter.
type Member struct {
	Name         string
	Schema       *Schema
	Required     bool
	RequiredWhen *Condition // if not nil, required only then
}

// A Condition holds when a sibling member has a value.
type Condition struct{ Member, Value string }

// A Response describes a response of an operation.
type Response struct {
	Headers []Member // sorted by name; canonical names
	Content []Media  // empty if it has no body
}

// A Media is one form of a response's body.
type Media struct {
	Type   string
	Schema *Schema
}

// A StatusResponse is the Response of one status, or of a range by its first digit (4 is 4XX). Zero means every other
// status.
type StatusResponse struct {
	Status   int
	Response *Response
}

// ResponseFor returns the Response of a status, or nil. A status takes precedence over its range, and a range over the
// default (OpenAPI 3.0.3 "Responses Object").
func (op *Operation) ResponseFor(status int) *Response {
	for _, wanted := range [...]int{status, status / 100, 0} {
		for _, answer := range op.Responses {
			if answer.Status == wanted {
				return answer.Response
			}
		}
	}
	return nil
}

// SuccessSchema returns the schema of the body of the operation's usual success. It has no members if there is no body.
func (op *Operation) SuccessSchema() *Schema {
	if content := op.ResponseFor(op.Success).Content; len(content) > 0 {
		return content[0].Schema
	}
	return &Schema{}
}

// Shown returns the schema of the operation's answer. For a list it is the schema of a row.
func (op *Operation) Shown() (shown *Schema, isList bool) {
	shown = op.SuccessSchema()
	i, isList := shown.member([]byte("data"))
	if isList {
		shown = shown.Members[i].Schema.Items
	}
	return shown, isList
}

// IsSandbox reports whether only the reference service has the operation.
func (op *Operation) IsSandbox() bool { return strings.HasPrefix(op.Path, "/sandbox/") }
