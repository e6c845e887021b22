package server_test

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/test/paytest"
)

// asked is a generated request.
type asked struct {
	op           *contract.Operation // nil if the method or path was altered
	method, path string              // with the query
	header       http.Header
	body         []byte
	subjects     []string // identifiers that a success concerns
}

func (r *asked) String() string {
	return fmt.Sprintf("%s %s %v %.3000s", r.method, r.path, r.header, r.body)
}

func (r *asked) request() *http.Request {
	request := httptest.NewRequest(r.method, "/", bytes.NewReader(r.body))
	path, query, _ := strings.Cut(r.path, "?")
	unescaped, err := url.PathUnescape(path)
	if err != nil {
		unescaped = path
	}
	request.URL = &url.URL{Path: unescaped, RawPath: path, RawQuery: query}
	request.Header = r.header.Clone()
	return request
}

// foreign reports whether a success of the request concerns the other client's data. Identifiers that were cut out of a
// body do not count, and neither does the body of an altered request.
func (r *asked) foreign(a, other *actor) bool {
	return slices.ContainsFunc(r.subjects, func(id string) bool {
		named := strings.Contains(r.path, id) || r.op != nil && bytes.Contains(r.body, []byte(`"`+id+`"`))
		return named && other.received[id] && !a.received[id]
	})
}

// draws draws the parts of an actor's request.
type draws struct {
	*rapid.T
	a, other *actor
}

func (d draws) chance(percent int, what string) bool {
	return even(100).Draw(d.T, what) >= 100-percent // shrinks to no
}

func (d draws) one(what string, of ...string) string {
	return of[even(len(of)).Draw(d.T, what)]
}

// even draws a number below n, each about equally likely. rapid's own draws prefer small numbers.
func even(n int) *rapid.Generator[int] {
	return rapid.Custom(func(t *rapid.T) int {
		drawn := 0
		for range 10 {
			drawn *= 2
			if rapid.Bool().Draw(t, "bit") {
				drawn++
			}
		}
		return drawn * n >> 10
	})
}

// rare operations empty the world, or lock its client out.
var rare = []*contract.Operation{&contract.ResetSandbox, &contract.RestoreSandboxSnapshot, &contract.RevokeAccessToken}

func drawAsked(t *rapid.T, a, other *actor) *asked {
	d := draws{t, a, other}
	op := contract.Operations[even(len(contract.Operations)).Draw(t, "operation")]
	switch {
	case slices.Contains(rare, op) && !d.chance(30, "rare"):
		op = &contract.CreateAutoTransfer
	case d.chance(20, "creates"):
		creations := []string{"createAccount", "createSavedContact", "createAutoTransfer", "advanceSandboxClock"}
		op = contract.Find(d.one("creation", creations...))
	}
	return drawFor(t, op, a, other)
}

// drawFor draws a request for an operation.
func drawFor(t *rapid.T, op *contract.Operation, a, other *actor) *asked {
	d := draws{t, a, other}
	r := &asked{op: op, method: op.Method, header: http.Header{}}
	prefix := "acc_"
	switch {
	case strings.Contains(op.Path, "{transferId}"):
		prefix = "trf_"
	case strings.HasPrefix(op.Path, "/contacts/"):
		prefix = "sct_"
	}
	id := d.id(prefix)
	if strings.Contains(op.Path, "{") {
		r.subjects = append(r.subjects, id)
	}
	r.path = contract.Expand(op.Path, id)
	d.headers(r)
	if op.Body != nil {
		d.body(r)
	}
	r.path += d.query(op)
	d.alter(r)
	return r
}

// id draws an identifier with this prefix, mostly one of the actor's own.
func (d draws) id(prefix string) string {
	of := func(a *actor) []string {
		recent := slices.Clone(a.ids[max(len(a.ids)-30, 0):])
		return slices.DeleteFunc(recent, func(id string) bool { return !strings.HasPrefix(id, prefix) })
	}
	own, others := of(d.a), of(d.other)
	switch n := even(10).Draw(d.T, "whose"); {
	case n < 6 && len(own) > 0:
		return d.one("own", own...)
	case n < 9 && len(others) > 0:
		return d.one("the other's", others...)
	}
	long := strings.Repeat("x", 300)
	return d.one("none", prefix+"none", "-", "%", "..", "a/b", "é", "\x00", long, prefix, "acc_%00", "v1")
}

