// Package verify checks from outside whether a service keeps the contract.
package verify

import (
	"context"
	"fmt"
	"net/url"
	"slices"
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
	terms *dialect.Dialect
	note  func(Check)
	err   error // ends the run
}

// A list is a collection, with the reads of one of its resources and the member by which it can be filtered.
type list struct {
	op, get         *contract.Operation
	more            []*contract.Operation // other reads of the same id
	filter          string
	cursor, cursor2 string // the query parameter of a page's beginning, and the member that has the next one
}

var lists = []list{
	{&contract.ListAccounts, &contract.GetAccount, []*contract.Operation{&contract.GetKYCStatus}, "externalId", "cursor", "nextCursor"},
	{&contract.ListSavedContacts, &contract.GetSavedContact, nil, "externalId", "cursor", "nextCursor"},
	{&contract.ListTransfers, &contract.GetTransfer, nil, "reference", "cursor", "nextCursor"},
	{&contract.ListEvents, nil, nil, "", "after", "cursor"},
}

// Run makes all checks that change nothing, and with writes those that create an account, a contact and a transfer. Note
// receives each as it is made.
func Run(ctx context.Context, call Caller, terms *dialect.Dialect, writes bool, note func(Check)) error {
	r := &run{ctx: ctx, call: call, terms: terms, note: note}
	if writes {
		r.accounts() // first, so that there is something to read
	}
	for _, l := range lists {
		r.list(l)
	}
	r.answers(Call{Op: &contract.DescribeAccessToken})
	r.routes()
	r.otherMethods()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return r.err
}

// ask makes a call. The run ends with the first that nobody answers: it would wait as long for each of the others.
func (r *run) ask(call Call) (Answer, error) {
	if r.err != nil {
		return Answer{}, r.err
	}
	answer, err := r.call(r.ctx, call)
	if payments.IsKind(err, payments.KindUnreachable) || payments.IsKind(err, payments.KindTimeout) {
		r.err = err
	}
	return answer, err
}

// unknownID is an id that no resource has.
const unknownID = "none_00000000000000000000000000"

// answers makes the checks of one read: that it needs a token, and how it is answered with one.
func (r *run) answers(call Call) (Answer, bool) {
	answer, ok := r.expect("response", call, 200)
	if lacks(answer) {
		return answer, false
	}
	call.NoToken = true
	r.expect("401 without a token", call, 401)
	call.Header = map[string]string{"Authorization": "Bearer not-a-token-of-this-service"}
	r.expect("401 with a wrong token", call, 401)
	return answer, ok
}

func (r *run) list(l list) {
	const page = "20"
	first, ok := r.answers(Call{Op: l.op, Query: url.Values{"limit": {page}}})
	if lacks(first) {
		return
	}
	r.expect("400 for a wrong limit", Call{Op: l.op, Query: url.Values{"limit": {"0"}}}, 400)
	if l.get != nil {
		r.expect("404 for an unknown id", Call{Op: l.get, Params: []string{unknownID}}, 404)
	}
	if !ok {
		return
	}
	rows := r.rows(first)
	r.pages(l, rows)
	if l.filter != "" {
		r.filtered(l, rows)
	}
	for _, op := range append(slices.Clone(l.more), l.get) {
		switch {
		case op == nil:
		case len(rows) == 0:
			r.skip("response", op, "there is nothing to read")
		default:
			r.one(op, payments.Text(rows[0], "id"))
		}
	}
}

