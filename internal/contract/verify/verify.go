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
	"github.com/payctl/payctl/internal/contract/servicemap"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/textutil"
)

// A Caller makes a call, and returns the last response, whatever its status, and the command line that repeats the
// call. With an error there is no response.
type Caller func(context.Context, effect.Request) (response *payments.Response, curl string, err error)

// An answer is the response to a call, or the zero Response, and the command line that repeats the call.
type answer struct {
	payments.Response
	curl  string
	next  string // the cursor of the next page
	fault error  // why the response shows nothing
}

// A Result is how a check ended.
type Result string

// The results.
const (
	Passed  Result = "passed"
	Failed  Result = "failed"
	Skipped Result = "skipped"
)

// A Group says what a failed check means for whoever pays. It is empty for other checks.
type Group string

// The groups.
const (
	Payments Group = "matters for payments"
	Differs  Group = "shown differently"
	Harmless Group = "harmless"
)

// A Check is one thing that was looked at.
type Check struct {
	Check      string   `json:"check"`
	Operations []string `json:"operations"` // all that ended alike
	Result     Result   `json:"result"`
	Group      Group    `json:"group,omitempty"`
	Message    string   `json:"message,omitempty"` // why it failed or was skipped
	Curl       string   `json:"curl,omitempty"`    // shows the failure at the first operation; has no secret
}

// A run is one verification.
type run struct {
	ctx     context.Context //nolint:containedctx // one run, one context
	call    Caller
	service *servicemap.Map
	checks  []Check
	err     error // ends the run
}

// Run makes all checks that change nothing, and with writes those that create an account, a contact and a transfer. It
// also reports whether the writes have proven that the service honours idempotency keys.
func Run(
	ctx context.Context, call Caller, service *servicemap.Map, writes bool,
) (checks []Check, honoursKeys bool, err error) {
	r := &run{ctx: ctx, call: call, service: service}
	if writes {
		honoursKeys = r.accounts() // first, so that there is something to read
	}
	for _, resource := range contract.Resources {
		if resource.List != nil {
			r.list(resource)
		}
	}
	r.answers(effect.Request{Operation: contract.DescribeAccessToken.ID})
	r.answers(effect.Request{Operation: contract.SelectRoutes.ID, Body: []byte("{}")})
	r.otherMethods()
	return r.checks, honoursKeys, cmp.Or(context.Cause(ctx), r.err)
}

// ask makes a call. A document is returned in the contract's terms. The run ends with the first call that nobody
// answers: it would wait as long for each of the others.
func (r *run) ask(call effect.Request) (got answer, err error) {
	if r.err != nil {
		return got, r.err
	}
	response, curl, err := r.call(r.ctx, call)
	if got.curl = curl; response != nil {
		got.Response = *response
	}
	if payments.IsProblem(err, payments.ProblemUnreachable) || payments.IsProblem(err, payments.ProblemTimeout) {
		r.err = err
	}
	if err == nil && got.Status < 300 && len(got.Body) > 0 {
		use := servicemap.Call{Op: contract.Find(call.Operation), Params: call.Params, Query: call.Query}
		shown, fault := r.service.Response(use, &got.Response)
		if got.next, got.fault = shown.Next, fault; fault == nil {
			got.Body = shown.Document
		}
	}
	return got, err
}

// unknownID is an id that no resource has.
const unknownID = "none_00000000000000000000000000"

// answers makes the checks of one read: that it needs a token, and how it is answered with one.
func (r *run) answers(call effect.Request) answer {
	got := r.expect("response", call, 200)
	if got.Status != 200 { // there is nothing to protect
		return got
	}
	call.Anonymous = true
	r.expect("401 without a token", call, 401)
	call.Header = map[string][]string{"Authorization": {"Bearer not-a-token-of-this-service"}}
	r.expect("401 with a wrong token", call, 401)
	return got
}

