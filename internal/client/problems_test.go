package client

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A connection that broke is described by its cause, without the addresses and the calls of this machine.
func TestReadFailure(t *testing.T) {
	t.Parallel()
	address := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8700}
	reset := &net.OpError{
		Op: "read", Net: "tcp", Source: address, Addr: address, Err: os.NewSyscallError("read", syscall.ECONNRESET),
	}
	for want, err := range map[string]error{
		syscall.ECONNRESET.Error():  fmt.Errorf("reading: %w", reset),
		"the connection was closed": fmt.Errorf("reading: %w", io.ErrUnexpectedEOF),
		"the body is too large":     errors.New("the body is too large"),
	} {
		require.Equal(t, want, readFailure(err))
	}
	require.Equal(t, "the connection was closed", readFailure(io.EOF))
}
