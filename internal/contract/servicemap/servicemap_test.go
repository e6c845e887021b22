package servicemap

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// Each mistake says what to change. All mistakes of a profile are reported at once, with their positions.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for profile, says := range map[string]string{
		"members: {transfer: {reference: {send: /x}, externalId: {send: /x}}}": "are both sent at /x",
		"members: {account: {id: /externalId}}":                                "say where that is, or members.account.externalId: none",
		"members: {transfer: {amount: /source/amount}}":                        "give source a place, or members.transfer.source: none",
		"values: {kyc: {pending: approved}}":                                   "kyc.approved has as well since it is not mapped",
		"members: {transfer: {state: /history/0/code}}":                        "leads into an array",
		"pages: {next: page}":                                                  "page 0 or page 1",
		"members: {transfer: {refrence: /x}}":                                  "did you mean reference?",
		"operations: {createAutoTransfer: none}":                               "is published",
		"operations: {createAutoTransfer: POST /pay}":                          "/transfers/auto/v1 is published",
		"operations: {createAccount: GET /a}":                                  "changes something",
		"operations: {getTransfer: GET /../x}":                                 "the path begins",
		"operations: {getTransfer: 'GET /x/{a}/{b}'}":                          "nothing fills {a}",
		"members: {transfer: {destinationSavedContactId: {send: /x}}}":         "its place in a request is published",
		"members: {transfer: {id: none}}":                                      "without an id",
		"members: {token: {access_token: /t}}":                                 "have no other place",
		"members: {list: {data: /items}}":                                      "answers.list",
		"members: {transfer: {state: {filter: limit}}}":                        "pages.limit",
		"send: {createAutoTransfer: {client_secret: x}}":                       "looks like a credential",
		"send: {createAutoTransfer: {/route/x: 1}}":                            "stands where transfer.route is sent",
		"values: {kyc: {approved: 'A,B'}}":                                     "several words are a list",
		"values: {kyc: {approved: null}}":                                      "no verdict",
		"values: {kyc: {approved: [A, A]}}":                                    "which values.kyc.approved has as well",
		"decimals: {USDC: 2}":                                                  "set amounts: minor",
		"decimals: {EUR: 3}\namounts: minor":                                   "ISO 4217 gives EUR 2 decimals",
		"amounts: &a minor":                                                    "anchors",
		"amounts: minor\namounts: text":                                        "given twice",
		"pages: {next: none, total: /total}":                                   "excludes",
		"idempotency_header: Authorization":                                    "header field",
		"login: {form: {password: x}}":                                         "looks like a credential",
	} {
		_, mistakes := parse(t, profile)
		require.NotEmpty(t, mistakes, profile)
		require.Contains(t, mistakes[0].Text, says, profile)
	}
	_, mistakes := parse(t, "amounts: cents\nmembers:\n  transfer: {reference: x}\n")
	require.Equal(t, []string{"1:10", "3:25"}, []string{
		fmt.Sprint(mistakes[0].Line, ":", mistakes[0].Column), fmt.Sprint(mistakes[1].Line, ":", mistakes[1].Column),
	})
}

// sent returns the body that leaves under a profile for a request to create a transfer.
func sent(t *testing.T, profile, body string) (string, error) {
	t.Helper()
	m, mistakes := parse(t, profile)
	require.Empty(t, mistakes)
	w, err := m.Request(Call{Op: &contract.CreateAutoTransfer, Body: jsontext.Value(body)})
	return string(w.Body), err
}

// read returns a document of the service in the contract's terms.
func read(t *testing.T, profile string, op *contract.Operation, body string) (Shown, error) {
	t.Helper()
	m, mistakes := parse(t, profile)
	require.Empty(t, mistakes)
	return m.Response(Call{Op: op}, &payments.Response{Status: 200, Body: []byte(body)})
}

