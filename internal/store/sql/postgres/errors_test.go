package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Of the attempts to connect those are told that a reader can do something about.
func TestReasonsOfConnections(t *testing.T) {
	t.Parallel()
	const noTLS, down = "a:1 (1.1.1.1): tls error: server refused TLS connection", "b:1 (2.2.2.2): dial error: refused"
	for lines, shown := range map[string]string{
		down:                down,
		down + "\n" + down:  down,
		noTLS:               noTLS,
		noTLS + "\n" + down: noTLS + "; " + down,
		noTLS + "\na:1 (1.1.1.1): wrong password": "a:1 (1.1.1.1): wrong password",
		"": "",
	} {
		require.Equal(t, shown, reasons(lines))
	}
}
