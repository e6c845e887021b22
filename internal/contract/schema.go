package contract

// Kind is the JSON type that a schema allows.
type Kind uint8

// The kinds of schema. Any allows every type.
const (
	Any Kind = iota
	String
	Integer
	Boolean
	Array
	Object
)

var kindWords = [...]string{"a value", "a string", "a whole number", "true or false", "an array", "an object"}

// String is the kind in words, with its article.
func (k Kind) String() string { return kindWords[k] }

// A Schema is one schema of the OpenAPI document, ready to validate with. Limits that are zero are not there.
type Schema struct {
	Kind     Kind
	Nullable bool
	Enum     []string
	Pattern  string
	Form     string // Pattern in words
	Format   string // date, date-time, email or byte; others are not checked

	MinLength, MaxLength int // characters
	MinItems, MaxItems   int
	MaxProperties        int
	Bounded              bool // Minimum and Maximum hold
	Minimum, Maximum     int64

	Items   *Schema   // of an array
	Members []Member  // of an object, sorted by name
	Values  *Schema   // of an object's members that Members does not name
	OneOf   []*Schema // told apart by their Kind
}

// A Member is a named part of an object, or a query parameter.
type Member struct {
	Name         string
	Schema       *Schema
	Required     bool
	RequiredWhen *Condition // required only then
}

// A Condition holds when a sibling member has a value.
type Condition struct{ Member, Value string }