func (d draws) headers(r *asked) {
	set := func(percent int, name string, values ...string) {
		if d.chance(percent, name) {
			r.header.Set(name, d.one("of "+name, values...))
		}
	}
	request := http.Request{Header: r.header}
	if r.op.Access == contract.Basic {
		request.SetBasicAuth(d.a.name, d.one("secret", d.a.secret, d.a.secret, d.a.secret, "wrong"))
	} else {
		r.header.Set("Authorization", "Bearer "+d.a.token)
	}
	set(4, "Authorization", "", "Bearer", "Bearer x", "Basic x", "Basic YTpi", "Digest a", "bearer "+d.a.token,
		"Bearer "+d.a.token+" x", "Basic "+strings.Repeat("A", 3000))
	if r.op.Body != nil {
		r.header.Set("Content-Type", r.op.BodyMedia)
		set(6, "Content-Type", "", "text/plain", "application/json; charset=utf-8", form, ";", "application/merge-patch+json")
	}
	if r.op.TakesIdempotencyKey {
		set(40, "Idempotency-Key", "a", `"a"`, "b", `"`, "", strings.Repeat("k", 256), "é")
	}
	etags := append([]string{`"1"`, `W/"2"`, "*", "garbage", `"`}, d.texts()...)
	set(10, "If-None-Match", etags...)
	set(3, "If-Match", etags...)
	// None of these makes the service wait.
	set(10, "Prefer", "wait=0", "wait", "wait=-1", "wait=x", "respond-async, wait=0", `wait="0"`)
	set(6, "Accept", "application/json", "*/*", "text/html", "application/problem+json", "application/yaml",
		"application/json;q=0", ";;", "text/event-stream;q=0")
	set(2, "Last-Event-ID", d.texts()...)
	set(2, "Content-Encoding", "gzip", "identity", "x")
	set(2, "Range", "bytes=0-1")
	set(2, "X-HTTP-Method-Override", "DELETE")
}

// texts returns cursors and entity tags that either client received.
func (d draws) texts() []string {
	return append([]string{"1", ""}, append(d.a.texts, d.other.texts...)...)
}

func (d draws) query(op *contract.Operation) string {
	query := url.Values{}
	for _, parameter := range op.Query {
		if !d.chance(25, "has "+parameter.Name) {
			continue
		}
		values := []string{"", "0", "100", "101", "ä", "%", "2026-01-01T00:00:00Z", "latest", d.id("acc_"), d.a.marker()}
		value := d.one(parameter.Name, slices.Concat(values, []string{d.other.marker()}, d.texts())...)
		if d.chance(50, "by schema") {
			value = d.bySchema(parameter.Schema)
		}
		query.Add(parameter.Name, value)
		if d.chance(3, "twice") {
			query.Add(parameter.Name, value)
		}
	}
	if d.chance(3, "unknown parameter") {
		query.Add("unheardOf", "1")
	}
	if len(query) == 0 {
		return ""
	}
	return "?" + query.Encode()
}

// bySchema draws a value that fits the schema of a parameter, or nearly fits it.
func (d draws) bySchema(s *contract.Schema) string {
	text := string(paytest.Body(s).Draw(d.T, "value"))
	var unquoted string
	if json.Unmarshal([]byte(text), &unquoted) == nil {
		return unquoted
	}
	var list []string
	if json.Unmarshal([]byte(text), &list) == nil {
		return strings.Join(list, ",")
	}
	return text
}

// body draws a body that works, one that fits the schema, or a damaged one.
func (d draws) body(r *asked) {
	if d.chance(60, "works") {
		r.body = d.works(r)
		if d.chance(85, "whole") {
			return
		}
	} else {
		r.body = paytest.Body(r.op.Body).Draw(d.T, "body")
		if d.chance(90, "whole") {
			return
		}
	}
	at := rapid.IntRange(0, len(r.body)).Draw(d.T, "at")
	deep := strings.Repeat("[", 2000)
	piece := d.one("piece", "", "\x00", `"`, "{", "]", `\ud800`, "\xff", "1e999", ",", "null", `{"a":`, deep)
	end := at + rapid.IntRange(0, len(r.body)-at).Draw(d.T, "to")
	r.body = slices.Concat(r.body[:at], []byte(piece), r.body[end:])
}

