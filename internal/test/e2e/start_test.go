package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each start of the program initialises all its packages, even for a short command. Allocations measure the cost
// independently of the machine: compiling a pattern takes 15 to 300. These tests must not use a library that makes
// large tables at each start either: they start the program some thousand times.
func TestPackagesInitialiseLittle(t *testing.T) {
	t.Parallel()
	const most = 40
	cmd := exec.CommandContext(t.Context(), "payctl", "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	require.NoError(t, cmd.Run())
	packages := regexp.MustCompile(`(?m)^init (\S+) .* \d+ bytes, (\d+) allocs$`).FindAllStringSubmatch(trace.String(), -1)
	require.NotEmpty(t, packages, "%s", trace.String())
	for _, found := range packages {
		ours, isOurs := strings.CutPrefix(found[1], "github.com/payctl/payctl/")
		if !isOurs || strings.HasPrefix(ours, "internal/test/") {
			continue // another module, or a package of the tests, which are in this binary too
		}
		allocations, err := strconv.Atoi(found[2])
		require.NoError(t, err)
		require.LessOrEqual(t, allocations, most, "%s: make tables and patterns when they are first used", found[1])
	}
}
