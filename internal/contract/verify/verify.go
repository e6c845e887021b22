// Package verify checks from outside whether a service keeps the contract.
package verify

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/dialect"
	"github.com/payctl/payctl/internal/payments"
)

// A Call is one request of a check.
type Call struct {
	Op     *contract.Operation
	Params []string // of the path
	Method string   // in place of the operation's; empty: the operation's
	Query  url.Values
	Header map[string]string
	Body   any
	Key    string // the idempotency key
	// NoToken sends the call without the token of the login.
	NoToken bool
}

// An Answer is the last response to a call, and the command line with which the call can be repeated.
type Answer struct {
	contract.Exchange
	Curl string
}

// A Caller makes a call, whatever the status of the response. With an error nothing came, and the answer has Curl alone.
type Caller func(context.Context, Call) (Answer, error)

// A Result is how a check ended.
type Result string

// The results.
const (
	Passed  Result = "passed"
	Failed  Result = "failed"
	Skipped Result = "skipped"
)

// A Check is one thing that was looked at.
type Check struct {
	Check     string `json:"check"`
	Operation string `json:"operation"`
	Result    Result `json:"result"`
	Message   string `json:"message,omitempty"` // why it failed or was skipped
	Curl      string `json:"curl,omitempty"`    // shows the failure; has no secret
}

// A run is one verification.
type run struct {
	ctx   context.Context //nolint:containedctx // one run, one context
	call  Caller
	terms dialect.Differences
	note  func(Check)
	err   error // ends the run
}

// Run makes all checks that change nothing, and with writes those that create an account, a contact and a transfer. Note
// receives each as it is made.
func Run(ctx context.Context, call Caller, terms dialect.Differences, writes bool, note func(Check)) error {
	r := &run{ctx: ctx, call: call, terms: terms, note: note}
	if writes {
		r.accounts() // first, so that there is something to read
	}
	for _, resource := range contract.Resources {
		if resource.List != nil {
			r.list(resource)
		}
	}
	r.answers(Call{Op: &contract.DescribeAccessToken})
	r.answers(Call{Op: &contract.SelectRoutes, Body: struct{}{}})
	r.otherMethods()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return r.err
}

// ask makes a call. A document is returned in the contract's terms. The run ends with the first call that nobody answers: it
// would wait as long for each of the others.
func (r *run) ask(call Call) (Answer, error) {
	if r.err != nil {
		return Answer{}, r.err
	}
	answer, err := r.call(r.ctx, call)
	if payments.IsKind(err, payments.KindUnreachable) || payments.IsKind(err, payments.KindTimeout) {
		r.err = err
	}
	if err == nil && answer.Status < 300 {
		answer.Body = r.translated(call.Op, answer.Body)
	}
	return answer, err
}

// unknownID is an id that no resource has.
const unknownID = "none_00000000000000000000000000"

// answers makes the checks of one read: that it needs a token, and how it is answered with one.
func (r *run) answers(call Call) (Answer, bool) {
	answer, ok := r.expect("response", call, 200)
	if answer.Status != 200 { // there is nothing to protect
		return answer, false
	}
	call.NoToken = true
	r.expect("401 without a token", call, 401)
	call.Header = map[string]string{"Authorization": "Bearer not-a-token-of-this-service"}
	r.expect("401 with a wrong token", call, 401)
	return answer, ok
}

// list makes the checks of a list, and of the reads of one of its rows.
func (r *run) list(resource *contract.Resource) {
	list, get := resource.List, resource.Get
	first, ok := r.answers(Call{Op: list, Query: url.Values{"limit": {"20"}}})
	if first.Status != 200 {
		return
	}
	r.expect("400 for a wrong limit", Call{Op: list, Query: url.Values{"limit": {"0"}}}, 400)
	if get != nil {
		r.expect("404 for an unknown id", Call{Op: get, Params: []string{unknownID}}, 404)
	}
	if !ok {
		return
	}
	rows := rowsOf(first)
	r.pages(list, rows)
	for _, part := range contract.Resources {
		switch {
		case part.Get == nil || part != resource && part.PartOf != resource.Name:
		case len(rows) == 0:
			r.skip("response", part.Get, "there is nothing to read")
		default:
			r.one(part, payments.Text(rows[0], "id"))
		}
	}
}

// one checks a read of one resource: its id, and its entity tag.
func (r *run) one(resource *contract.Resource, id string) {
	op := resource.Get
	call := Call{Op: op, Params: []string{id}}
	answer, ok := r.answers(call)
	if !ok {
		return
	}
	shown := cmp.Or(payments.Texts(answer.Body, "id", resource.ID)...)
	r.require("the id that was asked for", op, answer, shown == id, "it shows the id "+payments.QuoteReference(shown))
	tags := answer.Header["Etag"]
	if len(tags) == 0 {
		r.skip("304 for a known entity tag", op, "there is no entity tag")
		return
	}
	call.Header = map[string]string{"If-None-Match": tags[0]}
	r.expect("304 for a known entity tag", call, 304)
	call.Header = map[string]string{"If-None-Match": `"not-the-tag"`}
	r.expect("200 for another entity tag", call, 200)
}

