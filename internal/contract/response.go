package contract

import "strings"

// A Response is an answer that an operation may give.
type Response struct {
	Headers []Member // sorted by name; canonical names
	Content []Media  // empty: it has no body
}

// A Media is one form of an answer's body.
type Media struct {
	Type   string
	Schema *Schema
}

// An Answer says which status has which Response: a status, the first digit of a range of them (4 is 4XX), or zero for
// any that is not named.
type Answer struct {
	Status   int
	Response *Response
}

// Answer finds what the contract says of an answer with a status: the status itself counts before its range, and that
// before what is said of any other (OpenAPI 3.0.3 "Responses Object"). It is nil when the contract says nothing.
func (op *Operation) Answer(status int) *Response {
	for _, wanted := range [...]int{status, status / 100, 0} {
		for _, answer := range op.Answers {
			if answer.Status == wanted {
				return answer.Response
			}
		}
	}
	return nil
}

// IsSandbox says whether only the reference service has the operation.
func (op *Operation) IsSandbox() bool { return strings.HasPrefix(op.Path, "/sandbox/") }
