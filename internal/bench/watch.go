package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	watched       = 10_000 // accounts
	watchedMoves  = 200    // changes that are timed
	watchedBar    = 100 * time.Millisecond
	watchedMemory = 150 << 20 // bytes
	watchTimeout  = 3 * time.Minute
)

// measureWatch times how long one process that watches many accounts takes from a change to its line, and what memory it
// needs. The peers are bars, not programs: no other was found that watches more than one.
func measureWatch(ctx context.Context, p *programs) ([]row, error) {
	ctx, cancel := context.WithTimeout(ctx, watchTimeout)
	defer cancel()
	s, err := start(ctx, p.payctl, "serve", "--addr", "127.0.0.1:0", "--kyc-delay", "1000h")
	if err != nil {
		return nil, err
	}
	defer s.stop()
	a, err := newAPI(ctx, s)
	if err != nil {
		return nil, err
	}
	ids, err := a.accounts(ctx, watched)
	if err != nil {
		return nil, err
	}
	w, err := watchAll(ctx, p.payctl, a.url)
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
	for i := range watchedMoves {
		id := ids[i*len(ids)/watchedMoves]
		began := time.Now()
		told := make(chan error, 1)
		go func() { told <- w.waitFor(id) }()
		if _, err := a.call(ctx, http.MethodPut, "/sandbox/accounts/"+id+"/kyc/v1", `{"status":"under_review"}`); err != nil {
			return nil, err
		}
		if err := <-told; err != nil {
			return nil, err
		}
		times = append(times, time.Since(began))
	}
	rows := []row{atMost(fmt.Sprintf("kyc watch --all, %d accounts: from a change's request to its line / the bar", watched), median(times), watchedBar, 1)}
	if peak := w.peak(); peak > 0 {
		ratio := float64(peak) / watchedMemory
		rows = append(rows, row{
			What: fmt.Sprintf("kyc watch --all, %d accounts: peak memory / the bar", watched), This: mebibytes(peak), Peer: mebibytes(watchedMemory),
			Ratio: ratio, Bar: "at most 1", Holds: ratio <= 1,
		})
	}
	return rows, nil
}

func mebibytes(n int) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

// accounts makes so many accounts.
func (a *api) accounts(ctx context.Context, n int) ([]string, error) {
	const atOnce = 8
	ids, failed := make([]string, n), make([]error, atOnce)
	var workers sync.WaitGroup
	for worker := range atOnce {
		workers.Go(func() {
			for i := worker; i < n && failed[worker] == nil; i += atOnce {
				var account map[string]any
				account, failed[worker] = a.call(ctx, http.MethodPost, "/accounts/v1",
					`{"type":"individual","firstName":"Ada","lastName":"Lovelace","email":"ada`+strconv.Itoa(i)+`@example.com","country":"GB"}`)
				if failed[worker] == nil {
					ids[i], failed[worker] = member(account, "id")
				}
			}
		})
	}
	workers.Wait()
	return ids, errors.Join(failed...)
}

// A watcher is a running `payctl kyc watch`.
type watcher struct {
	cmd    *exec.Cmd
	out    *bufio.Scanner
	config string // folder
}

func watchAll(ctx context.Context, path, url string) (*watcher, error) {
	config, err := os.MkdirTemp("", "payctl-bench-watch-")
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, "kyc", "watch", "--all", "-o", "ndjson")
	cmd.Env = append(os.Environ(), "PAYCTL_BASE_URL="+url, "PAYCTL_CLIENT_ID=bench", "PAYCTL_CLIENT_SECRET=bench", "PAYCTL_CONFIG_DIR="+config)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(config))
	}
	return &watcher{cmd, bufio.NewScanner(out), config}, nil
}

// next is the subject of the next line.
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
		if told, err := w.next(); err != nil || told == id {
			return err
		}
	}
}

// peak is the most memory that the process had, in bytes; zero where the system does not tell.
func (w *watcher) peak() int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if kilobytes, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, _ := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(kilobytes), "kB")))
			return n << 10
		}
	}
	return 0
}

func (w *watcher) stop() {
	_ = w.cmd.Process.Kill()
	_ = w.cmd.Wait()
	_ = os.RemoveAll(w.config)
}
