package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// heldAnswers is how many requests are held at once.
const heldAnswers = 10_000

// measureHeld is how much memory a server takes that holds many requests for events, of which none happens.
func measureHeld(ctx context.Context, p *programs) ([]row, error) {
	if runtime.GOOS != "linux" {
		p.notes = append(p.notes, "Without its rows: the memory of held requests, which is read from /proc.")
		return nil, nil
	}
	var rows []row
	for _, form := range []struct {
		name, accept string
		bar          int64 // bytes; zero: none
	}{
		{"long-polls", "application/json", 300 << 20},
		{"event streams", "text/event-stream", 0}, // net/http keeps 6 KiB for each that has begun to answer
	} {
		bytes, err := hold(ctx, p, form.accept)
		if err != nil {
			return nil, fmt.Errorf("held %s: %w", form.name, err)
		}
		held := row{
			What: fmt.Sprintf("resident with %d idle %s of the feed of events", heldAnswers, form.name),
			This: fmt.Sprintf("%d MiB", bytes>>20),
		}
		if form.bar > 0 {
			held.Bar, held.Holds = fmt.Sprintf("under %d MiB", form.bar>>20), bytes < form.bar
		}
		rows = append(rows, held)
	}
	return rows, nil
}

// hold opens the requests and returns the resident memory of the server when it holds all of them.
func hold(ctx context.Context, p *programs, accept string) (bytes int64, err error) {
	s, err := start(ctx, p.payctl, "serve", "--addr", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer s.stop()
	api, err := newAPI(ctx, s)
	if err != nil {
		return 0, err
	}
	addr := strings.TrimPrefix(s.url(), "http://")
	request := fmt.Appendf(nil, "GET /events/v1?after=latest HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nAccept: %s\r\nPrefer: wait=60\r\n\r\n",
		addr, api.token, accept)
	for range heldAnswers {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
		if err != nil {
			return 0, err
		}
		defer conn.Close()
		if _, err := conn.Write(request); err != nil {
			return 0, err
		}
	}
	return restingMemory(ctx, s.cmd.Process.Pid)
}

// Waiting for a server to come to rest.
const (
	restPause = 500 * time.Millisecond
	restLimit = 40 * time.Second // less than the requests are held
)

// restingMemory is the resident memory of a server that has taken every connection and used no processor time since it
// was last looked at.
func restingMemory(ctx context.Context, pid int) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, restLimit)
	defer cancel()
	pause := time.NewTicker(restPause)
	defer pause.Stop()
	for last := ""; ; {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return 0, err
		}
		files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		if err != nil {
			return 0, err
		}
		used := strings.Join(strings.Fields(string(stat))[13:15], " ") // in user and in system mode
		if len(files) > heldAnswers && used == last {
			return resident(pid)
		}
		last = used
		select {
		case <-pause.C:
		case <-ctx.Done():
			return 0, fmt.Errorf("the server does not come to rest, with %d files: %w", len(files), ctx.Err())
		}
	}
}

// resident is the resident memory of a process in bytes (proc(5), VmRSS).
func resident(pid int) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmRSS:" {
			kibibytes, err := strconv.ParseInt(fields[1], 10, 64)
			return kibibytes << 10, err
		}
	}
	return 0, errors.New("the process has no VmRSS")
}
