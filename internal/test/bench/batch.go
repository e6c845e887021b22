package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	batchRows   = 100_000
	batchRounds = 3
	xargsRows   = 600 // a process for each row: the rate is the same for more
	atOnce      = 8   // requests
)

// A payer pays many transfers. Its command is made for a round, whose name is part of its files and references.
type payer struct {
	name    string
	rows    int
	limit   float64 // the least ratio of payctl's rate to its rate
	command func(ctx context.Context, round string, rows int) (*exec.Cmd, error)
}

// measureBatch pays a file with `payctl transfer batch`, which keeps a journal and checks every response, and the same
// transfers with curl, which does neither: one curl with many connections, and one curl for each transfer.
func measureBatch(ctx context.Context, p *programs) ([]row, error) {
	create := createAutoTransfer
	create.connections = atOnce
	service, onService, c, body, err := create.onService(ctx, p)
	if err != nil {
		return nil, err
	}
	defer service.stop()
	f := payFiles{dir: p.dir, payctl: p.payctl, service: service, client: c, body: body}
	payers := []payer{{name: "payctl transfer batch", rows: batchRows, command: f.payctlBatch}}
	if _, err := exec.LookPath("curl"); err == nil {
		payers = append(payers,
			payer{"curl -Z --parallel-max 8 -K FILE", batchRows, 1, f.curl},
			payer{"xargs -P 8 curl", xargsRows, 25, f.xargs})
	}
	paid, costs := make([][]float64, len(payers)), make([][]time.Duration, len(payers))
	var sent []float64
	var generated []time.Duration
	for round := range batchRounds {
		for i, payer := range payers {
			cmd, err := payer.command(ctx, fmt.Sprintf("%d-%d", i, round), payer.rows)
			if err != nil {
				return nil, err
			}
			began := time.Now()
			if output, err := cmd.CombinedOutput(); err != nil {
				return nil, fmt.Errorf("%s: %w\n%s", payer.name, err, output)
			}
			paid[i] = append(paid[i], float64(payer.rows)/time.Since(began).Seconds())
			used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() // with that of its own commands
			costs[i] = append(costs[i], used/time.Duration(payer.rows))
		}
		measured, err := onService.run(ctx, settleTime, roundTime)
		if err != nil {
			return nil, err
		}
		sent, generated = append(sent, measured.perSecond), append(generated, measured.generator)
	}
	const what = "payctl transfer batch, 8 at a time / "
	batch, cost := median(paid[0]), median(costs[0])
	rows := []row{rates(what+"this page's load generator, 8 connections", batch, median(sent)).
		costs(cost, median(generated)).atLeast(0.6)}
	for i, payer := range payers[1:] {
		rows = append(rows, rates(what+payer.name, batch, median(paid[i+1])).
			costs(cost, median(costs[i+1])).atLeast(payer.limit))
	}
	return rows, nil
}

// payFiles writes the input files of the payers.
type payFiles struct {
	dir, payctl string
	service     *server
	client      *session
	body        string // of a create, with serialPlace in place of the reference's number
}

// write writes a file with one entry for each row.
func (f payFiles) write(name string, rows int, entry func(n int) string) (path string, err error) {
	path = filepath.Join(f.dir, name)
	var content bytes.Buffer
	for n := range rows {
		content.WriteString(entry(n))
	}
	return path, os.WriteFile(path, content.Bytes(), 0o600)
}

// request is the body of a create with a reference of its own.
func (f payFiles) request(round string, n int) string {
	return strings.ReplaceAll(f.body, serialPlace, fmt.Sprintf("%s-%d", round, n))
}

func (f payFiles) payctlBatch(ctx context.Context, round string, rows int) (*exec.Cmd, error) {
	path, err := f.write(round+".ndjson", rows, func(n int) string {
		return strings.Replace(f.request(round, n), "destinationSavedContactId", "contact", 1) + "\n"
	})
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, f.payctl, "transfer", "batch", path, "--yes", "--quiet", "--concurrency", strconv.Itoa(atOnce), "--report", path+".report.csv")
	cmd.Env = f.service.environment(filepath.Join(f.dir, "batch-config"))
	return cmd, nil
}

func (f payFiles) curl(ctx context.Context, round string, rows int) (*exec.Cmd, error) {
	path, err := f.write(round+".curl", rows, func(n int) string {
		next := ""
		if n > 0 {
			next = "next\n"
		}
		return fmt.Sprintf("%surl = %q\nheader = %q\nheader = %q\nheader = %q\ndata = %q\noutput = %q\n", next, f.service.url+createAutoTransfer.path,
			"Authorization: Bearer "+f.client.token, "Content-Type: application/json", fmt.Sprintf("Idempotency-Key: c-%s-%d", round, n),
			f.request(round, n), os.DevNull)
	})
	return exec.CommandContext(ctx, "curl", "--silent", "--parallel", "--parallel-max", strconv.Itoa(atOnce), "--config", path), err
}

func (f payFiles) xargs(ctx context.Context, round string, rows int) (*exec.Cmd, error) {
	path, err := f.write(round+".bodies", rows, func(n int) string { return f.request(round, n) + "\n" })
	return exec.CommandContext(ctx, "xargs", "--arg-file", path, "--delimiter", "\n", "--max-procs", strconv.Itoa(atOnce), "--max-args", "1",
		"curl", "--silent", "--output", os.DevNull, "-H", "Authorization: Bearer "+f.client.token, "-H", "Content-Type: application/json",
		f.service.url+createAutoTransfer.path, "--data-binary"), err
}
