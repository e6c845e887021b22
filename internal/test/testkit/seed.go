package testkit

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

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
