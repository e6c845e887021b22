//go:build linux

package bench

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/payctl/payctl/internal/test/testkit"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
)

const (
	// settleTime is as long as a transfer takes to settle, three steps of half a second, and a little more. A load of
	// creates runs that long before it is measured: then as many transfers settle as are created.
	settleTime  = 1600 * time.Millisecond
	connections = 32

	createPath, selectPath = "/transfers/auto/v1", "/transfers/info/v1"
	newTransfer            = `{"destinationSavedContactId":"{contact}","route":"base:USDC->sepa:EUR","amount":"12.50",` +
		`"reference":"r-` + serialPlace + `"}`
	selection = `{"selectedSource":{"currency":"USDC","paymentRail":"base","provider":"chainline"},` +
		`"selectedDestination":{"currency":"EUR","paymentRail":"sepa","provider":"europay"}}`
)

// A subject is a service with what creates name.
type subject struct {
	*server
	client           *session
	account, newBody string
}

func startSubject(b *testing.B, flags ...string) subject {
	b.Helper()
	s := subject{server: startService(b, append([]string{"--kyc-delay", "0s"}, flags...)...)}
	s.client = login(b, s.server)
	account, contact := s.client.createContact(b)
	s.account, s.newBody = account, strings.ReplaceAll(newTransfer, "{contact}", contact)
	return s
}

func (s subject) creates() load {
	return newLoad(s.server, s.client.token, "POST", createPath, s.newBody, 201, connections)
}

func (s subject) reads() load {
	return newLoad(s.server, s.client.token, "GET", "/accounts/"+s.account+"/kyc/v1", "", 200, connections)
}

// response writes the service's response to one request to a file, for a peer that repeats it.
func (s subject) response(b *testing.B, method, path, body string) (file string, response map[string]any) {
	b.Helper()
	response = s.client.call(b, method, path, body)
	text, err := json.Marshal(response)
	require.NoError(b, err)
	file = filepath.Join(b.TempDir(), "response.json")
	require.NoError(b, os.WriteFile(file, text, 0o600))
	return file, response
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
	grow := func(by int64) result {
		l := s.creates()
		l.most = by
		return l.run(b, 0, 10*time.Minute)
	}
	grow(few)
	young := grow(few)
	grow(many - 3*few)
	old := grow(few)
	micros := func(r result) float64 { return float64(r.each) / float64(time.Microsecond) }
	report(b, "create in a world of 200,000 transfers/of 10,000", "µs", micros(old), micros(young), limit{atMost: 1.4})
	report(b, "resident memory with 200,000 transfers/1 GiB", "MiB", mebibytes(b, s.cmd.Process.Pid, "VmRSS"), 1024, limit{})
}

// BenchmarkHeldRequests measures the memory of a service that holds many requests for events while nothing happens.
func BenchmarkHeldRequests(b *testing.B) {
	const held = 10_000
	for form, accept := range map[string]string{"long polls": "application/json", "event streams": "text/event-stream"} {
		s := startService(b)
		request := fmt.Appendf(nil, "GET /events/v1?after=latest HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
			"Accept: %s\r\nPrefer: wait=60\r\n\r\n", s.address(), login(b, s).token, accept)
		for range held {
			conn, err := net.Dial("tcp", s.address())
			require.NoError(b, err)
			defer conn.Close()
			_, err = conn.Write(request)
			require.NoError(b, err)
		}
		pid := s.cmd.Process.Pid
		for last := time.Duration(-1); ; time.Sleep(500 * time.Millisecond) { // until it has accepted all, and is idle
			files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
			require.NoError(b, err)
			used := processorTime(b, pid)
			if len(files) > held && used == last {
				break
			}
			last = used
		}
		report(b, "memory of 10,000 idle "+form+"/300 MiB", "MiB", mebibytes(b, pid, "VmRSS"), 300, limit{atMost: 1.1})
		s.stop()
	}
}
