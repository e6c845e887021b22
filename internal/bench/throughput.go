package main

import (
	"context"
	"fmt"
	"strings"
	"time"
)

const (
	rounds    = 7
	roundTime = 1500 * time.Millisecond
	// leadTime is as long as a transfer takes to settle, three steps of half a second, and a little more.
	leadTime = 1600 * time.Millisecond
)

// A workload is an operation as it is put under load.
type workload struct {
	method, path, status string
	connections          int
	lead                 time.Duration
	body                 string // {contact} stands for the saved contact's id
	headers              string
	bar                  float64 // the least ratio of requests in a second to the bare peer's; zero: none
	mockBar              float64 // the least ratio to stripe-mock's; zero: it is not measured
	why                  string  // the bar may not be held
}

// Why bars may not be held.
const (
	whyCreate = "beside the JSON a create checks the token, the body and the key, prices with decimals, keeps a transfer with its indexes, the " +
		"key's answer, an event and a job, and settles in three steps with an event each. The steps are an eighth of its processor time, " +
		"making memory and collecting it a quarter, of which the larger part is the kernel's handing out of fresh pages, so that the ratio " +
		"falls where the machine's memory is slow; no function of ours takes more than a hundredth by itself."
	whyMock = "it is out of reach of net/http on this machine where the row for comparison, of the bare peer, is below the bar or hardly above it."
	whyData = "it is out of reach of SQLite in Go without cgo on this machine: with the writing of every record, job and event left out of the " +
		"store, so that a commit kept a counter and nothing else, creates came to 0.38 of the rate in memory (of an experiment, beside a ratio of " +
		"0.16 with all that is written; 0.5 where the reading of the token was left out too). Half of the processor time of a create with its " +
		"settling is SQLite: some ten rows with their indexes, some five pages to its log, and from there to the database."
)

const (
	selectBoth = `{"selectedSource":{"currency":"USDC","paymentRail":"base","provider":"chainline"},` +
		`"selectedDestination":{"currency":"EUR","paymentRail":"sepa","provider":"europay"}}`
	newTransfer = `{"destinationSavedContactId":"{contact}","route":"base:USDC->sepa:EUR","amount":"12.50","reference":"r-` + serialPlace + `"}`
	stripeForm  = "amount=1250&currency=eur&description=r-" + serialPlace
)

// create is the workload that creates transfers.
var create = workload{
	method: "POST", path: "/transfers/auto/v1", status: "201", connections: 32, lead: leadTime,
	body: newTransfer, headers: "Idempotency-Key: k-" + serialPlace + "\r\n", bar: 0.5, mockBar: 5, why: whyCreate,
}

