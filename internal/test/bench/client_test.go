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
)

// BenchmarkBatch pays a file with `payctl transfer batch`, which keeps a journal and checks every response, and the same
// transfers with one curl over as many connections, which does neither.
func BenchmarkBatch(b *testing.B) {
	if _, err := exec.LookPath("curl"); err != nil {
		b.Skip("curl is not installed")
	}
	const rows, rounds, atOnce = 100_000, 3, 8
	s := startSubject(b)
	environment, folder := s.environment(b), b.TempDir()
	var rate, each [2][]float64
	for round := range rounds {
		body := func(payer string, n int) string {
			return strings.ReplaceAll(s.newBody, serialPlace, fmt.Sprintf("%s-%d-%d", payer, round, n))
		}
		pay := exec.Command(build(b).payctl, "transfer", "batch", filepath.Join(folder, "rows.ndjson"), "--yes", "--quiet",
			"--concurrency", strconv.Itoa(atOnce), "--report", filepath.Join(folder, fmt.Sprintf("report%d.csv", round)))
		curl := exec.Command("curl", "--silent", "--parallel", "--parallel-max", strconv.Itoa(atOnce),
			"--config", filepath.Join(folder, "curl"))
		var forPayctl, forCurl bytes.Buffer
		for n := range rows {
			forPayctl.WriteString(strings.Replace(body("p", n), "destinationSavedContactId", "contact", 1) + "\n")
			if n > 0 {
				forCurl.WriteString("next\n")
			}
			fmt.Fprintf(&forCurl, "url = %q\nheader = %q\nheader = %q\nheader = %q\ndata = %q\noutput = %q\n", s.url+createPath,
				"Authorization: Bearer "+s.client.token, "Content-Type: application/json",
				fmt.Sprintf("Idempotency-Key: c-%d-%d", round, n), body("c", n), os.DevNull)
		}
		require.NoError(b, os.WriteFile(filepath.Join(folder, "rows.ndjson"), forPayctl.Bytes(), 0o600))
		require.NoError(b, os.WriteFile(filepath.Join(folder, "curl"), forCurl.Bytes(), 0o600))
		for i, cmd := range []*exec.Cmd{pay, curl} {
			cmd.Env = environment
			began := time.Now()
			output, err := cmd.CombinedOutput()
			require.NoError(b, err, "%s", output)
			rate[i] = append(rate[i], rows/time.Since(began).Seconds())
			used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			each[i] = append(each[i], float64(used.Microseconds())/rows)
		}
	}
	const what = "payctl transfer batch, 8 at a time/curl -Z --parallel-max 8/"
	report(b, what+"rate", "transfers/s", median(rate[0]), median(rate[1]), limit{atLeast: 1})
	report(b, what+"processor time of the sender for a transfer", "µs", median(each[0]), median(each[1]), limit{})
}

// BenchmarkWatch measures `payctl kyc watch` of many accounts: the time from a change to its line, and the memory.
func BenchmarkWatch(b *testing.B) {
	const accounts, changes = 10_000, 200
	s := startService(b, "--kyc-delay", "1000h")
	c := login(b, s)
	ids := make([]string, accounts)
	for i := range ids {
		ids[i] = c.createAccount(b, "ada"+strconv.Itoa(i)+"@example.com")
	}
	cmd := exec.Command(build(b).payctl, "kyc", "watch", "--all", "-o", "ndjson")
	cmd.Env = s.environment(b)
	stdout, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(stdout)
	for range accounts {
		require.True(b, lines.Scan(), "the watch has ended")
	}
	var times []float64
	for i := range changes {
		id := ids[i*accounts/changes]
		began := time.Now()
		c.call(b, "PUT", "/sandbox/accounts/"+id+"/kyc/v1", `{"status":"under_review"}`)
		for lines.Scan() && !strings.Contains(lines.Text(), id) {
		}
		times = append(times, float64(time.Since(began))/float64(time.Millisecond))
	}
	report(b, "kyc watch --all of 10,000 accounts, from a change to its line/100 ms", "ms", median(times), 100, limit{atMost: 1})
	report(b, "kyc watch --all of 10,000 accounts, peak memory/150 MiB", "MiB", mebibytes(b, cmd.Process.Pid, "VmHWM"), 150,
		limit{atMost: 1})
}
