package server_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"

	"github.com/payctl/payctl/internal/test/testrun"
)

func TestMain(m *testing.M) {
	if testrun.Raced { // a quarter of the usual checks: whether goroutines are in each other's way does not depend on the input
		if err := flag.Set("rapid.checks", "25"); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}
