package deps

// A Call is an HTTP request to the service, below the base URL.
type Call struct {
	Method string // in capitals
	Path   string // begins with a slash, is escaped, and may have a query
	Query  map[string][]string
	Header map[string][]string // by canonical name
	Body   []byte
	// Key is the idempotency key of a call that may change something, where the header has none.
	Key string
}

// An Answer is a complete HTTP answer.
type Answer struct {
	Line   string // the status line, such as HTTP/1.1 200 OK
	Status int
	Header map[string][]string // by canonical name
	Body   []byte
}
