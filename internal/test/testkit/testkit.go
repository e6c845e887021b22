// Package testkit has helpers for tests: a clock that a test moves, seeds for random choices, golden files, a terminal
// with an emulator of its screen, and a keyring and a PostgreSQL server for one test. It imports nothing of payctl.
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

// Raced reports whether the race detector is on. It needs many times the memory and the time.
var Raced = func() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}()

var update = flag.Bool("update", false, "rewrite the golden files")

// Updating reports whether -update is set.
func Updating() bool { return *update }

// RequireGolden compares a text with a file below testdata, which -update rewrites. Git may check the file out with
// Windows line endings.
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
	require.Equal(t, want, string(got), "if this is intended: go test -run %s -update", t.Name())
}

// seedVariable is the environment variable with the seed of random tests. rapid reads it too.
const seedVariable = "RAPID_SEED"

// Random returns random numbers for one goroutine, and logs their seed. With -short the seed is always the same;
// otherwise it differs in each run. Set RAPID_SEED to repeat a run.
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
