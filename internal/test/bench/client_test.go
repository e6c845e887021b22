//go:build linux

package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/testkit"
)

// A batch is a number of rows that payctl and a peer pay in turn, at one service.
type batch struct {
	subject
	folder      string
	environment []string
	rows        int
}

const atOnce = 8 // requests

// A payer returns the command that pays the rows. Their references begin with the prefix.
type payer func(b *testing.B, of batch, prefix string) *exec.Cmd

// compare pays with payctl and with a peer in turn. It returns the medians of rows per second and of the sender's
// processor time per row, in microseconds.
func (of batch) compare(b *testing.B, rounds int, peer payer) (rate, each [2]float64) {
	b.Helper()
	var rates, times [2][]float64
	for range rounds {
		for i, pay := range []payer{payWithPayctl, peer} {
			cmd := pay(b, of, strconv.FormatInt(lastSerial.Add(1), 10))
			cmd.Env = append(of.environment, peerVariable+"=sender")
			began := time.Now()
			output, err := cmd.CombinedOutput()
			require.NoError(b, err, "%s", output)
			rates[i] = append(rates[i], float64(of.rows)/time.Since(began).Seconds())
			used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			times[i] = append(times[i], float64(used.Microseconds())/float64(of.rows))
		}
	}
	for i := range rate {
		rate[i], each[i] = median(rates[i]), median(times[i])
	}
	return rate, each
}

func startBatch(b *testing.B, rows int, flags ...string) batch {
	b.Helper()
	s := startSubject(b, flags...)
	return batch{s, b.TempDir(), s.environment(b), rows}
}

// body returns the request body of a row.
func (of batch) body(prefix string, n int) string {
	return fmt.Sprintf(of.newBody, prefix+"-"+strconv.Itoa(n))
}

func payWithPayctl(b *testing.B, of batch, prefix string) *exec.Cmd {
	var rows bytes.Buffer
	for n := range of.rows {
		rows.WriteString(strings.Replace(of.body(prefix, n), "destinationSavedContactId", "contact", 1) + "\n")
	}
	file := filepath.Join(of.folder, "rows.ndjson")
	require.NoError(b, os.WriteFile(file, rows.Bytes(), 0o600))
	return exec.Command(build(b).payctl, "transfer", "batch", file, "--yes", "--quiet",
		"--concurrency", strconv.Itoa(atOnce), "--report", filepath.Join(of.folder, prefix+".csv"))
}

// payWithCurl keeps no journal and checks no response.
func payWithCurl(b *testing.B, of batch, prefix string) *exec.Cmd {
	var config bytes.Buffer
	for n := range of.rows {
		if n > 0 {
			config.WriteString("next\n")
		}
		fmt.Fprintf(&config, "url = %q\nheader = %q\nheader = %q\nheader = %q\ndata = %q\noutput = %q\n", of.url+createPath,
			"Authorization: Bearer "+of.client.token, "Content-Type: application/json",
			"Idempotency-Key: "+prefix+"-"+strconv.Itoa(n), of.body(prefix, n), os.DevNull)
	}
	file := filepath.Join(of.folder, "curl")
	require.NoError(b, os.WriteFile(file, config.Bytes(), 0o600))
	return exec.Command("curl", "--silent", "--parallel", "--parallel-max", strconv.Itoa(atOnce), "--config", file)
}

// payWithSender is a plain program that keeps a journal.
func payWithSender(b *testing.B, of batch, prefix string) *exec.Cmd {
	var bodies bytes.Buffer
	for n := range of.rows {
		bodies.WriteString(of.body(prefix, n) + "\n")
	}
	file := filepath.Join(of.folder, "bodies")
	require.NoError(b, os.WriteFile(file, bodies.Bytes(), 0o600))
	return exec.Command(os.Args[0], file, filepath.Join(of.folder, "journal.db"), of.url, of.client.token)
}

// BenchmarkBatch pays a file with `payctl transfer batch`, and the same transfers with peers that send as many at once.
func BenchmarkBatch(b *testing.B) {
	if _, err := exec.LookPath("curl"); err != nil {
		b.Skip("curl is not installed")
	}
	const subject, plain = "payctl transfer batch, 8 at a time", "a plain Go program with a journal in SQLite"
	far := startBatch(b, 4000, "--fault", "createAutoTransfer=delay:50ms")
	rate, _ := far.compare(b, 3, payWithCurl)
	report(b, subject+", at a service with 50 ms/curl -Z --parallel-max 8", "transfers/s", rate[0], rate[1], limit{atLeast: 0.97})
	near := startBatch(b, 20_000)
	rate, each := near.compare(b, 5, payWithSender)
	report(b, subject+", on loopback/"+plain, "transfers/s", rate[0], rate[1], limit{atLeast: 1})
	report(b, subject+"/"+plain+", processor time of the sender for a row", "µs", each[0], each[1], limit{atMost: 1.3})
}

// BenchmarkWatch measures the time from a change to its line in `payctl kyc watch` of many ids.
func BenchmarkWatch(b *testing.B) {
	const changes = 200
	s := startService(b, "--kyc-delay", "1000h")
	c := login(b, s)
	ids := c.createAccounts(b, 2000)
	cmd := s.command(b, "kyc", "watch", "--from", "-", "-o", "ndjson")
	cmd.Stdin = strings.NewReader(strings.Join(ids, "\n"))
	stdout, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(stdout)
	for range ids {
		require.True(b, lines.Scan(), "the watch ended")
	}
	var times []float64
	for i := range changes {
		id := ids[i*len(ids)/changes]
		began := time.Now()
		c.call(b, "PUT", "/sandbox/accounts/"+id+"/kyc/v1", `{"status":"under_review"}`)
		for lines.Scan() && !strings.Contains(lines.Text(), id) {
		}
		times = append(times, milliseconds(time.Since(began)))
	}
	report(b, "kyc watch of 2,000 ids, from a change to its line/100 ms", "ms", median(times), 100, limit{atMost: 1})
}

// BenchmarkFirstScreen measures how long `payctl kyc watch --all` takes from its start to the first accounts on the screen.
func BenchmarkFirstScreen(b *testing.B) {
	const rounds, millis = 5, 1000
	s := startService(b, "--kyc-delay", "1000h")
	c, made := login(b, s), 0
	for _, accounts := range []int{10_000, 100_000} {
		c.createAccounts(b, accounts-made)
		made = accounts
		var times []float64
		for range rounds {
			screen := testkit.OpenTerminal(b, 120, 40)
			cmd := s.command(b, "kyc", "watch", "--all")
			began := time.Now()
			screen.Start(cmd)
			screen.WaitForText("acc_")
			times = append(times, milliseconds(time.Since(began)))
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
		report(b, fmt.Sprintf("kyc watch --all of %d accounts, first screen/1 s", accounts), "ms", median(times), millis,
			limit{atMost: 1})
	}
}

// BenchmarkCSV measures a list of many rows in CSV.
func BenchmarkCSV(b *testing.B) {
	const rows, rounds = 10_000, 5
	s := startSubject(b, "--settle-delay", "0s")
	s.createTransfers(b, rows)
	var times []float64
	for range rounds {
		began := time.Now()
		output, err := s.command(b, "transfer", "list", "-o", "csv").Output()
		times = append(times, milliseconds(time.Since(began)))
		require.NoError(b, err)
		require.Equal(b, 1+rows, bytes.Count(output, []byte("\n")))
	}
	report(b, "transfer list of 10,000 rows to CSV/5 s", "ms", median(times), 5000, limit{atMost: 1})
}
