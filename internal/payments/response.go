package payments

// A Response is a complete HTTP response.
type Response struct {
	// Method and Path are the request's; the path is escaped as it was sent.
	Method, Path string
	Status       int
	Header       map[string][]string // by canonical name
	Body         []byte              // decompressed; for HEAD, what a check has in its place
}

// A ListEnd is what a page without a cursor says of the rest of its list.
type ListEnd uint8

// What a page says.
const (
	ListMayGoOn ListEnd = iota // nothing
	ListEnds                   // that no row follows
	ListIsCut                  // that rows follow, and not how to read them
)
