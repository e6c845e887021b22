package e2e

import (
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// nowhere is a base URL at which no service listens.
const nowhere = "http://127.0.0.1:1"

// shortAddress finds a free port with four digits, for a program that listens later. No system assigns such a port to a
// connection or to a program that asks for any port. With it, lines are as long as the pages show them.
func shortAddress(t *testing.T) string {
	t.Helper()
	for range 1000 {
		address := fmt.Sprintf("127.0.0.1:%d", 2000+lastPort.Add(1)%8000)
		listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
		if err == nil {
			require.NoError(t, listener.Close())
			return address
		}
	}
	t.Fatal("no port with four digits is free")
	return ""
}

// lastPort is the port that was tried last, minus 2000. No port is tried twice, so no two pages get the same one.
var lastPort = func() *atomic.Int64 {
	port := &atomic.Int64{}
	port.Store(rand.Int64N(8000))
	return port
}()

// withFlags returns a command line in which flags with one value replace those of the same names.
func withFlags(line []string, flags ...string) []string {
	var kept []string
	for i := 0; i < len(line); i++ {
		if slices.Contains(flags, line[i]) && strings.HasPrefix(line[i], "--") {
			i++
			continue
		}
		kept = append(kept, line[i])
	}
	return append(kept, flags...)
}
