//go:build linux

package bench

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/payctl/payctl/internal/test/testkit"

	"github.com/stretchr/testify/require"
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

// BenchmarkBare compares the service in memory with a net/http handler that decodes the same request and encodes the
// same response, and does nothing else.
func BenchmarkBare(b *testing.B) {
	s := startSubject(b)
	for _, operation := range []struct {
		name, method, path, body string
		status                   int
		lead                     time.Duration
		least                    float64
	}{
		{"select routes", "PATCH", selectPath, selection, 200, 0, 0.85},
		{"create a transfer", "POST", createPath, s.newBody, 201, settleTime, 0.5},
	} {
		file, want := s.response(b, operation.method, operation.path, operation.body)
		bare := startPeer(b, "bare", file)
		got := (&session{url: bare.url, token: "none"}).call(b, operation.method, operation.path, operation.body)
		require.True(b, reflect.DeepEqual(want, got), "the bare peer encodes less than the service: its structs lack a member")
		compare(b, operation.name+", in memory/bare net http with encoding json", operation.lead,
			newLoad(s.server, s.client.token, operation.method, operation.path, operation.body, operation.status, connections),
			newLoad(bare, "none", operation.method, operation.path, operation.body, 200, connections),
			limit{atLeast: operation.least})
		bare.stop()
	}
}

// BenchmarkData compares a service that keeps everything in a folder with one in memory.
func BenchmarkData(b *testing.B) {
	data, memory := startSubject(b, "--data", b.TempDir()), startSubject(b)
	compare(b, "create a transfer, --data/in memory", settleTime, data.creates(), memory.creates(), limit{atLeast: 0.35})
}

// BenchmarkDatabase compares a service that keeps everything in PostgreSQL with one in a folder, with one in memory, and
// with a plain handler that does the same in one transaction a request.
func BenchmarkDatabase(b *testing.B) {
	db, err := testkit.RunPostgres()
	if errors.Is(err, testkit.ErrNoPostgres) {
		b.Skip("PostgreSQL is not installed")
	}
	require.NoError(b, err)
	b.Cleanup(func() { db.Remove() })
	in := func(schema string, more ...string) subject {
		return startSubject(b, append([]string{
			"--database", db.URL() + "&search_path=" + schema, // which opens peerConnections by default
		}, more...)...)
	}
	creates := in("creates")
	data, memory := startSubject(b, "--data", b.TempDir()), startSubject(b)
	compare(b, "create a transfer, --database/--data", settleTime, creates.creates(), data.creates(), limit{})
	compare(b, "read an account's status, --database/in memory", 0, creates.reads(), memory.reads(), limit{})
	data.stop()
	memory.stop()

	unsettled := in("unsettled", "--settle-delay", "8760h")
	file, _ := unsettled.response(b, "POST", createPath, unsettled.newBody)
	peer := startPeer(b, "transactions", db.URL(), file)
	compare(b, "create a transfer, --database, none settles/plain handler, one transaction a request", 0,
		unsettled.creates(), newLoad(peer, "none", "POST", createPath, unsettled.newBody, 200, connections), limit{atLeast: 1})
}

// BenchmarkGrowth compares a service in memory that has many settled transfers with itself when it had few.
func BenchmarkGrowth(b *testing.B) {
	const few, many = 10_000, 200_000
	s := startSubject(b, "--settle-delay", "0s")
	s.createTransfers(b, transfers)
	report(b, "serve, resident memory with 200,000 transfers/2 GiB", "MiB", mebibytes(b, s.cmd.Process.Pid, "VmRSS"), 2048,
		limit{atMost: 1})
}