// list makes the checks of a list, and of the reads of one of its rows.
func (r *run) list(resource *contract.Resource) {
	list, get := resource.List, resource.Get
	first := r.answers(effect.Request{Operation: list.ID, Query: url.Values{"limit": {"20"}}})
	if first.Status != 200 {
		return
	}
	r.expect("400 for a wrong limit", effect.Request{Operation: list.ID, Query: url.Values{"limit": {"0"}}}, 400)
	if get != nil {
		r.expect("404 for an unknown id", effect.Request{Operation: get.ID, Params: []string{unknownID}}, 404)
	}
	rows := rowsOf(first)
	if list == &contract.ListTransfers && len(rows) > 0 {
		r.checkProof(first, rows)
	}
	r.pages(list, rows)
	for _, part := range contract.Resources {
		switch {
		case part.Get == nil || part != resource && part.PartOf != resource.Name:
		case len(rows) == 0:
			r.skip("response", part.Get, "there is nothing to read")
		default:
			r.one(part, effect.Text(rows[0], "id"))
		}
	}
}

// proof are the members of a transfer that prove a payment.
var proof = []string{"id", "reference", "state", "amount", "destinationSavedContactId"}

// checkProof checks that transfers show what proves a payment. It skips the reference if none has one.
func (r *run) checkProof(got answer, transfers []jsontext.Value) {
	var lacks []string
	for _, name := range proof {
		advice := "; if it has another name, set members.transfer." + name + " in the profile"
		switch isShown := func(t jsontext.Value) bool { return effect.Text(t, name) != "" }; {
		case slices.ContainsFunc(transfers, isShown):
		case name == "reference":
			r.skip("the reference of a payment", &contract.ListTransfers, "no transfer shows one"+advice)
		default:
			lacks = append(lacks, name+" is not shown"+advice)
		}
	}
	r.require("members that prove a payment", &contract.ListTransfers, Payments, got, lacks...)
}

// one checks a read of one resource: its id, and its entity tag.
func (r *run) one(resource *contract.Resource, id string) {
	op := resource.Get
	call := effect.Request{Operation: op.ID, Params: []string{id}}
	got := r.answers(call)
	if got.Status != 200 {
		return
	}
	shown := cmp.Or(effect.Text(got.Body, "id"), effect.Text(got.Body, resource.ID))
	var other []string
	if shown != id {
		other = []string{"it shows the id " + payments.QuoteReference(shown)}
	}
	r.require("the id that was asked for", op, Payments, got, other...)
	tags := got.Header["Etag"]
	if len(tags) == 0 {
		r.skip("304 for a known entity tag", op, "there is no entity tag")
		return
	}
	call.Header = map[string][]string{"If-None-Match": {tags[0]}}
	r.expect("304 for a known entity tag", call, 304)
	call.Header = map[string][]string{"If-None-Match": {`"not-the-tag"`}}
	r.expect("200 for another entity tag", call, 200)
}

// pages reads a list in small pages, and compares them with the page that has all of its first rows.
func (r *run) pages(list *contract.Operation, rows []jsontext.Value) {
	const check = "pages without loss or repetition"
	if len(rows) < 2 {
		r.skip(check, list, "there are not two rows")
		return
	}
	cursor := "cursor" // the query parameter
	if list == &contract.ListEvents {
		cursor = "after"
	}
	query := url.Values{"limit": {strconv.Itoa((len(rows) + 2) / 3)}}
	var seen, faults []string
	var got answer
	for len(seen) < len(rows) {
		got, _ = r.ask(effect.Request{Operation: list.ID, Query: query})
		part := rowsOf(got)
		for _, row := range part {
			id := effect.Text(row, "id")
			if slices.Contains(seen, id) {
				faults = append(faults, id+" comes twice")
			}
			seen = append(seen, id)
		}
		query.Set(cursor, cmp.Or(got.next, effect.Text(got.Body, "cursor")))
		if query.Get(cursor) == "" || len(part) == 0 {
			break
		}
	}
	for _, row := range rows {
		if id := effect.Text(row, "id"); !slices.Contains(seen, id) {
			faults = append(faults, id+" is lost")
		}
	}
	r.require(check, list, Payments, got, faults...)
}

// otherMethods asks with GET, which changes nothing, where the contract has no GET.
func (r *run) otherMethods() {
	for _, op := range contract.Operations {
		at, _ := r.service.Route(op)
		isElsewhere := func(other *contract.Operation) bool {
			there, _ := r.service.Route(other)
			return there.Method == "GET" && there.Path == at.Path
		}
		if at.Method == "" || op.IsSandbox() || op.Access != contract.Bearer ||
			slices.ContainsFunc(contract.Operations, isElsewhere) {
			continue
		}
		r.expect("405 with Allow", effect.Request{
			Operation: op.ID, Params: slices.Repeat([]string{unknownID}, strings.Count(at.Path, "{")), Method: "GET",
		}, 405)
	}
}