// works draws a body with which the operation may succeed, and adds its subjects to the request.
func (d draws) works(r *asked) []byte {
	about := func(prefix string) string {
		id := d.id(prefix)
		r.subjects = append(r.subjects, id)
		return id
	}
	type object = map[string]any
	var members object
	switch r.op {
	case &contract.CreateAccount:
		tag := d.one("tag", "", "+kyc-rejected", "+kyc-polls-2", "+kyc-resubmission", "+kyc-incomplete")
		members = object{
			"type": "individual", "firstName": d.a.marker(), "lastName": "L", "email": "ada" + tag + "@example.com",
			"country": "GB", "externalId": d.a.marker(),
		}
	case &contract.CreateSavedContact:
		rail := d.one("rail", "base", "base", "base", "ethereum", "pix", "sepa")
		tag := d.one("outcome", "", "", "+transfer-failed", "+transfer-returned", "+transfer-polls-1")
		members = object{
			"accountId": about("acc_"), "label": d.a.marker() + tag, "holderName": "Grace", "holderType": "individual",
			"paymentRail": rail, "currency": cmp.Or(map[string]string{"pix": "BRL", "sepa": "EUR"}[rail], "USDC"),
		}
		for name, value := range paytest.Coordinates(rail) {
			members[name] = value
		}
	case &contract.UpdateAccount:
		metadata := object{d.one("key", "a", "b"): d.a.marker()}
		members = object{"externalId": d.a.marker(), "phoneNumber": nil, "metadata": metadata}
	case &contract.UpdateSavedContact:
		members = object{"label": d.a.marker(), "metadata": object{d.one("key", "a", "b"): nil}}
	case &contract.CreateAutoTransfer:
		members = object{
			"destinationSavedContactId": about("sct_"),
			"reference":                 d.a.marker() + d.one("payment", "", " 1", " 2", " 3", " 4", " 5"),
			"route": d.one("route", "ach:USD->base:USDC", "ach:USD->base:USDC", "pix:BRL->base:USDC",
				"ethereum:USDC->sepa:EUR"),
		}
		if d.chance(50, "fixed") {
			members["amount"] = d.one("amount", "10.00", "1", "0.01", "1000000", "12.345678")
		}
	case &contract.SubmitKYC:
		name := d.one("requirement", "registrationNumber", "registrationNumber", d.a.marker())
		members = object{"requirements": []any{object{"name": name, "value": "01234567"}}}
	case &contract.SetSandboxFaults:
		members = object{"faults": []any{object{"operation": "*", "action": "drop"}}}
	case &contract.RestoreSandboxSnapshot:
		return []byte(d.a.snapshot)
	case &contract.SetSandboxClock:
		members = object{"mode": d.one("mode", "manual", "real")}
	case &contract.AdvanceSandboxClock:
		members = object{"duration": d.one("duration", "1ms", "10s", "1m", "2h", "1d", "9d", "P400D")}
	case &contract.SetSandboxKYC:
		members = object{"status": d.one("status", enum(r.op, "status")...)}
	case &contract.CreateSandboxDeposit:
		members = object{"amount": d.one("deposit", "10.00", "100", "0.001")}
	case &contract.SetSandboxTransferState:
		members = object{"state": d.one("state", enum(r.op, "state")...)}
	default:
		return paytest.Body(r.op.Body).Draw(d.T, "body")
	}
	return must(json.Marshal(members, json.Deterministic(true)))
}

// enum lists the allowed values of a member of an operation's body.
func enum(op *contract.Operation, member string) []string {
	i := slices.IndexFunc(op.Body.Members, func(m contract.Member) bool { return m.Name == member })
	return op.Body.Members[i].Schema.Enum
}

// alter changes the method or path of some requests.
func (d draws) alter(r *asked) {
	if !d.chance(6, "altered") {
		return
	}
	r.op = nil
	switch d.one("how", "method", "path", "path", "case", "slash") {
	case "method":
		r.method = d.one("method", "HEAD", "OPTIONS", "PUT", "TRACE", "GET", "BREW", "PATCH", "DELETE")
	case "path":
		at := rapid.IntRange(0, len(r.path)).Draw(d.T, "at")
		piece := d.one("in", "/", "//", "/../", "%2F", "%2f..", "%", "x", "%00", ";a=b", "?", "%E0%80", "/./")
		r.path = r.path[:at] + piece + r.path[at:]
	case "case":
		r.path = strings.ToUpper(r.path)
	case "slash":
		r.path += "/"
	}
	if !strings.HasPrefix(r.path, "/") {
		r.path = "/" + r.path
	}
}
