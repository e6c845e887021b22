//go:build linux

package bench

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	createPath  = "/transfers/auto/v1"
	newTransfer = `{"destinationSavedContactId":"{contact}","route":"base:USDC->sepa:EUR","amount":"12.50","reference":"r-%s"}`
)

// A subject is a service with a client and a contact for transfers.
type subject struct {
	*server
	client  *session
	newBody string // a format string for the reference
}

func startSubject(b *testing.B, flags ...string) subject {
	b.Helper()
	s := subject{server: startService(b, append([]string{"--kyc-delay", "0s"}, flags...)...)}
	s.client = login(b, s.server)
	s.newBody = strings.ReplaceAll(newTransfer, "{contact}", s.client.createContact(b))
	return s
}

func (s subject) createTransfers(b *testing.B, n int) {
	b.Helper()
	many(b, n, func(int) error {
		body := fmt.Sprintf(s.newBody, fmt.Sprint("many-", lastSerial.Add(1)))
		_, err := s.client.send(b.Context(), "POST", createPath, body)
		return err
	})
}

// BenchmarkMemory measures the memory of a service with many settled transfers.
func BenchmarkMemory(b *testing.B) {
	const transfers = 200_000
	s := startSubject(b, "--settle-delay", "0s")
	s.createTransfers(b, transfers)
	report(b, "serve, resident memory with 200,000 transfers/1.2 GiB", "MiB", mebibytes(b, s.cmd.Process.Pid, "VmRSS"), 1229,
		limit{atMost: 1})
}

// startRounds is odd, so the median is one of the runs.
const startRounds = 41

// timeInTurn runs two functions alternately and returns the medians of their times, in milliseconds.
func timeInTurn(payctl, peer func()) (this, other float64) {
	var times [2][]float64
	for range startRounds {
		for i, run := range []func(){payctl, peer} {
			began := time.Now()
			run()
			times[i] = append(times[i], milliseconds(time.Since(began)))
		}
	}
	return median(times[0]), median(times[1])
}

// BenchmarkStart times whole processes, from exec to exit. A short command spends most of its time initialising the
// libraries of client and service.
func BenchmarkStart(b *testing.B) {
	p := build(b)
	process := func(path string, args ...string) func() {
		return func() { require.NoError(b, exec.Command(path, args...).Run()) }
	}
	_, noCurl := exec.LookPath("curl")
	for _, command := range []string{"version", "routes list --help"} {
		payctl := process(p.payctl, strings.Fields(command)...)
		this, empty := timeInTurn(payctl, process(p.empty))
		report(b, "payctl "+command+"/an empty Go program", "ms", this, empty, limit{atMost: 3.5})
		if noCurl == nil {
			this, curl := timeInTurn(payctl, process("curl", "--version"))
			report(b, "payctl "+command+"/curl --version", "ms", this, curl, limit{atMost: 0.6})
		}
	}
}

// BenchmarkFirstResponse times servers from exec to their first response.
func BenchmarkFirstResponse(b *testing.B) {
	first := func(start func() *server) func() {
		return func() {
			s := start()
			_, err := (&session{url: s.url}).send(b.Context(), "GET", "/healthz", "")
			require.NoError(b, err)
			s.stop()
		}
	}
	build(b)
	this, bare := timeInTurn(first(func() *server { return startService(b) }),
		first(func() *server { return startPeer(b, "bare") }))
	report(b, "payctl serve, to its first answer/bare net http", "ms", this, bare, limit{atMost: 6})
}