// expect makes a call, and checks the status, the header and the body of its response. Members that the contract does
// not have are no fault: a service may send more.
func (r *run) expect(check string, call effect.Request, status int) answer {
	op := contract.Find(call.Operation)
	if at, _ := r.service.Route(op); at.Method == "" {
		r.skip(check, op, "the profile says that the service does not have it")
		return answer{}
	}
	got, err := r.ask(call)
	isAssumed := op.Origin == contract.Assumed
	var faults []string
	group := Payments
	switch {
	case err != nil:
		faults = []string{err.Error()}
	case status == 405 && isAssumed && (got.Status == 404 || got.Status == 200):
		r.skip(check, op, fmt.Sprintf("the service may have something else there: GET is answered with %d", got.Status))
		return got
	case got.Status != status:
		text := fmt.Sprintf("the status is %d, and should be %d", got.Status, status)
		if detail := effect.Text(got.Body, "detail"); detail != "" {
			text += ": " + contract.Shorten(strings.TrimSuffix(detail, "."), contract.MaxName)
		}
		if _, isMapped := r.service.Route(op); got.Status == 404 && !isMapped && isAssumed {
			text += "; if the service has it elsewhere, set operations." + op.ID + " in the profile"
		}
		faults = []string{text}
		isRefused := status >= 400 && (got.Status >= 400 || op.IsRead() && status == 400)
		isAside := op == &contract.ListEvents || op == &contract.DescribeAccessToken
		if isRefused || isAside || status == 304 || status == 405 {
			group = Harmless
		}
	case got.fault != nil:
		faults = []string{got.fault.Error()}
	default:
		if group = Differs; status >= 300 {
			group = Harmless
		}
		for _, v := range contract.CheckResponse(op, &got.Response) {
			if v.Reason != contract.UnknownMember {
				faults = append(faults, strings.TrimSuffix(v.Reason, "."))
			}
		}
	}
	r.require(check, op, group, got, faults...)
	return got
}

// rowsOf returns the rows of a page. An answer that is not a page has none.
func rowsOf(page answer) []jsontext.Value {
	var rows struct {
		Data []jsontext.Value `json:"data"`
	}
	if page.Status == 200 {
		_ = json.Unmarshal(page.Body, &rows)
	}
	return rows.Data
}

// require notes a check and reports whether it passed: without faults. One mistake often causes several faults, so only
// the first ones are shown.
func (r *run) require(check string, op *contract.Operation, group Group, got answer, faults ...string) bool {
	if r.ctx.Err() != nil || r.err != nil {
		return false // the fault is that of the end
	}
	const most = 3
	if more := len(faults) - most; more > 0 {
		faults = append(faults[:most:most], fmt.Sprintf("and %d more", more))
	}
	made := Check{Check: check, Operations: []string{op.ID}, Result: Passed}
	if len(faults) > 0 {
		made.Result, made.Group, made.Message, made.Curl = Failed, group, strings.Join(faults, "; "), got.curl
	}
	r.note(made)
	return len(faults) == 0
}

func (r *run) skip(check string, op *contract.Operation, why string) {
	if r.err == nil {
		r.note(Check{Check: check, Operations: []string{op.ID}, Result: Skipped, Message: why})
	}
}

// note adds a check, or its operation to an equal one, whatever is quoted in their messages.
func (r *run) note(c Check) {
	said := func(c Check) string { return textutil.Regexp(`"[^"]*"`).ReplaceAllString(c.Message, "") }
	isEqual := func(o Check) bool {
		return o.Check == c.Check && o.Result == c.Result && o.Group == c.Group && said(o) == said(c)
	}
	i := slices.IndexFunc(r.checks, isEqual)
	switch {
	case i < 0:
		r.checks = append(r.checks, c)
	case !slices.Contains(r.checks[i].Operations, c.Operations[0]):
		r.checks[i].Operations = append(r.checks[i].Operations, c.Operations[0])
	}
}

// encode returns a body in JSON.
func encode(body any) []byte {
	text, _ := json.Marshal(body, json.Deterministic(true)) // of texts
	return text
}
