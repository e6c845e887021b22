package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// heldRequests is how many requests a server holds at once.
const heldRequests = 10_000

// measureHeldRequests measures the memory of a server that holds many requests for events while nothing happens.
func measureHeldRequests(ctx context.Context, p *programs) ([]row, error) {
	if runtime.GOOS != "linux" {
		p.notes = append(p.notes, "The rows of memory are missing, because it is read from /proc.")
		return nil, nil
	}
	var rows []row
	for _, form := range []struct {
		name, accept string
		limit        int64 // bytes
	}{
		{"long polls", "application/json", 300 << 20},
		{"event streams", "text/event-stream", 0}, // net/http keeps 6 KiB for each response that has begun
	} {
		bytes, err := hold(ctx, p, form.accept)
		if err != nil {
			return nil, fmt.Errorf("held %s: %w", form.name, err)
		}
		rows = append(rows, memory(fmt.Sprintf("resident memory with %d idle %s of the event feed", heldRequests, form.name), bytes, form.limit))
	}
	return rows, nil
}

// hold opens the requests and returns the resident memory of the server, in bytes, when it holds all of them.
func hold(ctx context.Context, p *programs, accept string) (bytes int64, err error) {
	s, err := p.startService(ctx)
	if err != nil {
		return 0, err
	}
	defer s.stop()
	c, err := login(ctx, s)
	if err != nil {
		return 0, err
	}
	request := fmt.Appendf(nil, "GET /events/v1?after=latest HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nAccept: %s\r\nPrefer: wait=60\r\n\r\n",
		s.address(), c.token, accept)
	for range heldRequests {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.address())
		if err != nil {
			return 0, err
		}
		defer conn.Close()
		if _, err := conn.Write(request); err != nil {
			return 0, err
		}
	}
	if err := waitUntilIdle(ctx, s.cmd.Process.Pid); err != nil {
		return 0, err
	}
	return processMemory(s.cmd.Process.Pid, "VmRSS")
}

const (
	idlePause = 500 * time.Millisecond // between two looks at a server's processor time
	idleLimit = 40 * time.Second       // less than the 60 s for which the requests are held
)

// waitUntilIdle returns when a server has accepted every connection and used no processor time between two looks.
func waitUntilIdle(ctx context.Context, pid int) error {
	ctx, cancel := context.WithTimeout(ctx, idleLimit)
	defer cancel()
	pause := time.NewTicker(idlePause)
	defer pause.Stop()
	for last := ""; ; {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return err
		}
		files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		if err != nil {
			return err
		}
		used := strings.Join(strings.Fields(string(stat))[13:15], " ") // utime and stime, proc(5)
		if len(files) > heldRequests && used == last {
			return nil
		}
		last = used
		select {
		case <-pause.C:
		case <-ctx.Done():
			return fmt.Errorf("the server with %d open files is not idle: %w", len(files), ctx.Err())
		}
	}
}

// processMemory reads a figure of a process from /proc/PID/status (proc(5)), in bytes: VmRSS is its resident memory now,
// VmHWM the most that it ever had.
func processMemory(pid int, figure string) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == figure+":" {
			kibibytes, err := strconv.ParseInt(fields[1], 10, 64)
			return kibibytes << 10, err
		}
	}
	return 0, errors.New("the process has no " + figure)
}

// The sizes of the worlds that measureScale compares.
const (
	smallWorld = "1000"
	largeWorld = "1000000"
)

// measureScale compares requests in a world of a thousand transfers with the same in a world of a million, by a
// benchmark of the service.
func measureScale(ctx context.Context, _ *programs) ([]row, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^BenchmarkScale$", "-benchtime", "3000x", "-timeout", "20m", "./internal/refserver")
	cmd.Env = append(os.Environ(), "GOGC=50") // less memory while the large world is filled, which is not measured
	output, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, output)
	}
	figures := benchmarkFigures(string(output), "BenchmarkScale/")
	var rows []row
	for _, action := range []struct{ name, what string }{{"get", "get a transfer"}, {"page", "list a page of transfers"}, {"create", "create a transfer"}} {
		large, small := figures[largeWorld+"/"+action.name+" ns/op"], figures[smallWorld+"/"+action.name+" ns/op"]
		if large == 0 || small == 0 {
			return nil, fmt.Errorf("the benchmark has no figures of %s:\n%s", action.name, output)
		}
		what := action.what + ": in a world of 1,000,000 transfers / of 1,000"
		rows = append(rows, durations(what, time.Duration(large), time.Duration(small)).atMost(1.5))
	}
	each := fmt.Sprintf("%.0f bytes", figures[largeWorld+"/get B/transfer"])
	return append(rows, row{what: "memory of a settled transfer with its idempotency record, in a world of 1,000,000", this: each}), nil
}

// benchmarkFigures reads what go test prints for a benchmark whose name ends with a slash, by "name unit" of its parts.
func benchmarkFigures(output, benchmark string) map[string]float64 {
	figures := map[string]float64{}
	for line := range strings.Lines(output) {
		line, ok := strings.CutPrefix(line, benchmark)
		fields := strings.Fields(line)
		if !ok || len(fields) == 0 {
			continue
		}
		name, _, _ := strings.Cut(fields[0], "-") // what follows is the number of processors
		for i := 2; i+1 < len(fields); i += 2 {
			if figure, err := strconv.ParseFloat(fields[i], 64); err == nil {
				figures[name+" "+fields[i+1]] = figure
			}
		}
	}
	return figures
}
