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
var Raced = isRaced()

func isRaced() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

var update = flag.Bool("update", false, "rewrite the golden files")

// Updating reports whether files are to be rewritten.
func Updating() bool { return *update }

// RequireGolden compares a text with a file below testdata, which -update rewrites. Line ends may be those of Windows,
// as Git writes them there.
func RequireGolden(t testing.TB, file string, got []byte) {
	t.Helper()
	want := readGolden(t, filepath.Join("testdata", filepath.FromSlash(file)), got)
	require.Equal(t, want, string(got), "if this is meant: go test -run %s -update", t.Name())
}

// readGolden returns the content of a file, into which it writes a text before if that is wanted.
func readGolden(t testing.TB, path string, got []byte) string {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
		require.NoError(t, os.WriteFile(path, got, 0o600))
	}
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return strings.ReplaceAll(string(content), "\r\n", "\n")
}

// seedVariable names the variable with the seed of random tests. It is the one that rapid reads.
const seedVariable = "RAPID_SEED"

// Seed returns the seed of a test that makes random choices, and logs it. With -short it is always the same; otherwise
// each run has another one. The variable RAPID_SEED sets it, to repeat a run.
func Seed(t testing.TB) uint64 {
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
	return seed
}

// Random returns random numbers of the test's seed, for one goroutine.
func Random(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(Seed(t), 0)) //nolint:gosec // tests need no secret randomness
}