// An amount is written in the service's unit, and never rounded.
func TestAmounts(t *testing.T) {
	t.Parallel()
	const usdc = `{"route":"base:USDC->sepa:EUR","amount":"%s"}`
	for _, test := range []struct{ profile, amount, want string }{
		{"amounts: number", "5.00", "5.00"},
		{"amounts: minor\ndecimals: {USDC: 2}", "5.00", "500"},
		{"amounts: minor\ndecimals: {USDC: 6}", "5.00", "5000000"},
		{"amounts: minor\ndecimals: {USDC: 2, 'base:USDC': 7}", "0.5", "5000000"},
		{"amounts: minor\ndecimals: {USDC: 2}", "5.001", ""},
		{"amounts: minor\ndecimals: {USDC: 18}", "1.00", ""},
		{"amounts: minor", "5.00", ""},
	} {
		body, err := sent(t, test.profile, fmt.Sprintf(usdc, test.amount))
		require.Equal(t, test.want == "", err != nil, "%s: %v", test.profile, err)
		if err == nil {
			require.Contains(t, body, `"amount":`+test.want+`,`)
		}
	}
	shown, err := read(t, "amounts: minor\ndecimals: {USDC: 6}", &contract.GetTransfer,
		`{"id":"t","route":"base:USDC->ach:USD","amount":5000000,"destination":{"currency":"USD","amount":498}}`)
	require.NoError(t, err)
	require.JSONEq(t,
		`{"id":"t","route":"base:USDC->ach:USD","amount":"5.00","destination":{"currency":"USD","amount":"4.98"}}`,
		string(shown.Document))
	_, err = read(t, "amounts: minor", &contract.GetTransfer, `{"id":"t","route":"sepa:EUR->ach:USD","amount":5.5}`)
	require.Error(t, err, "a fraction is not an amount in minor units")
	shown, err = read(t, "amounts: minor", &contract.GetTransfer,
		`{"id":"t","route":"sepa:EUR->ach:USD","amount":-500.0,"source":{"amount":500},"destination":{"amount":7,"currency":"usd"}}`)
	require.NoError(t, err)
	require.JSONEq(t, `{"id":"t","route":"sepa:EUR->ach:USD","amount":"-5.00","source":{"amount":"5.00"},`+
		`"destination":{"amount":"0.07","currency":"usd"}}`, string(shown.Document))
}

// A member is read only at its place. A member without a place at the service is refused, not dropped.
func TestMembers(t *testing.T) {
	t.Parallel()
	const profile = "members: {transfer: {id: /order_no, reference: {read: /remittance/text, send: /note}, metadata: none}}"
	shown, err := read(t, profile, &contract.GetTransfer,
		`{"id":"internal","order_no":7,"remittance":{"text":"r"},"reference":"other","kept":1}`)
	require.NoError(t, err)
	require.JSONEq(t, `{"id":7,"reference":"r","kept":1}`, string(shown.Document))
	_, err = read(t, profile, &contract.GetTransfer, `{"order_no":7,"remittance":"r"}`)
	require.ErrorContains(t, err, "not an object")
	body, err := sent(t, profile, `{"reference":"r","purpose":"x"}`)
	require.NoError(t, err)
	require.JSONEq(t, `{"note":"r","purpose":"x"}`, body)
	_, err = sent(t, profile, `{"metadata":{"a":"b"}}`)
	require.ErrorContains(t, err, "members.transfer.metadata")
	_, err = sent(t, profile, `{"note":"mine"}`)
	require.ErrorContains(t, err, "note")
	m, _ := parse(t, profile)
	_, _, err = m.Accept(Wire{Method: "POST", Path: "/transfers/auto/v1", Body: []byte(`{"reference":"r"}`)})
	require.ErrorContains(t, err, "members.transfer.reference")
	for body, status := range map[string]string{
		`"VERIFIED"`: "approved", `7`: "pending", `true`: "rejected", `"true"`: "true", `"approved"`: "unmapped:approved",
		`"new"`: "new", `null`: "incomplete",
	} {
		shown, err := read(t, "values: {kyc: {approved: VERIFIED, pending: 7, rejected: true, incomplete: null}}", &contract.GetKYCStatus,
			`{"level":"x","status":`+body+`}`)
		require.NoError(t, err)
		require.JSONEq(t, `{"level":"x","status":"`+status+`"}`, string(shown.Document), body)
	}
	_, err = read(t, "", &contract.GetTransfer, `{"payment":{"id":"x"}}`)
	require.ErrorContains(t, err, "it has payment")
	shown, err = read(t, "", &contract.GetTransfer,
		`{"ID":"t","account_id":"a","accountID":"b","source":{"payment_rail":"sepa"},"route":{"routeKey":"k"}}`)
	require.NoError(t, err)
	require.JSONEq(t, `{"id":"t","account_id":"a","accountID":"b","source":{"paymentRail":"sepa"},"route":"k"}`,
		string(shown.Document))
}

