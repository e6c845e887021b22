package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

const (
	viewAccounts = 100_000
	viewChanges  = 50 // a second
	viewFor      = 10 * time.Second
	viewKeys     = 40 // that are timed
	viewColumns  = 120
	viewRows     = 40
	viewMemory   = 200 << 20 // bytes
	viewLoading  = 20 * time.Second
	viewTimeout  = 5 * time.Minute
)

// measureView measures the live view of `payctl kyc watch --all` in a pseudo-terminal: its memory, the time from a
// change or a key to the screen, and the processor time that it takes while nothing and while much happens.
func measureView(ctx context.Context, p *programs) ([]row, error) {
	if runtime.GOOS != "linux" {
		p.notes = append(p.notes, "The rows of the live view are missing, because its processor time is read from /proc.")
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, viewTimeout)
	defer cancel()
	s, c, ids, err := p.startWithAccounts(ctx, viewAccounts)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	opened := time.Now()
	v, err := openView(ctx, p, s)
	if err != nil {
		return nil, err
	}
	defer v.close()
	if err := v.waitFor(ctx, "0 all 100,000"); err != nil {
		return nil, err
	}
	loading := time.Since(opened)

	if _, err := v.busyFor(ctx, viewFor/2); err != nil { // until what loading has left is collected
		return nil, err
	}
	idle, err := v.busyFor(ctx, viewFor)
	if err != nil {
		return nil, err
	}
	changes, err := v.timeChanges(ctx, c, ids[:viewKeys])
	if err != nil {
		return nil, err
	}

	ctx, stop := context.WithCancel(ctx)
	var changing sync.WaitGroup
	defer changing.Wait()
	defer stop()
	changing.Go(func() { c.change(ctx, ids) })
	busy, err := v.busyFor(ctx, viewFor)
	if err != nil {
		return nil, err
	}
	keys, err := v.timeKeys(ctx)
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("kyc watch --all in a terminal, %d accounts", viewAccounts)
	rows := []row{
		durations(what+": from its start until all are shown, at the default --rate / 20 s", loading, viewLoading).atMost(1),
		durations(
			what+": from the request of a change to the screen / 100 ms", median(changes), 100*time.Millisecond,
		).atMost(1),
		durations(
			what+fmt.Sprintf(", %d changes a second: from a key to the screen / 50 ms", viewChanges),
			median(keys), 50*time.Millisecond,
		).atMost(1),
		durations(what+": processor time of a second in which nothing happens / 5 ms", idle, 5*time.Millisecond).atMost(1),
		durations(
			what+fmt.Sprintf(": processor time of a second with %d changes / of 30 frames of 16 ms", viewChanges),
			busy, 30*16*time.Millisecond,
		).atMost(1),
	}
	if peak, err := processMemory(v.cmd.Process.Pid, "VmHWM"); err == nil {
		rows = append(rows, memory(what+": peak memory", peak, viewMemory))
	}
	frames, err := measureFrames(ctx)
	return append(rows, frames...), err
}

// timeChanges returns how long each change of an account takes from its request to the screen.
func (v *viewer) timeChanges(ctx context.Context, c *session, ids []string) (times []time.Duration, err error) {
	for i, id := range ids {
		began := time.Now()
		if err := c.review(ctx, id, i); err != nil {
			return nil, err
		}
		if err := v.waitFor(ctx, id[len(id)-12:]); err != nil { // in the latest changes
			return nil, err
		}
		times = append(times, time.Since(began))
	}
	return times, nil
}

// timeKeys returns how long each key takes to the screen: those that open and close the list of keys.
func (v *viewer) timeKeys(ctx context.Context) (times []time.Duration, err error) {
	for range viewKeys {
		for _, press := range []struct{ key, shows string }{{"?", "any other key"}, {"x", "q quit"}} {
			began := time.Now()
			if err := v.press(press.key); err != nil {
				return nil, err
			}
			if err := v.waitFor(ctx, press.shows); err != nil {
				return nil, err
			}
			times = append(times, time.Since(began))
		}
	}
	return times, nil
}

// review changes the status of an account.
func (c *session) review(ctx context.Context, id string, n int) error {
	status := []string{"under_review", "resubmission_required", "approved", "rejected"}[n%4]
	_, err := c.call(ctx, http.MethodPut, "/sandbox/accounts/"+id+"/kyc/v1", `{"status":"`+status+`"}`)
	return err
}

