package sql_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain checks that Close ends every goroutine.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
