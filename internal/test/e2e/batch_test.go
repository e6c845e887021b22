package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
)

const (
	fileRows    = 60
	fileWrites  = 4               // a file takes about as long as so many programs that make one write each
	longestWait = 5 * time.Minute // only what has failed takes so long, also on a busy machine
	shortWait   = time.Millisecond
)

// file writes rows to the payer's contact.
func (p *payer) file(rows int) string {
	p.t.Helper()
	var b strings.Builder
	b.WriteString("reference,contact,route,amount\n")
	for n := range rows {
		fmt.Fprintf(&b, "r-%d,%s,%s,5\n", n, p.line[3], p.line[5])
	}
	path := filepath.Join(p.t.TempDir(), "rows.csv")
	require.NoError(p.t, os.WriteFile(path, []byte(b.String()), 0o600))
	return path
}

// patient is for runs that nothing is done to, on a machine that is busy with other things.
var patient = []string{"--timeout", "20s"}

// batch runs the program on a file once and returns its report, with how often each outcome is in it, and the exit code.
func (p *payer) batch(ctx context.Context, path string, more ...string) (outcomes map[string]int, ids map[string]string, code int) {
	p.t.Helper()
	args := withFlags([]string{"transfer", "batch", path, "--yes", "-o", "json", "--retries", "2", "--timeout", "300ms"}, more...)
	cmd := p.command(ctx, args...)
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, nil, -1 // killed
	}
	if failed, ended := errors.AsType[*exec.ExitError](err); ended {
		code = failed.ExitCode()
	} else {
		require.NoError(p.t, err)
	}
	if len(out) > 0 && out[0] == '{' { // a problem, before there was a report
		return nil, nil, code
	}
	var rows []struct {
		Reference  string `json:"reference"`
		Outcome    string `json:"outcome"`
		TransferID string `json:"transfer_id"`
	}
	require.NoError(p.t, json.Unmarshal(out, &rows), "%s", out)
	outcomes, ids = map[string]int{}, map[string]string{}
	for n, row := range rows {
		require.Equal(p.t, fmt.Sprintf("r-%d", n), row.Reference, "the order of the file")
		outcomes[row.Outcome]++
		ids[row.Reference] = row.TransferID
	}
	return outcomes, ids, code
}

// once holds the service to one transfer for each row, which are those of the report.
func (p *payer) once(rows int, ids map[string]string) {
	p.t.Helper()
	var found []payments.Transfer
	require.NoError(p.t, json.Unmarshal([]byte(p.must("transfer", "list", "--all", "-o", "json")), &found))
	require.Len(p.t, found, rows)
	for _, transfer := range found {
		require.Equal(p.t, transfer.ID, ids[transfer.Reference])
	}
	require.Len(p.t, ids, rows)
}

// TestAFileIsPaidOnce runs a file again and again while the service fails in every way and the program is killed at random
// moments. Every row ends with one transfer, and the report says which.
func TestAFileIsPaidOnce(t *testing.T) {
	t.Parallel()
	url := serve(t)
	times := regexp.MustCompile(`times:\d+`)
	for name, rule := range troublesNow() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, kill := range killedOrNot() {
				t.Run(fmt.Sprintf("kill %t", kill), func(t *testing.T) {
					p := newPayer(t, url)
					path := p.file(fileRows)
					if rule != "" {
						p.must("sandbox", "faults", times.ReplaceAllString(rule, "times:12"))
					}
					for range killsEach(t) {
						if kill {
							ctx, cancel := p.killed(fileWrites)
							_, _, _ = p.batch(ctx, path)
							cancel()
						}
					}
					var ids map[string]string
					for n := 0; ; n++ {
						var more []string
						if n >= reruns { // the machine is busy with other things
							more = patient
						}
						outcomes, found, code := p.batch(t.Context(), path, more...)
						// 8 and 9: a busy machine did not answer a question, or take a connection, in time.
						require.Contains(t, []int{0, 4, 8, 9, 10}, code)
						if code == 0 {
							require.Equal(t, map[string]int{"created": fileRows}, outcomes)
							ids = found
							break
						}
						require.Less(t, n, 2*reruns, "the file is not done: %v", outcomes)
					}
					p.must("sandbox", "faults", "--clear")
					p.once(fileRows, ids)
					_, again, code := p.batch(t.Context(), path, patient...)
					require.Zero(t, code)
					require.Equal(t, ids, again, "the file answers with the same transfers")
				})
			}
		})
	}
}

