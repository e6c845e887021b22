package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"
)

const (
	rounds    = 5
	roundTime = 1500 * time.Millisecond
	// settleTime is as long as a transfer takes to settle, three steps of half a second, and a little more.
	settleTime = 1600 * time.Millisecond
)

// An operation is what a load asks for.
type operation struct {
	method, path string // {account} stands for the id of an approved account
	status       int    // of success
	connections  int
	lead         time.Duration // before the measurement
	body         string        // {contact} stands for a saved contact's id
	headers      string
	limit        float64 // the least ratio of its rate to the bare peer's; zero where there is none
}

const (
	selection = `{"selectedSource":{"currency":"USDC","paymentRail":"base","provider":"chainline"},` +
		`"selectedDestination":{"currency":"EUR","paymentRail":"sepa","provider":"europay"}}`
	newTransfer = `{"destinationSavedContactId":"{contact}","route":"base:USDC->sepa:EUR","amount":"12.50",` +
		`"reference":"r-` + serialPlace + `"}`
)

var createAutoTransfer = operation{
	method: "POST", path: "/transfers/auto/v1", status: 201, connections: 32, lead: settleTime,
	body: newTransfer, headers: "Idempotency-Key: k-" + serialPlace + "\r\n", limit: 0.65,
}

// measureThroughput loads payctl serve, and the bare peer of the same JSON, in turn.
func measureThroughput(ctx context.Context, p *programs) ([]row, error) {
	var rows []row
	for _, o := range []operation{
		{method: "PATCH", path: "/transfers/info/v1", status: 200, connections: 32, lead: roundTime / 5, body: selection, limit: 0.85},
		{method: "PATCH", path: "/transfers/info/v1", status: 200, connections: 1, lead: roundTime / 5, body: selection},
		createAutoTransfer,
	} {
		more, err := o.measure(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o, err)
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// measure loads a service and its peer.
func (o operation) measure(ctx context.Context, p *programs) ([]row, error) {
	service, onService, client, body, err := o.onService(ctx, p)
	if err != nil {
		return nil, err
	}
	defer service.stop()
	bare, err := o.startBare(ctx, p, client, body)
	if err != nil {
		return nil, err
	}
	defer bare.stop()
	measured, err := loadInTurn(ctx, o.lead, onService, o.load(bare, client.token, 200, body))
	if err != nil {
		return nil, err
	}
	compared := measured[0].against(o.String()+" / bare net/http with encoding/json", measured[1])
	if o.limit > 0 {
		compared = compared.atLeast(o.limit)
	}
	return []row{compared}, nil
}

// String names the operation and its connections.
func (o operation) String() string {
	return fmt.Sprintf("%s %s, connections: %d", o.method, o.path, o.connections)
}

// measureData loads creates of a service that keeps everything in a folder, and of one in memory, in turn.
func measureData(ctx context.Context, p *programs) ([]row, error) {
	var rows []row
	for _, with := range []struct {
		connections int
		limit       float64 // the least ratio of the rates
	}{{32, 0.4}, {256, 0.6}} {
		create := createAutoTransfer
		create.connections = with.connections
		onDisk := []string{"--data", filepath.Join(p.dir, fmt.Sprint("data", with.connections))}
		measured, err := create.onTwoServices(ctx, p, onDisk, nil)
		if err != nil {
			return nil, fmt.Errorf("creates with --data: %w", err)
		}
		rows = append(rows, measured[0].against(create.String()+": --data / in memory", measured[1]).
			atLeast(with.limit).costsAtMost(3))
	}
	return rows, nil
}

// onTwoServices loads a service with some flags and one with others, in turn.
func (o operation) onTwoServices(ctx context.Context, p *programs, flags, others []string) ([]results, error) {
	service, load, _, _, err := o.onService(ctx, p, flags...)
	if err != nil {
		return nil, err
	}
	defer service.stop()
	peer, peerLoad, _, _, err := o.onService(ctx, p, others...)
	if err != nil {
		return nil, err
	}
	defer peer.stop()
	return loadInTurn(ctx, o.lead, load, peerLoad)
}

// onService starts a service and prepares the operation's load and request body for it.
func (o operation) onService(ctx context.Context, p *programs, flags ...string) (s *server, l load, c *session, body string, err error) {
	if s, err = p.startService(ctx, append([]string{"--kyc-delay", "0s"}, flags...)...); err != nil {
		return nil, load{}, nil, "", err
	}
	if l, c, body, err = o.at(ctx, s, "bench"); err != nil {
		s.stop()
		return nil, load{}, nil, "", err
	}
	return s, l, c, body, nil
}

// at logs a client in at a service, and prepares the operation's load and request body for it.
func (o operation) at(ctx context.Context, s *server, client string) (l load, c *session, body string, err error) {
	if c, err = loginAs(ctx, s, client); err == nil {
		l, body, err = o.prepare(ctx, s, c)
	}
	return l, c, body, err
}

// prepare makes what the operation's requests name, and returns its load and request body.
func (o operation) prepare(ctx context.Context, s *server, c *session) (load, string, error) {
	if strings.Contains(o.path+o.body, "{") {
		account, contact, err := c.createContact(ctx)
		if err != nil {
			return load{}, "", err
		}
		named := strings.NewReplacer("{account}", account, "{contact}", contact)
		o.path, o.body = named.Replace(o.path), named.Replace(o.body)
	}
	return o.load(s, c.token, o.status, o.body), o.body, nil
}

// load is the operation's load on a server.
func (o operation) load(s *server, token string, status int, body string) load {
	request := fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s",
		o.method, o.path, s.address(), token, o.headers, len(body), body)
	return load{targets: []target{{s, request}}, connections: o.connections, status: status}
}

// startBare starts the bare peer with the service's own response as its response. It fails when the peer's JSON is not
// the same, because then the peer would have less to encode.
func (o operation) startBare(ctx context.Context, p *programs, c *session, body string) (*server, error) {
	response, err := c.call(ctx, o.method, o.path, body)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(response)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(p.dir, "response.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	s, err := start(ctx, p.bare, file)
	if err != nil {
		return nil, err
	}
	repeated, err := (&session{url: s.url, token: c.token}).call(ctx, o.method, o.path, body)
	if err == nil && !reflect.DeepEqual(response, repeated) {
		err = errors.New("the bare peer answers other JSON than the service; its structs lack a member")
	}
	if err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// loadInTurn runs loads one after the other, in several rounds.
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

// results are the rounds of one load.
type results []result

// median returns the median of each figure by itself, but the longest request of all rounds.
func (rs results) median() result {
	var rates []float64
	var p50, p99, longest, each []time.Duration
	for _, r := range rs {
		rates, p50, p99 = append(rates, r.perSecond), append(p50, r.p50), append(p99, r.p99)
		longest, each = append(longest, r.longest), append(each, r.each)
	}
	return result{
		perSecond: median(rates), p50: median(p50), p99: median(p99), longest: slices.Max(longest), each: median(each),
	}
}

// against compares the medians of two loads.
func (rs results) against(what string, peer results) row {
	this, other := rs.median(), peer.median()
	r := row{what: what, this: this.String(), peer: other.String(), ratio: this.perSecond / other.perSecond}
	return r.costs(this.each, other.each)
}
