// Package servicemap describes how a service differs from the contract where that is assumed: where it has its operations, what it
// calls the members of its documents, and its words for statuses.
package servicemap

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// A Map says how a service differs from the contract where that is assumed, as a profile has it. Names are those of
// the contract. The zero value is a service that does not differ.
type Map struct {
	// Operations maps an operationId to the "METHOD /path" that the service has, with as many {parameters}.
	Operations map[string]string
	// Members maps a member such as transfer.id to the JSON Pointer (RFC 6901) at which the service has it.
	Members map[string]string
	// Values maps a status such as kyc.approved to the service's words for it, separated by commas.
	Values map[string]string
	// KeyHeader is the header field of idempotency keys; empty for Idempotency-Key.
	KeyHeader string
}

// A Route is the method and the path template at which the service has an operation.
type Route struct{ Method, Path string }

// Check returns why a profile cannot have a value for a name: in the setting operations an operationId, in
// members one such as transfer.id, in values one such as kyc.approved. It is nil if it can.
func Check(setting, name, value string) error {
	switch setting {
	case "operations":
		return checkOperation(name, value)
	case "members":
		return checkMember(name, value)
	}
	return checkWords(name, value)
}

// checkOperation returns why an operation cannot be at a "METHOD /path". A published operation keeps its path, which the
// service promises; its method need not be published.
func checkOperation(id, text string) error {
	op := contract.Find(id)
	if op == nil {
		return fmt.Errorf("there is no operation %s; payctl help operations lists those that can be mapped", id)
	}
	method, path, _ := strings.Cut(text, " ")
	switch {
	case !slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE"}, method):
		return errors.New("it does not begin with GET, POST, PUT, PATCH or DELETE")
	case method == "GET" && !op.IsRead():
		return errors.New("it changes something, which GET must not")
	case op.Origin != contract.Assumed && path != op.Path:
		return fmt.Errorf("the path of %s is published: the service promises it at %s, so only its method can differ", id, op.Path)
	case !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "?# \t\r\n"):
		return errors.New("the path must begin with a slash and have no query, fragment or space")
	case strings.Count(path, "{") != strings.Count(op.Path, "{"), strings.Count(path, "}") != strings.Count(op.Path, "}"):
		return errors.New("the path must have as many {parameters} as " + op.Path)
	}
	return nil
}

func checkMember(name, pointer string) error {
	kind, member, _ := strings.Cut(name, ".")
	r := contract.ResourceNamed(kind)
	switch {
	case r.Name == "":
		var known []string
		for _, r := range contract.Resources {
			if r.Name != "" {
				known = append(known, r.Name)
			}
		}
		return fmt.Errorf("there are members of %s, as in transfer.id, and none of %q", strings.Join(known, ", "), kind)
	case !r.Schema().Has(member) && !(kind == "list" && isPageParameter(member)):
		return fmt.Errorf("the contract has no member %q in %s; payctl contract show %s lists them", member, kind, cmp.Or(r.Type, "TransferPage"))
	case !strings.HasPrefix(pointer, "/") || !jsontext.Pointer(pointer).IsValid():
		return errors.New("the place is a JSON Pointer such as /data/status")
	}
	return nil
}

// isPageParameter reports whether lists take a query parameter of this name that says which rows a page has.
func isPageParameter(name string) bool {
	return slices.Contains([]string{"cursor", "limit", "createdAfter", "createdBefore"}, name)
}

func checkWords(name, words string) error {
	kind, status, _ := strings.Cut(name, ".")
	switch {
	case kind == "kyc" && payments.KYCStatus(status).Valid(), kind == "transfer" && payments.TransferState(status).Valid():
	default:
		return fmt.Errorf("%q is no status; it is one such as kyc.approved or transfer.payment_processed", name)
	}
	if slices.Contains(strings.Split(words, ","), "") {
		return errors.New("one of the service's words is empty")
	}
	return nil
}

// Route returns where the service has an operation, and whether a profile says so.
func (m Map) Route(op *contract.Operation) (at Route, isMapped bool) {
	text, isMapped := m.Operations[op.ID]
	if !isMapped {
		return Route{op.Method, op.Path}, false
	}
	at.Method, at.Path, _ = strings.Cut(text, " ")
	return at, true
}