// TestAServiceThatIgnoresKeysIsSentNoRowTwice loses answers of a service that has an effect each time.
func TestAServiceThatIgnoresKeysIsSentNoRowTwice(t *testing.T) {
	t.Parallel()
	p := newPayer(t, serveAs(t, refserver.Config{Version: "test", KYCDelay: 1, SettleDelay: 1, IgnoreIdempotencyKeys: true}))
	path := p.file(fileRows)
	p.must("sandbox", "faults", "createAutoTransfer=drop,percent:20")
	for n := 0; ; n++ {
		outcomes, _, code := p.batch(t.Context(), path, patient...)
		if code == 0 {
			break
		}
		require.Equal(t, 10, code, "%v: all answers to one row were lost", outcomes)
		require.Less(t, n, reruns, "the file is not done: %v", outcomes)
	}
	p.must("sandbox", "faults", "--clear")
	for range 2 {
		outcomes, ids, code := p.batch(t.Context(), path, patient...)
		require.Zero(t, code, "%v", outcomes)
		p.once(fileRows, ids)
	}
}

// TestAnInterruptedFileTellsWhatItDid presses Ctrl-C.
func TestAnInterruptedFileTellsWhatItDid(t *testing.T) {
	t.Parallel()
	p := newPayer(t, serve(t))
	path := p.file(fileRows)
	report := filepath.Join(t.TempDir(), "report.csv")
	p.must("sandbox", "faults", "createAutoTransfer=delay:500ms")
	cmd := p.command(t.Context(), "transfer", "batch", path, "--yes", "--concurrency", "2", "--report", report)
	var told strings.Builder
	cmd.Stderr = &told
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool { return p.must("transfer", "list", "--jq", "length") != "0" }, longestWait, shortWait)
	require.NoError(t, interrupt(cmd.Process))
	failed, ok := errors.AsType[*exec.ExitError](cmd.Wait())
	require.True(t, ok)
	require.Equal(t, 130, failed.ExitCode(), "%v", failed)
	require.Contains(t, told.String(), "run the same line again: what is done is not done twice")
	text, err := os.ReadFile(report)
	require.NoError(t, err)
	require.Equal(t, 1+fileRows, strings.Count(string(text), "\n"), "a row for every row")
	created := strings.Count(string(text), ",created,")
	require.Positive(t, strings.Count(string(text), ",not_sent,"))
	require.Zero(t, strings.Count(string(text), ",unknown,"), "what was under way was finished")
	require.Equal(t, fmt.Sprint(created), p.must("transfer", "list", "--all", "--jq", "length"))
	p.must("sandbox", "faults", "--clear")
	_, ids, code := p.batch(t.Context(), path, patient...)
	require.Zero(t, code)
	p.once(fileRows, ids)
}

