package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

const (
	rounds    = 5
	roundTime = 1500 * time.Millisecond
)

// measureThroughput loads an operation of payctl serve and a bare handler of the same JSON, in turn.
func measureThroughput(ctx context.Context, p *programs) ([]row, error) {
	service, err := start(ctx, p.payctl, "serve", "--addr", "127.0.0.1:0", "--kyc-delay", "0s")
	if err != nil {
		return nil, err
	}
	defer service.stop()
	api, err := newAPI(ctx, service)
	if err != nil {
		return nil, err
	}
	contact, err := api.approvedContact(ctx)
	if err != nil {
		return nil, err
	}
	selection := `{"selectedSource":{"currency":"USDC","paymentRail":"base","provider":"chainline"},"selectedDestination":{"currency":"EUR","paymentRail":"sepa","provider":"europay"}}`
	transfer := func(connection, n int) string {
		return fmt.Sprintf(`{"destinationSavedContactId":"%s","route":"base:USDC->sepa:EUR","amount":"12.50","reference":"r-%d-%d"}`, contact, connection, n)
	}
	var keys atomic.Int64 // a key of one round must not be used in another
	var rows []row
	for _, c := range []struct {
		what, method, path, status string
		connections                int
		body                       func(connection, n int) string
		headers                    func(connection, n int) string
		bar                        float64
	}{
		{"PATCH /transfers/info/v1", "PATCH", "/transfers/info/v1", "200", 32, func(int, int) string { return selection }, none, 0.5},
		{"PATCH /transfers/info/v1", "PATCH", "/transfers/info/v1", "200", 1, func(int, int) string { return selection }, none, 0},
		{"POST /transfers/auto/v1", "POST", "/transfers/auto/v1", "201", 32, transfer, func(int, int) string {
			return fmt.Sprintf("Idempotency-Key: k-%d\r\n", keys.Add(1))
		}, 0},
	} {
		bare, err := api.bare(ctx, p, c.method, c.path, c.body(0, 0))
		if err != nil {
			return nil, err
		}
		request := func(addr string) func(connection, n int) []byte {
			return func(connection, n int) []byte {
				body := c.body(connection, n)
				return fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s",
					c.method, c.path, addr, api.token, c.headers(connection, n), len(body), body)
			}
		}
		here, there := hostPort(service.url()), hostPort(bare.url())
		this, peer, err := loadInTurn(ctx,
			load{addr: here, connections: c.connections, request: request(here), status: c.status},
			load{addr: there, connections: c.connections, request: request(there), status: "200"})
		bare.stop()
		if err != nil {
			return nil, err
		}
		rows = append(rows, atLeast(fmt.Sprintf("%s, %d connection(s) / bare net/http with encoding/json", c.what, c.connections), this, peer, c.bar))
	}
	return rows, nil
}

func none(int, int) string { return "" }

// loadInTurn runs two loads one after the other, several times, and returns the medians.
func loadInTurn(ctx context.Context, a, b load) (this, peer result, err error) {
	var all [2][]result
	for range rounds {
		for i, l := range []load{a, b} {
			r, err := l.run(ctx, roundTime)
			if err != nil {
				return this, peer, err
			}
			all[i] = append(all[i], r)
		}
	}
	return middle(all[0]), middle(all[1]), nil
}

func middle(results []result) result {
	var rates []float64
	var p50, p99 []time.Duration
	for _, r := range results {
		rates, p50, p99 = append(rates, r.perSecond), append(p50, r.p50), append(p99, r.p99)
	}
	return result{median(rates), median(p50), median(p99)}
}

// atLeast compares two rates; more is better.
func atLeast(what string, this, peer result, bar float64) row {
	r := row{What: what, This: this.String(), Peer: peer.String(), Ratio: this.perSecond / peer.perSecond}
	if bar > 0 {
		r.Bar, r.Holds = fmt.Sprintf("at least %.3g", bar), r.Ratio >= bar
	}
	return r
}

// String is the rate with its latencies.
func (r result) String() string {
	return fmt.Sprintf("%.0f/s, p50 %s, p99 %s", r.perSecond, milliseconds(r.p50), milliseconds(r.p99))
}

func hostPort(url string) string { return strings.TrimPrefix(url, "http://") }

// bare starts the bare peer of an operation, with the service's own answer as its answer.
func (a *api) bare(ctx context.Context, p *programs, method, path, body string) (*server, error) {
	answer, err := a.call(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(p.dir, "answer.json")
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	return start(ctx, p.echo, file)
}
