package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// serialPlace stands in a request for a number of as many digits that no other request has.
const serialPlace = "############"

// lastSerial is the last number that was used. It is shared by all loads: an idempotency key must not come again.
var lastSerial atomic.Int64

// A target is a request and where it is sent.
type target struct {
	address string // host:port
	request []byte
}

// A load sends requests again and again over connections that are kept open. It writes prepared bytes, so that it takes
// little processor time from the server.
type load struct {
	targets     []target // each connection has one of them
	connections int
	status      int // that every response must have
}

// A result is what a load measured.
type result struct {
	sent      int // requests, with those of the beginning
	perSecond float64
	p50, p99  time.Duration
}

// String returns the rate with its latencies.
func (r result) String() string {
	return fmt.Sprintf("%.0f/s, p50 %.2f ms, p99 %.2f ms", r.perSecond, float64(r.p50)/1e6, float64(r.p99)/1e6)
}

// lastResponse is how long after the end of a load its last responses may take.
const lastResponse = 10 * time.Second

// run sends for lead+d and measures the requests of d.
func (l load) run(ctx context.Context, lead, d time.Duration) (result, error) {
	window, cancel := context.WithTimeout(ctx, lead+d)
	defer cancel()
	var (
		group     sync.WaitGroup
		mu        sync.Mutex
		latencies []time.Duration
		sent      int
		failures  error
	)
	from := time.Now().Add(lead)
	for i := range l.connections {
		group.Go(func() {
			all, own, err := l.send(window, l.targets[i%len(l.targets)], from, from.Add(d+lastResponse))
			mu.Lock()
			defer mu.Unlock()
			sent += all
			latencies = append(latencies, own...)
			failures = errors.Join(failures, err)
		})
	}
	group.Wait()
	took := time.Since(from)
	if err := errors.Join(failures, ctx.Err()); err != nil {
		return result{}, fmt.Errorf("the load on %s failed: %w", l.targets[0].address, err)
	}
	if len(latencies) == 0 {
		return result{}, fmt.Errorf("the load on %s got no response in %s", l.targets[0].address, d)
	}
	slices.Sort(latencies)
	return result{
		sent:      sent,
		perSecond: float64(len(latencies)) / took.Seconds(),
		p50:       latencies[len(latencies)/2],
		p99:       latencies[len(latencies)*99/100],
	}, nil
}

// send sends over one connection until the context ends, and returns the latencies of the requests sent from a time on.
func (l load) send(
	ctx context.Context, to target, from, deadline time.Time,
) (sent int, latencies []time.Duration, err error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", to.address)
	if err != nil {
		return 0, nil, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(deadline); err != nil {
		return 0, nil, err
	}
	reader := bufio.NewReaderSize(conn, 64<<10)
	for ; ctx.Err() == nil; sent++ {
		serial := fmt.Appendf(nil, "%0*d", len(serialPlace), lastSerial.Add(1))
		request := bytes.ReplaceAll(to.request, []byte(serialPlace), serial)
		began := time.Now()
		if _, err := conn.Write(request); err != nil {
			return sent, latencies, err
		}
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			return sent, latencies, err
		}
		if response.StatusCode != l.status {
			return sent, latencies, fmt.Errorf("the response is %s, not %d", response.Status, l.status)
		}
		_, err = io.Copy(io.Discard, response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil {
			return sent, latencies, err
		}
		if !began.Before(from) {
			latencies = append(latencies, time.Since(began))
		}
	}
	return sent, latencies, nil
}
