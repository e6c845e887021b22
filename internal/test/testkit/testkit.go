// Package testkit has what tests need of the system: a clock that a test moves, seeds of random choices, golden files,
// a terminal with an emulator that knows what a user would see, and a keyring and a PostgreSQL of the test's own. It
// imports nothing of payctl.
package testkit

import (
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Raced says that the race detector watches, which takes many times the memory and the time.
var Raced = func() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}()

var update = flag.Bool("update", false, "rewrite the golden files")

// Updating reports whether files are to be rewritten.
func Updating() bool { return *update }

// RequireGolden compares a text with a file below testdata, which -update rewrites. Git may give the file the line ends
// of Windows.
func RequireGolden(t testing.TB, file string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", filepath.FromSlash(file))
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
		require.NoError(t, os.WriteFile(path, got, 0o600))
	}
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	want := strings.ReplaceAll(string(content), "\r\n", "\n")
	require.Equal(t, want, string(got), "if this is meant: go test -run %s -update", t.Name())
}

// seedVariable names the variable with the seed of random tests. It is the one that rapid reads.
const seedVariable = "RAPID_SEED"

// Random returns random numbers for one goroutine, and logs their seed. With -short the seed is always the same;
// otherwise each run has another one. RAPID_SEED sets it, to repeat a run.
func Random(t testing.TB) *rand.Rand {
	t.Helper()
	seed := uint64(1)
	if text := os.Getenv(seedVariable); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 0, 64)
		require.NoError(t, err, seedVariable)
	} else if !testing.Short() {
		seed = rand.Uint64() //nolint:gosec // tests need no secret randomness
	}
	t.Logf("%s=%d repeats the random choices of this test", seedVariable, seed)
	return rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // tests need no secret randomness
}
