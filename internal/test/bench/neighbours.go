package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"
)

const (
	// neighbourTime is how long each disturbance lasts.
	neighbourTime = 6 * time.Second
	// neighbourPace is the time from one measured write to the next: each is sent at its time, also if those before it
	// have no response yet, so that a delay counts for all writes that it delays.
	neighbourPace = 10 * time.Millisecond
	// neighbourAccounts is how many accounts the snapshot has that is restored again and again.
	neighbourAccounts = 5000
	// longestDelay is how much longer a write may take because of another client, at the 99th percentile.
	longestDelay = 100 * time.Millisecond
)

// measureNeighbours measures how long the writes of one client take at a service that keeps its data in a folder, while
// another client keeps it as busy as it can.
func measureNeighbours(ctx context.Context, p *programs) ([]row, error) {
	s, err := p.startService(ctx, "--data", filepath.Join(p.dir, "neighbours"), "--kyc-delay", "1h")
	if err != nil {
		return nil, err
	}
	defer s.stop()
	busy, err := loginAs(ctx, s, "busy")
	if err != nil {
		return nil, err
	}
	quiet, err := loginAs(ctx, s, "quiet")
	if err != nil {
		return nil, err
	}
	if _, err := busy.createAccounts(ctx, neighbourAccounts); err != nil {
		return nil, err
	}
	snapshot, err := busy.send(ctx, http.MethodGet, "/sandbox/snapshot/v1", nil)
	if err != nil {
		return nil, err
	}
	alone, err := quiet.timeWrites(ctx)
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, disturbance := range []struct {
		what        string
		connections int
		disturb     func(context.Context) error
	}{
		{"creates accounts over 64 connections", 64, func(ctx context.Context) error {
			_, err := busy.createAccount(ctx, "ada@example.com")
			return err
		}},
		{"restores a snapshot of " + strconv.Itoa(neighbourAccounts) + " accounts and lets all their checks end", 1,
			func(ctx context.Context) error {
				_, restoring := busy.send(ctx, http.MethodPut, "/sandbox/snapshot/v1", snapshot)
				_, advancing := busy.send(ctx, http.MethodPost, "/sandbox/clock/advance/v1", []byte(`{"duration":"2h"}`))
				return errors.Join(restoring, advancing)
			}},
		{"takes snapshots over 32 connections", 32, func(ctx context.Context) error {
			_, err := busy.send(ctx, http.MethodGet, "/sandbox/snapshot/v1", nil)
			return err
		}},
	} {
		disturbing, cancel := context.WithCancel(ctx)
		var group sync.WaitGroup
		failures := make([]error, disturbance.connections)
		for i := range failures {
			group.Go(func() {
				for disturbing.Err() == nil && failures[i] == nil {
					failures[i] = disturbance.disturb(disturbing)
				}
				if disturbing.Err() != nil {
					failures[i] = nil // it was cut off
				}
			})
		}
		disturbed, err := quiet.timeWrites(ctx)
		cancel()
		group.Wait()
		if err := errors.Join(err, errors.Join(failures...)); err != nil {
			return nil, fmt.Errorf("while another client %s: %w", disturbance.what, err)
		}
		r := row{
			what: "--data, time of a write: while another client " + disturbance.what + " / alone",
			this: disturbed.String(), peer: alone.String(), ratio: float64(disturbed.p99) / float64(alone.p99),
			limit: fmt.Sprintf("p99 at most %s more", longestDelay), holds: disturbed.p99-alone.p99 <= longestDelay,
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// writeTimes are how long writes took, from when they were to be sent.
type writeTimes struct{ p50, p99, longest time.Duration }

// String returns the times in milliseconds.
func (w writeTimes) String() string {
	return fmt.Sprintf("p50 %s, p99 %s, longest %s", duration(w.p50), duration(w.p99), duration(w.longest))
}

// timeWrites creates accounts at a steady pace for neighbourTime.
func (c *session) timeWrites(ctx context.Context) (writeTimes, error) {
	times, failures := make([]time.Duration, neighbourTime/neighbourPace), make([]error, neighbourTime/neighbourPace)
	var group sync.WaitGroup
	began := time.Now()
	for i := range times {
		due := began.Add(time.Duration(i) * neighbourPace)
		time.Sleep(time.Until(due))
		group.Go(func() {
			_, failures[i] = c.createAccount(ctx, "bob"+strconv.Itoa(i)+"@example.com")
			times[i] = time.Since(due)
		})
	}
	group.Wait()
	slices.Sort(times)
	return writeTimes{times[len(times)/2], times[len(times)*99/100], times[len(times)-1]}, errors.Join(failures...)
}

// largestSnapshot is the largest snapshot that is read, in bytes.
const largestSnapshot = 64 << 20

// send sends a request and returns the body of its response, which must be a success.
func (c *session) send(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+c.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, largestSnapshot))
	if err == nil && response.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("%s %s: %s %.200s", method, path, response.Status, text)
	}
	return text, err
}