// measureThroughput loads operations of payctl serve, and bare handlers of the same JSON, in turn.
func measureThroughput(ctx context.Context, p *programs) ([]row, error) {
	var rows []row
	for _, w := range []workload{
		{method: "PATCH", path: "/transfers/info/v1", status: "200", connections: 32, lead: roundTime / 5, body: selectBoth, bar: 0.7, mockBar: 5},
		{method: "PATCH", path: "/transfers/info/v1", status: "200", connections: 1, lead: roundTime / 5, body: selectBoth},
		create,
	} {
		more, err := w.measure(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", w.method, w.path, err)
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// measure loads a service and its peers, each of their own.
func (w workload) measure(ctx context.Context, p *programs) ([]row, error) {
	service, own, api, err := w.onService(ctx, p)
	if err != nil {
		return nil, err
	}
	defer service.stop()
	bare, err := api.bare(ctx, p, w.method, w.path, own.text)
	if err != nil {
		return nil, err
	}
	defer bare.stop()
	loads := []load{own, w.load(bare, api.token, "200", own.text)}
	if w.mockBar > 0 && p.stripeMock != "" {
		mock, err := startMock(ctx, p.stripeMock)
		if err != nil {
			return nil, err
		}
		defer mock.stop()
		loads = append(loads, onMock(mock, w.connections))
	}
	measured, err := loadInTurn(ctx, w.lead, loads...)
	if err != nil {
		return nil, err
	}
	const against = " / bare net/http with encoding/json"
	this, peer := measured[0], measured[1]
	rows := []row{
		atLeast(w.what()+against, this.median(), peer.median(), w.bar).because(w.why),
		cost(w.what()+", processor time a request"+against, this.each(service.stop()), peer.each(bare.stop())),
	}
	if len(measured) > 2 {
		mock := measured[2].median()
		rows = append(rows,
			atLeast(w.what()+" / stripe-mock, POST /v1/payment_intents", this.median(), mock, w.mockBar).because(whyMock),
			atLeast("for comparison, the bare peer of "+w.what()+" / the same of stripe-mock", peer.median(), mock, 0))
	}
	return rows, nil
}

// what names the workload.
func (w workload) what() string {
	if w.connections == 1 {
		return fmt.Sprintf("%s %s, 1 connection", w.method, w.path)
	}
	return fmt.Sprintf("%s %s, %d connections", w.method, w.path, w.connections)
}

// measureData loads creates of a service that keeps everything in a folder, and of one in memory, in turn.
func measureData(ctx context.Context, p *programs) ([]row, error) {
	durable, onDisk, _, err := create.onService(ctx, p, "--data", p.dir+"/data")
	if err != nil {
		return nil, err
	}
	defer durable.stop()
	memory, inMemory, _, err := create.onService(ctx, p)
	if err != nil {
		return nil, err
	}
	defer memory.stop()
	measured, err := loadInTurn(ctx, create.lead, onDisk, inMemory)
	if err != nil {
		return nil, fmt.Errorf("creates with --data: %w", err)
	}
	return []row{atLeast(create.what()+": --data / in memory", measured[0].median(), measured[1].median(), 0.5).because(whyData)}, nil
}

// onService starts a service for the workload.
func (w workload) onService(ctx context.Context, p *programs, flags ...string) (*server, load, *api, error) {
	s, err := start(ctx, p.payctl, append([]string{"serve", "--addr", "127.0.0.1:0", "--kyc-delay", "0s"}, flags...)...)
	if err != nil {
		return nil, load{}, nil, err
	}
	api, err := newAPI(ctx, s)
	if err != nil {
		s.stop()
		return nil, load{}, nil, err
	}
	body := w.body
	if strings.Contains(body, "{contact}") {
		contact, err := api.approvedContact(ctx)
		if err != nil {
			s.stop()
			return nil, load{}, nil, err
		}
		body = strings.ReplaceAll(body, "{contact}", contact)
	}
	return s, w.load(s, api.token, w.status, body), api, nil
}

// load is the workload on a server.
func (w workload) load(s *server, token, status, body string) load {
	addr := strings.TrimPrefix(s.url(), "http://")
	request := fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s",
		w.method, w.path, addr, token, w.headers, len(body), body)
	return load{addr: addr, connections: w.connections, request: request, text: body, status: status}
}

// onMock is the load on stripe-mock that is most like a create.
func onMock(s *server, connections int) load {
	addr := strings.TrimPrefix(s.url(), "http://")
	request := fmt.Appendf(nil, "POST /v1/payment_intents HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer sk_test_123\r\nContent-Type: application/x-www-form-urlencoded\r\n"+
		"Idempotency-Key: k-%s\r\nContent-Length: %d\r\n\r\n%s", addr, serialPlace, len(stripeForm), stripeForm)
	return load{addr: addr, connections: connections, request: request, status: "200"}
}

// loadInTurn runs loads one after the other, several times.
func loadInTurn(ctx context.Context, lead time.Duration, loads ...load) ([]results, error) {
	measured := make([]results, len(loads))
	for range rounds {
		for i, l := range loads {
			r, err := l.run(ctx, lead, roundTime)
			if err != nil {
				return nil, err
			}
			measured[i] = append(measured[i], r)
		}
	}
	return measured, nil
}

// results are those of the rounds of a load.
type results []result

// median takes each figure by itself.
func (rs results) median() result {
	var rates []float64
	var p50, p99 []time.Duration
	for _, r := range rs {
		rates, p50, p99 = append(rates, r.perSecond), append(p50, r.p50), append(p99, r.p99)
	}
	return result{perSecond: median(rates), p50: median(p50), p99: median(p99)}
}

// each is the part of one request in the time of all.
func (rs results) each(all time.Duration) time.Duration {
	sent := 0
	for _, r := range rs {
		sent += r.sent
	}
	return all / time.Duration(sent)
}
