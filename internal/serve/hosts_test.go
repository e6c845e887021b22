package serve

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

func TestNamesOfHosts(t *testing.T) {
	t.Parallel()
	names, err := hostNames([]string{"Host.Docker.Internal.", "build_1", "10.0.0.1", "[FE80::1]", "fe80::1"})
	require.NoError(t, err)
	require.Equal(t, []string{"host.docker.internal", "build_1", "10.0.0.1", "fe80::1", "fe80::1"}, names)
	for _, wrong := range []string{"a:80", "[::1]:80", "http://a", "a/", "a b", ".", "", "*", "ä"} {
		_, err := hostNames([]string{wrong})
		require.ErrorIs(t, err, cmdutil.ErrUsage, wrong)
	}
}