// Translate adds to a document of a resource the members that the service has elsewhere, under the contract's names, and
// replaces its words for a status. A document of no named resource, or one that is not an object or has a member twice, is
// returned as it is.
func (m Map) Translate(r *contract.Resource, document jsontext.Value) jsontext.Value {
	var members map[string]jsontext.Value
	if r.Name == "" || m.isEmpty() || json.Unmarshal(document, &members) != nil || members == nil {
		return document
	}
	isChanged := false
	for name, pointer := range m.Members {
		member, isOfKind := strings.CutPrefix(name, r.Name+".")
		if !isOfKind {
			continue
		}
		if value := valueAt(document, jsontext.Pointer(pointer)); value != nil {
			members[member], isChanged = value, true
		}
	}
	var status string
	if json.Unmarshal(members[r.Status], &status) == nil {
		if word := m.Word(r, r.Status, status); word != status {
			members[r.Status], _ = jsontext.AppendQuote(nil, word)
			isChanged = true
		}
	}
	if !isChanged {
		return document
	}
	translated, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return document
	}
	return translated
}

func (m Map) isEmpty() bool { return len(m.Members) == 0 && len(m.Values) == 0 }

// TranslateType is Translate for the Go type of a resource.
func (m Map) TranslateType(name string, document jsontext.Value) jsontext.Value {
	return m.Translate(contract.ResourceOfType(name), document)
}

// Body writes the members of a request under the names that the service has for them.
func (m Map) Body(r *contract.Resource, body []byte) []byte {
	var members map[string]jsontext.Value
	if len(m.Members) == 0 || json.Unmarshal(body, &members) != nil {
		return body
	}
	renamed := make(map[string]jsontext.Value, len(members))
	for name, value := range members {
		renamed[m.Name(r.Name, name)] = value
	}
	written, err := json.Marshal(renamed, json.Deterministic(true))
	if err != nil {
		return body
	}
	return written
}

// Query writes the parameters of a list under the names that the service has for them: those that every list has are
// members of list, and the others members of the rows. The contract's words for a status become the service's first ones.
func (m Map) Query(r *contract.Resource, query url.Values) url.Values {
	if m.isEmpty() {
		return query
	}
	written := url.Values{}
	for name, values := range query {
		if name == r.Status {
			words := strings.Split(strings.Join(values, ","), ",")
			for i, status := range words {
				word, _, _ := strings.Cut(m.Values[r.StatusOf+"."+status], ",")
				words[i] = cmp.Or(word, status)
			}
			values = []string{strings.Join(words, ",")}
		}
		if isPageParameter(name) {
			written[m.Name("list", name)] = values
		} else {
			written[m.Name(r.Name, name)] = values
		}
	}
	return written
}

// Word returns the contract's word for the status of a resource, where a profile has the service's; else the word.
func (m Map) Word(r *contract.Resource, member, word string) string {
	for _, name := range slices.Sorted(maps.Keys(m.Values)) {
		of, status, _ := strings.Cut(name, ".")
		if of == r.StatusOf && member == r.Status && slices.Contains(strings.Split(m.Values[name], ","), word) {
			return status
		}
	}
	return word
}

// Name returns what the service calls a member that it has at the top of a document.
func (m Map) Name(kind, member string) string {
	pointer := m.Members[kind+"."+member]
	if strings.Count(pointer, "/") != 1 {
		return member
	}
	return jsontext.Pointer(pointer).LastToken()
}

// valueAt returns the value at a JSON Pointer (RFC 6901 section 4); nil if there is none.
func valueAt(document jsontext.Value, pointer jsontext.Pointer) jsontext.Value {
	for token := range pointer.Tokens() {
		var members map[string]jsontext.Value
		var elements []jsontext.Value
		if json.Unmarshal(document, &elements) == nil {
			members = map[string]jsontext.Value{}
			for i, element := range elements {
				members[strconv.Itoa(i)] = element
			}
		} else if json.Unmarshal(document, &members) != nil {
			return nil
		}
		document = members[token]
	}
	return document
}
