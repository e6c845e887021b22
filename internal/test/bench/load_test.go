//go:build linux

package bench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	loadRounds = 5
	roundTime  = 1500 * time.Millisecond
	// serialPlace stands in a request for a number of as many digits that no other request has.
	serialPlace = "############"
)

// lastSerial is shared by all loads: an idempotency key must not come again.
var lastSerial atomic.Int64

// A load sends prepared requests again and again over connections that are kept open, which takes little processor time
// from the server.
type load struct {
	*server
	request     []byte
	status      int // that every response must have
	connections int
	// most is how many requests are sent at most; zero where their number has no bound.
	most int64
}

// A result is what a load measured.
type result struct {
	perSecond float64
	p99       time.Duration
	each      time.Duration // processor time of the server for a request
}

// newLoad makes a load of one request.
func newLoad(s *server, token, method, path, body string, status, connections int) load {
	request := fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"Idempotency-Key: k-%s\r\nContent-Length: %d\r\n\r\n%s", method, path, s.address(), token, serialPlace, len(body), body)
	return load{server: s, request: request, status: status, connections: connections}
}

// run sends for a time, or until there were enough requests, and measures those that are sent after lead.
func (l load) run(b *testing.B, lead, d time.Duration) result {
	b.Helper()
	var (
		group     sync.WaitGroup
		begun     atomic.Int64
		latencies = make([][]time.Duration, l.connections)
		failures  = make([]error, l.connections)
	)
	from := time.Now().Add(lead)
	until := from.Add(d)
	next := func() bool { return time.Now().Before(until) && (l.most == 0 || begun.Add(1) <= l.most) }
	for i := range l.connections {
		group.Go(func() { latencies[i], failures[i] = l.send(next, from) })
	}
	time.Sleep(time.Until(from))
	before := processorTime(b, l.cmd.Process.Pid)
	group.Wait()
	used, took := processorTime(b, l.cmd.Process.Pid)-before, time.Since(from)
	require.NoError(b, errors.Join(failures...))
	all := slices.Concat(latencies...)
	require.NotEmpty(b, all)
	slices.Sort(all)
	return result{
		perSecond: float64(len(all)) / took.Seconds(), p99: all[len(all)*99/100], each: used / time.Duration(len(all)),
	}
}

// send sends over one connection while there is a next request, and returns the latencies of those sent from a time on.
func (l load) send(next func() bool, from time.Time) (latencies []time.Duration, err error) {
	conn, err := net.Dial("tcp", l.address())
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	reader := bufio.NewReaderSize(conn, 64<<10)
	for next() {
		serial := fmt.Appendf(nil, "%0*d", len(serialPlace), lastSerial.Add(1))
		began := time.Now()
		if _, err := conn.Write(bytes.ReplaceAll(l.request, []byte(serialPlace), serial)); err != nil {
			return nil, err
		}
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(response.Body)
		if err != nil {
			return nil, err
		}
		if response.StatusCode != l.status {
			return nil, fmt.Errorf("the response is %s, not %d: %s", response.Status, l.status, text)
		}
		if began.After(from) {
			latencies = append(latencies, time.Since(began))
		}
	}
	return latencies, nil
}

// compare runs two loads in turn, several rounds of each, and reports the medians of rate, delay and processor time.
func compare(b *testing.B, name string, lead time.Duration, payctl, peer load, rates limit) {
	b.Helper()
	var rate, each, p99 [2][]float64
	for range loadRounds {
		for i, l := range []load{payctl, peer} {
			r := l.run(b, lead, roundTime)
			rate[i] = append(rate[i], r.perSecond)
			each[i] = append(each[i], float64(r.each)/float64(time.Microsecond))
			p99[i] = append(p99[i], float64(r.p99)/float64(time.Millisecond))
		}
	}
	report(b, name+"/rate", "requests/s", median(rate[0]), median(rate[1]), rates)
	report(b, name+"/processor time a request", "µs", median(each[0]), median(each[1]), limit{})
	report(b, name+"/p99", "ms", median(p99[0]), median(p99[1]), limit{})
}
