package payments

// A Response is a complete HTTP response.
type Response struct {
	// Method and Path are the request's. The path is escaped as sent.
	Method, Path string
	Status       int
	Header       map[string][]string // by canonical name
	Body         []byte              // decompressed; a check may set it for HEAD
}

// A ListEnd is what a page without a cursor says about the rest of its list.
type ListEnd uint8

// What a page says.
const (
	ListMayGoOn ListEnd = iota // nothing
	ListEnds                   // that no row follows
	ListIsCut                  // that rows follow, but not how to read them
)
