package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

const (
	batchRows   = 100_000
	batchRounds = 3
	xargsRows   = 600 // a process for each: the rate is the same for more
	atOnce      = 8
)

// A paying is one way to pay many transfers of a service: it is given names for the files and references of a round.
type paying struct {
	name string
	rows int
	bar  float64 // the least ratio of payctl's rate to it; zero: it is payctl
	pay  func(ctx context.Context, round string, rows int) (*exec.Cmd, error)
}

// whyBatch is why a bar may not be held.
const whyBatch = "both sides keep the service less than busy, so that what one row takes in the program itself decides: payctl puts each row " +
	"down before it is sent and its outcome after, and checks the answer; curl sends bodies that are there, and looks at nothing."

// measureBatch pays a file by `payctl transfer batch`, which keeps a journal and checks every answer, and the same
// transfers by curl, which does neither: one curl with many connections, and one curl a transfer.
func measureBatch(ctx context.Context, p *programs) ([]row, error) {
	service, own, a, err := workload{
		method: "POST", path: "/transfers/auto/v1", status: "201", connections: atOnce, body: newTransfer, headers: create.headers,
	}.onService(ctx, p)
	if err != nil {
		return nil, err
	}
	defer service.stop()
	contact, err := a.savedContact(ctx)
	if err != nil {
		return nil, err
	}
	f := files{dir: p.dir, a: a, contact: contact, payctl: p.payctl}
	ways := []paying{{"payctl transfer batch", batchRows, 0, f.payctlBatch}}
	if _, err := exec.LookPath("curl"); err == nil {
		ways = append(ways, paying{"curl -Z --parallel-max 8 -K FILE", batchRows, 1, f.curl}, paying{"xargs -P 8 curl", xargsRows, 25, f.xargs})
	}
	rates := make([][]float64, len(ways))
	var sent, wrked []float64
	_, noWrk := exec.LookPath("wrk")
	if noWrk != nil {
		p.notes = append(p.notes, "Without its row: wrk, which is not installed here. The page's own sender stands in for it.")
	}
	for round := range batchRounds {
		for i, way := range ways {
			cmd, err := way.pay(ctx, strconv.Itoa(i)+"-"+strconv.Itoa(round), way.rows)
			if err != nil {
				return nil, err
			}
			began := time.Now()
			if output, err := cmd.CombinedOutput(); err != nil {
				return nil, fmt.Errorf("%s: %w\n%s", way.name, err, output)
			}
			rates[i] = append(rates[i], float64(way.rows)/time.Since(began).Seconds())
		}
		measured, err := own.run(ctx, leadTime, roundTime)
		if err != nil {
			return nil, err
		}
		sent = append(sent, measured.perSecond)
		if noWrk != nil {
			continue
		}
		perSecond, err := f.wrk(ctx, strconv.Itoa(round), roundTime)
		if err != nil {
			return nil, err
		}
		wrked = append(wrked, perSecond)
	}
	this := median(rates[0])
	const wrkBar = 0.6
	ownBar := 0.0 // the page's own sender, which prepares less, only stands in for wrk
	if noWrk != nil {
		ownBar = wrkBar
	}
	rows := []row{rate("payctl transfer batch, 8 at a time / this page's sender, 8 connections", this, median(sent), ownBar).because(whyBatch)}
	if noWrk == nil {
		rows = append(rows, rate("payctl transfer batch, 8 at a time / wrk, 8 connections", this, median(wrked), wrkBar).because(whyBatch))
	}
	for i, way := range ways[1:] {
		rows = append(rows, rate("payctl transfer batch, 8 at a time / "+way.name, this, median(rates[i+1]), way.bar).because(whyBatch))
	}
	return rows, nil
}

// savedContact is the contact that there is.
func (a *api) savedContact(ctx context.Context) (string, error) {
	page, err := a.call(ctx, http.MethodGet, "/contacts/saved/v1", "")
	if err != nil {
		return "", err
	}
	if data, ok := page["data"].([]any); ok && len(data) > 0 {
		if contact, ok := data[0].(map[string]any); ok {
			return member(contact, "id")
		}
	}
	return "", errors.New("there is no contact")
}

// rate compares two rates of transfers; more is better. A bar of zero is none.
func rate(what string, this, peer, bar float64) row {
	return row{What: what, This: fmt.Sprintf("%.0f/s", this), Peer: fmt.Sprintf("%.0f/s", peer), Ratio: this / peer}.atLeast(bar)
}

// files are what the ways of paying read.
type files struct {
	dir, payctl string
	a           *api
	contact     string
}

// write makes a file of a line for each row.
func (f files) write(name string, head string, rows int, line func(w *bufio.Writer, n int)) (path string, err error) {
	path = filepath.Join(f.dir, name)
	file, err := os.Create(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w := bufio.NewWriter(file)
	_, _ = w.WriteString(head) // a failure comes back from Flush
	for n := range rows {
		line(w, n)
	}
	return path, w.Flush()
}

func (f files) payctlBatch(ctx context.Context, round string, rows int) (*exec.Cmd, error) {
	path, err := f.write(round+".csv", "reference,contact,route,amount\n", rows, func(w *bufio.Writer, n int) {
		_, _ = fmt.Fprintf(w, "b-%s-%d,%s,base:USDC->sepa:EUR,12.50\n", round, n, f.contact)
	})
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, f.payctl, "transfer", "batch", path, "--yes", "--quiet", "--concurrency", strconv.Itoa(atOnce), "--report", path+".report.csv")
	cmd.Env = append(os.Environ(), "PAYCTL_BASE_URL="+f.a.url, "PAYCTL_CLIENT_ID=bench", "PAYCTL_CLIENT_SECRET=bench",
		"PAYCTL_CREDENTIAL_STORE=file", "PAYCTL_CONFIG_DIR="+filepath.Join(f.dir, "config"))
	return cmd, nil
}

func (f files) body(round string, n int) string {
	return fmt.Sprintf(`{"destinationSavedContactId":"%s","route":"base:USDC->sepa:EUR","amount":"12.50","reference":"b-%s-%d"}`, f.contact, round, n)
}

func (f files) curl(ctx context.Context, round string, rows int) (*exec.Cmd, error) {
	path, err := f.write(round+".curl", "", rows, func(w *bufio.Writer, n int) {
		if n > 0 {
			_, _ = w.WriteString("next\n")
		}
		_, _ = fmt.Fprintf(w, "url = %q\nheader = %q\nheader = %q\nheader = %q\ndata = %q\noutput = %q\n", f.a.url+"/transfers/auto/v1",
			"Authorization: Bearer "+f.a.token, "Content-Type: application/json", fmt.Sprintf("Idempotency-Key: c-%s-%d", round, n),
			f.body(round, n), os.DevNull)
	})
	return exec.CommandContext(ctx, "curl", "--silent", "--parallel", "--parallel-max", strconv.Itoa(atOnce), "--config", path), err
}

func (f files) xargs(ctx context.Context, round string, rows int) (*exec.Cmd, error) {
	path, err := f.write(round+".bodies", "", rows, func(w *bufio.Writer, n int) {
		_, _ = fmt.Fprintf(w, "%s\n", f.body(round, n))
	})
	if err != nil {
		return nil, err
	}
	return exec.CommandContext(ctx, "xargs", "--arg-file", path, "--delimiter", "\n", "--max-procs", strconv.Itoa(atOnce), "--max-args", "1",
		"curl", "--silent", "--output", os.DevNull, "-H", "Authorization: Bearer "+f.a.token, "-H", "Content-Type: application/json",
		f.a.url+"/transfers/auto/v1", "--data-binary"), nil
}
