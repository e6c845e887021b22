package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A load is requests sent over connections that are kept open, each connection one request at a time.
type load struct {
	addr        string // host:port
	connections int
	// request writes the next request of a connection.
	request func(connection, n int) []byte
	status  string // that every answer must have, such as "200"
}

// A result is what a load came to.
type result struct {
	perSecond float64
	p50, p99  time.Duration
}

// run sends for a while.
func (l load) run(ctx context.Context, d time.Duration) (result, error) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	var (
		group     sync.WaitGroup
		mu        sync.Mutex
		latencies []time.Duration
		failures  error
	)
	began := time.Now()
	for connection := range l.connections {
		group.Go(func() {
			own, err := l.drive(ctx, connection)
			mu.Lock()
			defer mu.Unlock()
			latencies = append(latencies, own...)
			failures = errors.Join(failures, err)
		})
	}
	group.Wait()
	if failures != nil || len(latencies) == 0 {
		return result{}, errors.Join(failures, errors.New("the load failed"))
	}
	slices.Sort(latencies)
	return result{
		perSecond: float64(len(latencies)) / time.Since(began).Seconds(),
		p50:       latencies[len(latencies)/2],
		p99:       latencies[len(latencies)*99/100],
	}, nil
}

// drive sends over one connection until the context ends.
func (l load) drive(ctx context.Context, connection int) ([]time.Duration, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", l.addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	reader := bufio.NewReaderSize(conn, 64<<10)
	var latencies []time.Duration
	for n := 0; ctx.Err() == nil; n++ {
		began := time.Now()
		if _, err := conn.Write(l.request(connection, n)); err != nil {
			return latencies, err
		}
		if err := l.answer(reader); err != nil {
			return latencies, err
		}
		latencies = append(latencies, time.Since(began))
	}
	return latencies, nil
}

// answer reads one answer to its end.
func (l load) answer(r *bufio.Reader) error {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return err
	}
	if !bytes.Contains(line, []byte(" "+l.status+" ")) {
		return fmt.Errorf("the answer is %s, not %s", strings.TrimSpace(string(line)), l.status)
	}
	length, chunked := 0, false
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) <= 2 {
			break
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(strings.TrimSpace(string(value))); err != nil {
				return err
			}
		}
		chunked = chunked || bytes.HasPrefix(line, []byte("Transfer-Encoding: chunked"))
	}
	if chunked {
		return skipChunks(r)
	}
	_, err = r.Discard(length)
	return err
}

func skipChunks(r *bufio.Reader) error {
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return err
		}
		size, err := strconv.ParseUint(strings.TrimSpace(string(line)), 16, 31)
		if err != nil {
			return err
		}
		if _, err := io.CopyN(io.Discard, r, int64(size)+2); err != nil {
			return err
		}
		if size == 0 {
			return nil
		}
	}
}