// TestReadingRowsCanBeInterrupted presses Ctrl-C once while a file is waited for: nothing was sent, and nothing is left.
func TestReadingRowsCanBeInterrupted(t *testing.T) {
	t.Parallel()
	p := newPayer(t, serve(t))
	pipe, opened := newPipe(t)
	for _, args := range [][]string{
		{"transfer", "batch", pipe, "--yes"},
		slices.Concat(p.line, []string{"--input", pipe}),
		{"api", "POST", "/transfers/auto/v1", "--input", pipe},
		{"sandbox", "restore", pipe, "--yes"},
		{"kyc", "watch", "--from", pipe},
		{"kyc", "submit", "acc_1", "--field", "identity_document=@" + pipe},
	} {
		cmd := p.command(t.Context(), args...)
		var notes strings.Builder
		cmd.Stderr = &notes
		require.NoError(t, cmd.Start())
		in := opened() // the program, which then waits for a writer
		require.NoError(t, interrupt(cmd.Process))
		failed, ok := errors.AsType[*exec.ExitError](cmd.Wait())
		require.True(t, ok)
		require.Equal(t, 130, failed.ExitCode(), "%v: %s", args, notes.String())
		require.NoError(t, in.Close())
	}
	require.Equal(t, "0", p.must("transfer", "list", "--all", "--jq", "length"))
}

// TestAReaderThatStopsReading cuts the report off, which stops no row from being paid.
func TestAReaderThatStopsReading(t *testing.T) {
	t.Parallel()
	p := newPayer(t, serve(t))
	const rows = 500 // whose report is too long for the buffer of a pipe
	path := p.file(rows)
	cmd := p.command(t.Context(), "transfer", "batch", path, "--yes", "-o", "ndjson")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = out.Read(make([]byte, 1))
	require.NoError(t, err)
	require.NoError(t, out.Close())
	require.NoError(t, cmd.Wait())
	require.Equal(t, fmt.Sprint(rows), p.must("transfer", "list", "--all", "--jq", "length"))

	outcomes, ids, code := p.batch(t.Context(), path, patient...)
	require.Zero(t, code)
	require.Equal(t, map[string]int{"created": rows}, outcomes)
	p.once(rows, ids)
}

// TestAFileIsPaidOnceOverDyingServers pays a file while the service is killed and started again on its folder, again and
// again. A run ends with every row paid, or with an exit code that says that the line has to be run again.
func TestAFileIsPaidOnceOverDyingServers(t *testing.T) {
	t.Parallel()
	rows, deaths := 400, 5
	if testing.Short() {
		rows, deaths = 100, 2
	}
	m := newMortal(t)
	p := newPayer(t, m.url)
	path := p.file(rows)
	type run struct {
		outcomes map[string]int
		ids      map[string]string
		code     int
	}
	for n := 0; ; n++ {
		require.Less(t, n, deaths+reruns)
		var patience []string
		if n >= deaths {
			patience = patient
		}
		ended := make(chan run, 1)
		go func() {
			outcomes, ids, code := p.batch(t.Context(), path, patience...)
			ended <- run{outcomes, ids, code}
		}()
		if n < deaths {
			<-time.After(p.moment(fileWrites))
			m.kill()
			m.start()
		}
		last := <-ended
		require.Contains(t, []int{0, 8, 9, 10}, last.code, "%v", last.outcomes)
		if last.outcomes == nil && (last.code == 8 || last.code == 10) { // it died while the file was checked
			continue
		}
		sum := 0
		for _, count := range last.outcomes {
			sum += count
		}
		if last.code != 9 { // which may be before the file is read
			require.Equal(t, rows, sum, "a row of the report for every row: %v", last.outcomes)
		}
		if n >= deaths && last.code == 0 {
			p.once(rows, last.ids)
			break
		}
	}
	m.kill()
}

// A comparison whose output is not read to its end still exits with the code of its findings.
func TestAComparisonThatIsNotReadIsNoSuccess(t *testing.T) {
	t.Parallel()
	p := newPayer(t, serve(t))
	path := p.file(1)
	cmd := p.command(t.Context(), "transfer", "report", "--against", path, "-o", "csv")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, out.Close())
	require.NoError(t, cmd.Start())
	failed, ok := errors.AsType[*exec.ExitError](cmd.Wait())
	require.True(t, ok, "the payment of the file is missing")
	require.Equal(t, 15, failed.ExitCode())
}