// A member in the path is not in the body. A transfer is found at a path of its own.
func TestPaths(t *testing.T) {
	t.Parallel()
	m, mistakes := parse(t, "operations:\n  createAccount: PUT /members/{externalId}\n  findTransfer: GET /by/{reference}\n  cancelTransfer: POST /void\n"+
		"  listAccounts: GET /{tenant}/members\nsend: {createAutoTransfer: {purpose: null}, listAccounts: {tenant: t1, kind: all}}\n"+
		"answers: {findTransfer: /hit}\n")
	require.Empty(t, mistakes)
	w, err := m.Request(Call{Op: &contract.CreateAccount, Body: jsontext.Value(`{"externalId":"a/b c","country":"GB"}`)})
	require.NoError(t, err)
	require.Equal(t,
		Wire{Method: "PUT", Path: "/members/a%2Fb%20c", Query: url.Values{}, Body: []byte(`{"country":"GB"}`)}, w)
	_, err = m.Request(Call{Op: &contract.CreateAccount, Body: jsontext.Value(`{"country":"GB"}`)})
	require.ErrorContains(t, err, "externalId")
	w, err = m.Request(Call{Op: &contract.CancelTransfer, Params: []string{"t"}})
	require.NoError(t, err)
	require.JSONEq(t, `{"transferId":"t"}`, string(w.Body))
	w, err = m.Request(Call{Op: &contract.ListAccounts, Query: url.Values{"limit": {"2"}}})
	require.NoError(t, err)
	require.Equal(t, Wire{Method: "GET", Path: "/t1/members", Query: url.Values{"limit": {"2"}, "kind": {"all"}}}, w)
	_, err = m.Request(Call{Op: &contract.CreateAutoTransfer, Body: jsontext.Value(`{"route":"a:EUR->b:EUR"}`)})
	require.ErrorContains(t, err, "--set purpose=")

	call := Call{Op: &contract.ListTransfers, Query: url.Values{"reference": {"a/b c"}}}
	w, err = m.Request(call)
	require.NoError(t, err)
	require.Equal(t, "/by/a%2Fb%20c", w.Path)
	for body, rows := range map[string]int{
		`{"hit":{"id":"t","reference":"a/b c"}}`: 1, `{"hit":null}`: 0, `{"hit":[{"id":"t"},{"id":"u"}]}`: 2,
		`{"hit":{"id":"t","reference":"other"}}`: 1,
	} {
		shown, err := m.Response(call, &payments.Response{Status: 200, Body: []byte(body)})
		require.NoError(t, err)
		require.Len(t, shown.Rows, rows, body)
	}
}

// A list is read to its end. A short page is not the end, whatever is counted.
func TestPages(t *testing.T) {
	t.Parallel()
	row := func(n int) string { return fmt.Sprintf(`{"id":"t%d"}`, n) }
	const served, largest = 7, 3 // the service caps the size of a page
	page := func(from int) string {
		rows := ""
		for n := from; n < min(from+largest, served); n++ {
			rows += "," + row(n)
		}
		return "[" + rows[min(1, len(rows)):] + "]"
	}
	at := func(q url.Values, name string, unset int) int {
		n := unset
		_, _ = fmt.Sscan(strings.TrimPrefix(q.Get(name), "t"), &n)
		return n
	}
	type header = map[string][]string
	link := `<https://x.example/v2/transfers/v1?o=%d>; rel="next"`
	for next, serve := range map[string]func(url.Values) (string, header){
		"page 0": func(q url.Values) (string, header) { return page(largest * at(q, "at", 0)), nil },
		"page 1": func(q url.Values) (string, header) { return page(largest * (at(q, "at", 1) - 1)), nil },
		"offset": func(q url.Values) (string, header) { return page(at(q, "at", 0)), nil },
		"id":     func(q url.Values) (string, header) { return page(at(q, "at", -1) + 1), nil },
		"link": func(q url.Values) (body string, h header) {
			from := at(q, "o", 0)
			if from+largest < served {
				h = header{"Link": {fmt.Sprintf(link, from+largest)}}
			}
			return page(from), h
		},
		"header X-Next": func(q url.Values) (body string, h header) {
			from := at(q, "at", 0)
			if from+largest < served {
				h = header{"X-Next": {fmt.Sprint(from + largest)}}
			}
			return page(from), h
		},
		"/meta/next": func(q url.Values) (string, header) {
			from, next := at(q, "at", 0), "null"
			if from+largest < served {
				next = fmt.Sprint(from + largest)
			}
			return `{"data":` + page(from) + `,"meta":{"next":` + next + `}}`, nil
		},
	} {
		m, mistakes := parse(t, "pages: {next: "+next+", cursor: at}")
		require.Empty(t, mistakes)
		call, seen := Call{Op: &contract.ListTransfers, Query: url.Values{"limit": {"100"}}}, 0
		for {
			w, err := m.Request(call)
			require.NoError(t, err)
			body, header := serve(w.Query)
			shown, err := m.Response(call, &payments.Response{Status: 200, Header: header, Body: []byte(body)})
			require.NoError(t, err, next)
			seen += len(shown.Rows)
			if shown.Next == "" {
				require.Equal(t, payments.ListEnds, shown.End, next)
				break
			}
			call.Query.Set("cursor", shown.Next)
		}
		require.Equal(t, served, seen, next)
	}
	for body, end := range map[string]payments.ListEnd{
		`{"orders":[]}`: payments.ListMayGoOn, `{"data":[],"total":3}`: payments.ListIsCut,
		`{"data":[],"nextCursor":null}`: payments.ListEnds,
	} {
		shown, err := read(t, "", &contract.ListTransfers, body)
		require.NoError(t, err)
		require.Equal(t, end, shown.End, body)
	}
}
