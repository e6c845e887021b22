package server

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A client with an IPv6 network has 2^64 addresses, which count as one.
func TestNetworkOfAnAddress(t *testing.T) {
	t.Parallel()
	for remote, want := range map[string]string{
		"192.0.2.1:5": "192.0.2.1", "[::ffff:192.0.2.1]:5": "192.0.2.1", "127.0.0.1:5": "127.0.0.1", "[::1]:5": "::1",
		"[2001:db8:1:2:3:4:5:6]:7": "2001:db8:1:2::/64", "[2001:db8:1:2:ffff::]:7": "2001:db8:1:2::/64", "[2001:db8:1:3::]:7": "2001:db8:1:3::/64",
		"[fe80::1%eth0]:5": "fe80::1%eth0", "@": "@", "name:5": "name",
	} {
		require.Equal(t, want, network(remote), remote)
	}
}
