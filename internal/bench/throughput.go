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
)

// A workload is an operation as it is put under load.
type workload struct {
	method, path, status string
	connections          int
	body                 string // {contact} stands for the saved contact's id
	headers              string
	bar                  float64 // the least ratio of requests in a second; zero: none
}

const (
	selectBoth = `{"selectedSource":{"currency":"USDC","paymentRail":"base","provider":"chainline"},` +
		`"selectedDestination":{"currency":"EUR","paymentRail":"sepa","provider":"europay"}}`
	newTransfer = `{"destinationSavedContactId":"{contact}","route":"base:USDC->sepa:EUR","amount":"12.50","reference":"r-` + serialPlace + `"}`
)

// measureThroughput loads operations of payctl serve, and bare handlers of the same JSON, in turn.
func measureThroughput(ctx context.Context, p *programs) ([]row, error) {
	var rows []row
	for _, w := range []workload{
		{method: "PATCH", path: "/transfers/info/v1", status: "200", connections: 32, body: selectBoth, bar: 0.5},
		{method: "PATCH", path: "/transfers/info/v1", status: "200", connections: 1, body: selectBoth},
		{method: "POST", path: "/transfers/auto/v1", status: "201", connections: 32, body: newTransfer, headers: "Idempotency-Key: k-" + serialPlace + "\r\n"},
	} {
		more, err := w.measure(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", w.method, w.path, err)
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// measure loads a service and a bare peer of their own.
func (w workload) measure(ctx context.Context, p *programs) ([]row, error) {
	service, err := start(ctx, p.payctl, "serve", "--addr", "127.0.0.1:0", "--kyc-delay", "0s")
	if err != nil {
		return nil, err
	}
	defer service.stop()
	api, err := newAPI(ctx, service)
	if err != nil {
		return nil, err
	}
	if strings.Contains(w.body, "{contact}") {
		contact, err := api.approvedContact(ctx)
		if err != nil {
			return nil, err
		}
		w.body = strings.ReplaceAll(w.body, "{contact}", contact)
	}
	bare, err := api.bare(ctx, p, w.method, w.path, w.body)
	if err != nil {
		return nil, err
	}
	defer bare.stop()
	this, peer, err := loadInTurn(ctx, w.load(service, api.token, w.status), w.load(bare, api.token, "200"))
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("%s %s, %d connections", w.method, w.path, w.connections)
	if w.connections == 1 {
		what = strings.TrimSuffix(what, "s")
	}
	against := " / bare net/http with encoding/json"
	return []row{
		atLeast(what+against, this.median(), peer.median(), w.bar),
		cost(what+", processor time a request"+against, this.each(service.stop()), peer.each(bare.stop())),
	}, nil
}

// load is the workload on a server.
func (w workload) load(s *server, token, status string) load {
	addr := strings.TrimPrefix(s.url(), "http://")
	request := fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s",
		w.method, w.path, addr, token, w.headers, len(w.body), w.body)
	return load{addr: addr, connections: w.connections, request: request, status: status}
}

// loadInTurn runs two loads one after the other, several times.
func loadInTurn(ctx context.Context, a, b load) (this, peer results, err error) {
	for range rounds {
		r, err := a.run(ctx, roundTime)
		if err != nil {
			return nil, nil, err
		}
		this = append(this, r)
		if r, err = b.run(ctx, roundTime); err != nil {
			return nil, nil, err
		}
		peer = append(peer, r)
	}
	return this, peer, nil
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
	count := 0
	for _, r := range rs {
		count += r.count
	}
	return all / time.Duration(count)
}
