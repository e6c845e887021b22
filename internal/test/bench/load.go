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
	"os"
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
	*server
	request []byte
}

// A load sends requests again and again over connections that are kept open. It writes prepared bytes, so that it takes
// little processor time from the server.
type load struct {
	targets     []target // each connection has one of them
	connections int
	status      int // that every response must have

	// most is how many requests are sent at most; zero where their number has no bound.
	most int64
	// pace is the time from one request of a connection to the next, zero where the next follows the response. Each is
	// due at its time, also if the one before it has no response yet, so that a delay counts for all that it delays.
	pace time.Duration
}

// A result is what a load measured.
type result struct {
	perSecond         float64
	p50, p99, longest time.Duration
	// Processor time of the servers for a request, and of the load generator; zero where it is not known.
	each, generator time.Duration
}

// String returns the rate with its latencies.
func (r result) String() string {
	return fmt.Sprintf("%.0f/s, p50 %.2f ms, p99 %.2f ms, longest %.0f ms",
		r.perSecond, float64(r.p50)/1e6, float64(r.p99)/1e6, float64(r.longest)/1e6)
}

// lastResponse is how long after the end of a load its last responses may take.
const lastResponse = 10 * time.Second

// run sends for lead+d and measures the requests of d.
func (l load) run(ctx context.Context, lead, d time.Duration) (result, error) {
	window, cancel := context.WithTimeout(ctx, lead+d)
	defer cancel()
	return l.runUntil(ctx, window, lead)
}

// runUntil sends until the window ends, which has a deadline, or until the bound on the number of requests is reached.
// It measures the requests that are sent after lead.
func (l load) runUntil(ctx, window context.Context, lead time.Duration) (result, error) {
	var (
		group     sync.WaitGroup
		mu        sync.Mutex
		latencies []time.Duration
		failures  error
		begun     atomic.Int64
	)
	next := func() bool { return window.Err() == nil && (l.most == 0 || begun.Add(1) <= l.most) }
	from := time.Now().Add(lead)
	for i := range l.connections {
		group.Go(func() {
			own, err := l.send(window, l.targets[i%len(l.targets)], next, from)
			mu.Lock()
			defer mu.Unlock()
			latencies = append(latencies, own...)
			failures = errors.Join(failures, err)
		})
	}
	time.Sleep(time.Until(from))
	servers, own, unknown := l.used()
	group.Wait()
	took := time.Since(from)
	serversAfter, ownAfter, err := l.used()
	if err := errors.Join(failures, unknown, err, ctx.Err()); err != nil {
		return result{}, fmt.Errorf("the load on %s failed: %w", l.targets[0].address(), err)
	}
	if len(latencies) == 0 {
		return result{}, fmt.Errorf("the load on %s got no response in %s", l.targets[0].address(), took)
	}
	slices.Sort(latencies)
	return result{
		perSecond: float64(len(latencies)) / took.Seconds(),
		p50:       latencies[len(latencies)/2],
		p99:       latencies[len(latencies)*99/100],
		longest:   latencies[len(latencies)-1],
		each:      (serversAfter - servers) / time.Duration(len(latencies)),
		generator: (ownAfter - own) / time.Duration(len(latencies)),
	}, nil
}

// used is the processor time that the servers have used so far, and the load generator.
func (l load) used() (servers, own time.Duration, err error) {
	own, err = processorTime(os.Getpid())
	counted := map[*server]bool{}
	for _, to := range l.targets {
		if !counted[to.server] {
			counted[to.server] = true
			used, failed := processorTime(to.cmd.Process.Pid)
			servers, err = servers+used, errors.Join(err, failed)
		}
	}
	return servers, own, err
}

// send sends over one connection while there is a next request, and returns the latencies of those sent from a time on.
func (l load) send(window context.Context, to target, next func() bool, from time.Time) ([]time.Duration, error) {
	conn, err := (&net.Dialer{}).DialContext(window, "tcp", to.address())
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	end, _ := window.Deadline()
	if err := conn.SetDeadline(end.Add(lastResponse)); err != nil {
		return nil, err
	}
	reader := bufio.NewReaderSize(conn, 64<<10)
	var latencies []time.Duration
	for due := time.Now(); next(); due = due.Add(l.pace) {
		serial := fmt.Appendf(nil, "%0*d", len(serialPlace), lastSerial.Add(1))
		request := bytes.ReplaceAll(to.request, []byte(serialPlace), serial)
		if l.pace == 0 {
			due = time.Now()
		}
		time.Sleep(time.Until(due))
		if _, err := conn.Write(request); err != nil {
			return nil, err
		}
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			return nil, err
		}
		if response.StatusCode != l.status {
			return nil, fmt.Errorf("the response is %s, not %d", response.Status, l.status)
		}
		_, err = io.Copy(io.Discard, response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil {
			return nil, err
		}
		if !due.Before(from) {
			latencies = append(latencies, time.Since(due))
		}
	}
	return latencies, nil
}
