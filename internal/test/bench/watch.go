package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

const (
	watchedAccounts = 10_000
	watchedChanges  = 200 // that are timed
	watchLatency    = 100 * time.Millisecond
	watchMemory     = 150 << 20 // bytes
	watchTimeout    = 3 * time.Minute
)

// measureWatch measures how long `payctl kyc watch` of many accounts takes from a change to its line, and its memory.
func measureWatch(ctx context.Context, p *programs) ([]row, error) {
	ctx, cancel := context.WithTimeout(ctx, watchTimeout)
	defer cancel()
	s, c, ids, err := p.startWithAccounts(ctx, watchedAccounts)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	w, err := startWatch(ctx, p, s)
	if err != nil {
		return nil, err
	}
	defer w.stop()
	for range ids {
		if _, err := w.next(); err != nil {
			return nil, err
		}
	}
	var times []time.Duration
	for i := range watchedChanges {
		id := ids[i*len(ids)/watchedChanges]
		began := time.Now()
		if _, err := c.call(ctx, http.MethodPut, "/sandbox/accounts/"+id+"/kyc/v1", `{"status":"under_review"}`); err != nil {
			return nil, err
		}
		if err := w.waitFor(id); err != nil {
			return nil, err
		}
		times = append(times, time.Since(began))
	}
	what := fmt.Sprintf("kyc watch --all, %d accounts: ", watchedAccounts)
	rows := []row{durations(what+"from the request of a change to its line / 100 ms", median(times), watchLatency).atMost(1)}
	if peak, err := processMemory(w.cmd.Process.Pid, "VmHWM"); err == nil {
		rows = append(rows, memory(what+"peak memory", peak, watchMemory))
	}
	return rows, nil
}

// startWithAccounts starts a service with n accounts whose checks never end by themselves.
func (p *programs) startWithAccounts(ctx context.Context, n int) (s *server, c *session, ids []string, err error) {
	if s, err = p.startService(ctx, "--kyc-delay", "1000h"); err != nil {
		return nil, nil, nil, err
	}
	if c, err = login(ctx, s); err == nil {
		ids, err = c.createAccounts(ctx, n)
	}
	if err != nil {
		s.stop()
	}
	return s, c, ids, err
}

// createAccounts creates n accounts and returns their ids.
func (c *session) createAccounts(ctx context.Context, n int) ([]string, error) {
	const workers = 8
	ids, failures := make([]string, n), make([]error, workers)
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for i := worker; i < n && failures[worker] == nil; i += workers {
				ids[i], failures[worker] = c.createAccount(ctx, "ada"+strconv.Itoa(i)+"@example.com")
			}
		})
	}
	group.Wait()
	return ids, errors.Join(failures...)
}

// A watcher is a running `payctl kyc watch`.
type watcher struct {
	cmd *exec.Cmd
	out *bufio.Scanner
}

func startWatch(ctx context.Context, p *programs, s *server) (*watcher, error) {
	cmd := exec.CommandContext(ctx, p.payctl, "kyc", "watch", "--all", "-o", "ndjson")
	cmd.Env = s.environment(filepath.Join(p.dir, "watch-config"))
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	return &watcher{cmd, bufio.NewScanner(out)}, err
}

// next returns the subject of the next line.
func (w *watcher) next() (string, error) {
	if !w.out.Scan() {
		return "", errors.Join(io.ErrUnexpectedEOF, w.out.Err())
	}
	var change struct{ SubjectID string }
	err := json.Unmarshal(w.out.Bytes(), &change)
	return change.SubjectID, err
}

func (w *watcher) waitFor(id string) error {
	for {
		if subject, err := w.next(); err != nil || subject == id {
			return err
		}
	}
}

func (w *watcher) stop() {
	_ = w.cmd.Process.Kill()
	_ = w.cmd.Wait()
}
