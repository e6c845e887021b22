package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// serialPlace stands in a request for a number that no other request has, in as many digits.
const serialPlace = "############"

// serial is the number of the last request that had one; a key of one round must not be used in another.
var serial atomic.Int64

// A load is requests sent over connections that are kept open, each connection one request at a time.
type load struct {
	addr        string // host:port
	connections int
	text        string // the request's body
	request     []byte // the bytes of every request, made beforehand so that sending takes little from the server
	status      string // that every answer must have, such as "200"
}

// A result is what a load came to.
type result struct {
	sent      int // with those of the beginning, which do not count
	perSecond float64
	p50, p99  time.Duration
}

// stuck is how long after the end of a load its last answers are waited for.
const stuck = 10 * time.Second

// run sends for a while, of which the beginning, as long as lead, does not count.
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
	for range l.connections {
		group.Go(func() {
			all, own, err := l.drive(window, from, from.Add(d+stuck))
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
		return result{}, fmt.Errorf("the load on %s failed: %w", l.addr, err)
	}
	if len(latencies) == 0 {
		return result{}, fmt.Errorf("the load on %s got no answer in %s", l.addr, d)
	}
	slices.Sort(latencies)
	return result{
		sent:      sent,
		perSecond: float64(len(latencies)) / took.Seconds(),
		p50:       latencies[len(latencies)/2],
		p99:       latencies[len(latencies)*99/100],
	}, nil
}

// drive sends over one connection until the context ends. The latencies are those of requests sent at a moment or later.
func (l load) drive(ctx context.Context, from, deadline time.Time) (sent int, latencies []time.Duration, err error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", l.addr)
	if err != nil {
		return 0, nil, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(deadline); err != nil {
		return 0, nil, err
	}
	request, places := bytes.Clone(l.request), l.serialPlaces()
	reader := bufio.NewReaderSize(conn, 64<<10)
	for ; ctx.Err() == nil; sent++ {
		if len(places) > 0 {
			number(request, places, serial.Add(1))
		}
		began := time.Now()
		if _, err := conn.Write(request); err != nil {
			return sent, latencies, err
		}
		if err := readAnswer(reader, l.status); err != nil {
			return sent, latencies, err
		}
		if !began.Before(from) {
			latencies = append(latencies, time.Since(began))
		}
	}
	return sent, latencies, nil
}

// serialPlaces is where the serial number stands in the request.
func (l load) serialPlaces() (places []int) {
	text := string(l.request)
	for from := 0; ; {
		i := strings.Index(text[from:], serialPlace)
		if i < 0 {
			return places
		}
		places = append(places, from+i)
		from += i + len(serialPlace)
	}
}

// number writes n, in decimal with leading zeros, at the places of a request.
func number(request []byte, places []int, n int64) {
	for _, place := range places {
		rest := n
		for i := place + len(serialPlace) - 1; i >= place; i-- {
			request[i] = byte('0' + rest%10)
			rest /= 10
		}
	}
}