// change changes accounts until the context ends, so many a second.
func (c *session) change(ctx context.Context, ids []string) {
	ticks := time.NewTicker(time.Second / viewChanges)
	defer ticks.Stop()
	for i := viewKeys; i < len(ids); i++ {
		select {
		case <-ticks.C:
			_ = c.review(ctx, ids[i], i) // if the service is gone, what is measured fails
		case <-ctx.Done():
			return
		}
	}
}

// A viewer is a running live view with a terminal.
type viewer struct {
	cmd      *exec.Cmd
	terminal *os.File
	shown    vt10x.Terminal
	changed  chan struct{}
}

func openView(ctx context.Context, p *programs, s *server) (*viewer, error) {
	cmd := exec.CommandContext(ctx, p.payctl, "kyc", "watch", "--all")
	cmd.Env = append(s.environment(filepath.Join(p.dir, "view-config")), "TERM=xterm-256color", "LANG=C.UTF-8")
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: viewColumns, Rows: viewRows})
	if err != nil {
		return nil, err
	}
	v := &viewer{cmd, terminal, vt10x.New(vt10x.WithSize(viewColumns, viewRows)), make(chan struct{}, 1)}
	go v.read()
	return v, nil
}

// read shows what the program draws until it ends.
func (v *viewer) read() {
	buffer := make([]byte, 64<<10)
	for {
		n, err := v.terminal.Read(buffer)
		if err != nil {
			return
		}
		_, _ = v.shown.Write(buffer[:n])
		select {
		case v.changed <- struct{}{}:
		default:
		}
	}
}

func (v *viewer) press(keys string) error {
	_, err := v.terminal.WriteString(keys)
	return err
}

// waitFor returns when the screen shows a text.
func (v *viewer) waitFor(ctx context.Context, text string) error {
	for !strings.Contains(v.shown.String(), text) {
		select {
		case <-v.changed:
		case <-ctx.Done():
			return fmt.Errorf("the screen never showed %q, but\n%s", text, v.shown.String())
		}
	}
	return nil
}

// busyFor returns the processor time that the program takes in a second, on average of a while.
func (v *viewer) busyFor(ctx context.Context, d time.Duration) (time.Duration, error) {
	before, err := processorTime(v.cmd.Process.Pid)
	if err != nil {
		return 0, err
	}
	select {
	case <-time.After(d):
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	after, err := processorTime(v.cmd.Process.Pid)
	return time.Duration(float64(after-before) / d.Seconds()), err
}

func (v *viewer) close() {
	_ = v.cmd.Process.Kill()
	_ = v.cmd.Wait()
	_ = v.terminal.Close()
}

// processorTime returns the time that the threads of a process have run, from /proc/PID/task/TID/schedstat
// (sched-stats). It is zero where there is no such folder.
func processorTime(pid int) (total time.Duration, err error) {
	if runtime.GOOS != "linux" {
		return 0, nil
	}
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(files) == 0 {
		return 0, fmt.Errorf("process %d has no threads: %w", pid, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has ended
		}
		ran, _, _ := strings.Cut(string(text), " ")
		nanoseconds, err := strconv.ParseInt(ran, 10, 64)
		if err != nil {
			return 0, err
		}
		total += time.Duration(nanoseconds)
	}
	return total, nil
}

// measureFrames measures the processor time of the longest frame, by a benchmark of the view.
func measureFrames(ctx context.Context) ([]row, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^BenchmarkFrames$", "-benchtime", "200x",
		"-timeout", "5m", "./internal/ui/live")
	output, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, output)
	}
	figures := benchmarkFigures(string(output), "BenchmarkFrames/")
	var rows []row
	for _, frame := range []struct{ name, what string }{
		{"idle", "nothing happens"}, {"changes", "two rows change"}, {"move", "the cursor moves by a screen"},
		{"filter", "a letter of a filter is typed"}, {"sort", "the rows are sorted anew"},
	} {
		mean := time.Duration(figures[frame.name+" cpu-ms"] * float64(time.Millisecond))
		if mean == 0 {
			return nil, fmt.Errorf("the benchmark has no figures of %s:\n%s", frame.name, output)
		}
		what := fmt.Sprintf("a frame of the live view with %d rows, processor time: %s / 16 ms", viewAccounts, frame.what)
		rows = append(rows, durations(what, mean, 16*time.Millisecond).atMost(1))
	}
	return rows, nil
}