// pages reads a list in small pages, and compares them with the page that has all of its first rows.
func (r *run) pages(list *contract.Operation, rows []jsontext.Value) {
	const check = "pages without loss or repetition"
	if len(rows) < 2 {
		r.skip(check, list, "there are not two rows")
		return
	}
	cursor, next := "cursor", "nextCursor" // the query parameter, and the member with the next page's
	if list == &contract.ListEvents {
		cursor, next = "after", "cursor"
	}
	query := url.Values{"limit": {strconv.Itoa((len(rows) + 2) / 3)}}
	var seen, faults []string
	var answer Answer
	for len(seen) < len(rows) {
		answer, _ = r.ask(Call{Op: list, Query: query})
		part := rowsOf(answer)
		for _, row := range part {
			id := payments.Text(row, "id")
			if slices.Contains(seen, id) {
				faults = append(faults, id+" comes twice")
			}
			seen = append(seen, id)
		}
		query.Set(cursor, payments.Text(answer.Body, next))
		if query.Get(cursor) == "" || len(part) == 0 {
			break
		}
	}
	for _, row := range rows {
		if id := payments.Text(row, "id"); !slices.Contains(seen, id) {
			faults = append(faults, id+" is lost")
		}
	}
	r.require(check, list, answer, len(faults) == 0, shortened(faults))
}

// otherMethods asks with GET, which changes nothing, where the contract has no GET.
func (r *run) otherMethods() {
	for _, op := range contract.Operations {
		at, _ := r.terms.Route(op)
		isElsewhere := func(other *contract.Operation) bool {
			there, _ := r.terms.Route(other)
			return there.Method == "GET" && there.Path == at.Path
		}
		if op.IsSandbox() || op.Access != contract.Bearer || slices.ContainsFunc(contract.Operations, isElsewhere) {
			continue
		}
		r.expect("405 with Allow", Call{Op: op, Params: slices.Repeat([]string{unknownID}, strings.Count(at.Path, "{")), Method: "GET"}, 405)
	}
}

// expect makes a call, and checks the status, the header and the body of its response. Members that the contract does not
// have are no fault: a service may send more.
func (r *run) expect(check string, call Call, status int) (Answer, bool) {
	answer, err := r.ask(call)
	isAssumed := call.Op.Origin == contract.Assumed
	var faults []string
	switch {
	case err != nil:
		faults = []string{err.Error()}
	case status == 405 && isAssumed && (answer.Status == 404 || answer.Status == 200):
		r.skip(check, call.Op, fmt.Sprintf("the service may have something else there: GET is answered with %d", answer.Status))
		return answer, false
	case answer.Status != status:
		text := fmt.Sprintf("the status is %d, and should be %d", answer.Status, status)
		if detail := payments.Text(answer.Body, "detail"); detail != "" {
			text += ": " + contract.Shorten(strings.TrimSuffix(detail, "."), contract.MaxName)
		}
		if _, isMapped := r.terms.Route(call.Op); answer.Status == 404 && !isMapped && isAssumed {
			text += "; if the service has it elsewhere, set operations." + call.Op.ID + " in the profile"
		}
		faults = []string{text}
	default:
		for _, v := range answer.Check() {
			if v.Reason != contract.UnknownMember {
				faults = append(faults, strings.TrimSuffix(v.Reason, "."))
			}
		}
	}
	return answer, r.require(check, call.Op, answer, len(faults) == 0, shortened(faults))
}

// translated returns the document of a successful response in the contract's terms.
func (r *run) translated(op *contract.Operation, body jsontext.Value) jsontext.Value {
	shown := op.Resource()
	if _, isList := op.Shown(); !isList {
		return r.terms.Translate(shown, body)
	}
	var members map[string]jsontext.Value
	var rows []jsontext.Value
	if json.Unmarshal(r.terms.Translate(contract.ResourceNamed("list"), body), &members) != nil || json.Unmarshal(members["data"], &rows) != nil {
		return body
	}
	for i := range rows {
		rows[i] = r.terms.Translate(shown, rows[i])
	}
	members["data"], _ = json.Marshal(rows)
	document, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return body
	}
	return document
}

// rowsOf are the rows of a page; none where an answer is no page.
func rowsOf(answer Answer) []jsontext.Value {
	var page struct {
		Data []jsontext.Value `json:"data"`
	}
	if answer.Status == 200 {
		_ = json.Unmarshal(answer.Body, &page)
	}
	return page.Data
}

// require notes a check, which passed if what it requires is true, and returns that.
func (r *run) require(check string, op *contract.Operation, answer Answer, isTrue bool, fault string) bool {
	if r.ctx.Err() != nil || r.err != nil {
		return false // the fault is that of the end
	}
	made := Check{Check: check, Operation: op.ID, Result: Passed}
	if !isTrue {
		made.Result, made.Message, made.Curl = Failed, fault, answer.Curl
	}
	r.note(made)
	return isTrue
}

func (r *run) skip(check string, op *contract.Operation, why string) {
	if r.err == nil {
		r.note(Check{Check: check, Operation: op.ID, Result: Skipped, Message: why})
	}
}

// shortened joins the first faults of many: one mistake often causes several.
func shortened(faults []string) string {
	const most = 3
	if more := len(faults) - most; more > 0 {
		faults = append(faults[:most:most], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(faults, "; ")
}