// one checks a read of one resource: its id, and its entity tag.
func (r *run) one(op *contract.Operation, id string) {
	call := Call{Op: op, Params: []string{id}}
	answer, ok := r.answers(call)
	if !ok {
		return
	}
	shown := payments.Texts(r.translated(op, answer.Body), "id", "accountId")
	member := 0
	if op == &contract.GetKYCStatus {
		member = 1
	}
	r.require("the id that was asked for", op, answer, shown[member] == id, "it shows the id "+payments.QuoteReference(shown[member]))
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

// pages reads a list in small pages, and compares them with the page that has all of its first rows. Rows that are created
// or removed meanwhile do not count: the large page is read again at the end.
func (r *run) pages(l list, rows []jsontext.Value) {
	const check = "pages without loss or repetition"
	if len(rows) < 2 {
		r.skip(check, l.op, "there are not two rows")
		return
	}
	size := (len(rows) + 2) / 3
	call := Call{Op: l.op, Query: url.Values{"limit": {fmt.Sprint(size)}}}
	var seen []string
	var answer Answer
	for range len(rows) + 3 {
		var err error
		if answer, err = r.ask(call); err != nil || answer.Status != 200 {
			r.require(check, l.op, answer, false, "a page was not answered with 200")
			return
		}
		part := r.rows(answer)
		seen = append(seen, ids(part)...)
		if len(part) > size {
			r.require(check, l.op, answer, false, fmt.Sprintf("a page of at most %d rows has %d", size, len(part)))
			return
		}
		cursor := payments.Text(r.translated(l.op, answer.Body), l.cursor2)
		if cursor == "" || len(part) == 0 || len(seen) >= len(rows) {
			break
		}
		call.Query = url.Values{"limit": {fmt.Sprint(size)}, l.cursor: {cursor}}
	}
	again, err := r.ask(Call{Op: l.op, Query: url.Values{"limit": {"20"}}})
	if err != nil {
		r.require(check, l.op, again, false, err.Error())
		return
	}
	after := ids(r.rows(again))
	var faults []string
	for i, id := range seen {
		if slices.Contains(seen[:i], id) {
			faults = append(faults, id+" comes twice")
		}
	}
	for _, id := range ids(rows) {
		if !slices.Contains(seen, id) && slices.Contains(after, id) {
			faults = append(faults, id+" is lost")
		}
	}
	r.require(check, l.op, answer, len(faults) == 0, Shortened(faults))
}

// filtered checks that a filter selects what it names and nothing else.
func (r *run) filtered(l list, rows []jsontext.Value) {
	r.filter("filter by an unused "+l.filter, l, "payctl-verify-none", 0)
	if i := slices.IndexFunc(rows, func(row jsontext.Value) bool { return payments.Text(row, l.filter) != "" }); i >= 0 {
		r.filter("filter by "+l.filter, l, payments.Text(rows[i], l.filter), 1)
	}
}

func (r *run) filter(check string, l list, value string, least int) {
	answer, all, having := r.selected(l.op, l.filter, value)
	r.require(check, l.op, answer, having == all && having >= least, fmt.Sprintf("of %d rows, %d have it", all, max(having, 0)))
}

// selected asks a list for a value of a member. It returns how many rows the answer has, and how many of them have the
// value; -1 of these if there is no answer with rows.
func (r *run) selected(op *contract.Operation, member, value string) (answer Answer, all, having int) {
	answer, err := r.ask(Call{Op: op, Query: url.Values{member: {value}}})
	if err != nil || answer.Status != 200 {
		return answer, 0, -1
	}
	rows := r.rows(answer)
	for _, row := range rows {
		if payments.Text(row, member) == value {
			having++
		}
	}
	return answer, len(rows), having
}

// routes checks that route selection echoes what was selected and lists the routes that match, as is published.
func (r *run) routes() {
	op := &contract.SelectRoutes
	answer, ok := r.answers(Call{Op: op, Body: jsontext.Value("{}")})
	if !ok {
		return
	}
	var all payments.TransferInfo
	_ = payments.Read(answer.Body, &all, r.terms.TranslateType) // "response" has checked it
	if len(all.Routes) == 0 {
		r.skip("echo of the selection", op, "there are no routes")
		return
	}
	key := all.Routes[0].RouteKey
	side := func(text string) map[string]string {
		rail, currency, _ := strings.Cut(text, ":")
		return map[string]string{"currency": currency, "paymentRail": rail}
	}
	from, to, _ := strings.Cut(key, "->")
	answer, ok = r.expect("response to a selection", Call{Op: op, Body: map[string]any{
		"selectedSource": side(from), "selectedDestination": side(to),
	}}, 200)
	if !ok {
		return
	}
	var chosen payments.TransferInfo
	_ = payments.Read(answer.Body, &chosen, r.terms.TranslateType)
	var echo struct {
		SelectedSource      map[string]string `json:"selectedSource"`
		SelectedDestination map[string]string `json:"selectedDestination"`
	}
	_ = json.Unmarshal(answer.Body, &echo)
	same := func(shown, sent map[string]string) bool {
		return shown["currency"] == sent["currency"] && shown["paymentRail"] == sent["paymentRail"]
	}
	isOther := func(route payments.TransferRoute) bool { return route.RouteKey != key }
	r.require("echo of the selection", op, answer, same(echo.SelectedSource, side(from)) && same(echo.SelectedDestination, side(to)),
		"it does not echo "+key)
	r.require("routes of the selection", op, answer, len(chosen.Routes) > 0 && !slices.ContainsFunc(chosen.Routes, isOther),
		"it does not list exactly the routes of "+key)
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
		params := slices.Repeat([]string{unknownID}, strings.Count(at.Path, "{"))
		answer, err := r.ask(Call{Op: op, Params: params, Method: "GET"})
		if err == nil && (answer.Status == 404 || answer.Status == 200) && op.Origin == contract.Assumed {
			r.skip("405 with Allow", op, fmt.Sprintf("the service may have something else there: GET is answered with %d", answer.Status))
			continue
		}
		r.expect("405 with Allow", Call{Op: op, Params: params, Method: "GET"}, 405)
	}
}

