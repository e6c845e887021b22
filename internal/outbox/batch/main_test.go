package batch

import (
	"flag"
	"os"
	"testing"
)

// TestMain makes fewer random runs unless all of them are asked for.
func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		if err := flag.Set("rapid.checks", "50"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
