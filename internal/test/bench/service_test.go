//go:build linux

package bench

import (
	"fmt"
	"strings"
	"testing"
)

const (
	createPath  = "/transfers/auto/v1"
	newTransfer = `{"destinationSavedContactId":"{contact}","route":"base:USDC->sepa:EUR","amount":"12.50","reference":"r-%s"}`
)

// A subject is a service with what transfers need.
type subject struct {
	*server
	client  *session
	newBody string // a format with the reference
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