// lacks reports whether a service does not seem to have an operation that is called without an id.
func lacks(answer Answer) bool {
	return payments.IsLacking(answer.Status) && answer.Operation.Origin == contract.Assumed
}

// expect makes a call, and checks the status, the header and the body of its response.
func (r *run) expect(check string, call Call, statuses ...int) (Answer, bool) {
	answer, err := r.ask(call)
	if err != nil {
		return answer, r.require(check, call.Op, answer, false, err.Error())
	}
	if !slices.Contains(statuses, answer.Status) {
		wanted := strings.Trim(strings.ReplaceAll(fmt.Sprint(statuses), " ", " or "), "[]")
		text := fmt.Sprintf("the status is %d, and should be %s", answer.Status, wanted)
		if detail := payments.Text(answer.Body, "detail"); detail != "" {
			text += ": " + contract.Shorten(strings.TrimSuffix(detail, "."), contract.MaxName)
		}
		if _, isMapped := r.terms.Route(call.Op); answer.Status == 404 && !isMapped && call.Op.Origin == contract.Assumed {
			text += "; if the service has it elsewhere, set operations." + call.Op.ID + " in the profile"
		}
		return answer, r.require(check, call.Op, answer, false, text)
	}
	var faults []string
	for _, v := range r.violations(answer) {
		faults = append(faults, v.Pointer+": "+v.Reason)
	}
	return answer, r.require(check, call.Op, answer, len(faults) == 0, Shortened(faults))
}

// violations returns how a response differs from the contract, in the contract's terms. Members that the contract does
// not have are no difference: a service may send more.
func (r *run) violations(answer Answer) []contract.Violation {
	e := answer.Exchange
	if e.Status < 300 {
		e.Body = r.translated(e.Operation, e.Body)
	}
	return slices.DeleteFunc(e.Check(), func(v contract.Violation) bool { return v.Reason == contract.UnknownMember })
}

// translated returns the document of a successful response in the contract's terms.
func (r *run) translated(op *contract.Operation, body jsontext.Value) jsontext.Value {
	kind := dialect.ResourceOf(op)
	if !op.SuccessSchema().Has("data") {
		return r.terms.Translate(kind, body)
	}
	var members map[string]jsontext.Value
	var rows []jsontext.Value
	if json.Unmarshal(r.terms.Translate("list", body), &members) != nil || json.Unmarshal(members["data"], &rows) != nil {
		return body
	}
	changed := false
	for i, row := range rows {
		rows[i] = r.terms.Translate(kind, row)
		changed = changed || string(row) != string(rows[i])
	}
	if changed {
		members["data"], _ = json.Marshal(rows)
	}
	document, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return body
	}
	return document
}

func (r *run) rows(answer Answer) []jsontext.Value {
	var page struct {
		Data []jsontext.Value `json:"data"`
	}
	if answer.Operation != nil && answer.Status == 200 {
		_ = json.Unmarshal(r.translated(answer.Operation, answer.Body), &page) // without rows where it is no page
	}
	return page.Data
}

func ids(rows []jsontext.Value) (all []string) {
	for _, row := range rows {
		all = append(all, payments.Text(row, "id"))
	}
	return all
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

// Shortened joins the first faults of many: one mistake often causes several.
func Shortened(faults []string) string {
	const most = 3
	if more := len(faults) - most; more > 0 {
		faults = append(faults[:most:most], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(faults, "; ")
}
