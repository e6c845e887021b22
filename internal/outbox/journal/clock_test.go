package journal

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Go compares times by a monotonic clock, which stops while a machine sleeps. A write that was reserved before an hour
// of sleep would count as reserved just now, and resolving would count it as absent as soon as it is sent.
func TestTimesHaveNoMonotonicReading(t *testing.T) {
	t.Parallel()
	j := &Journal{Path: filepath.Join(t.TempDir(), FileName), Now: time.Now}
	f, _, err := j.open(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, j.Close()) })
	require.NotContains(t, f.now().String(), "m=", "time.Time.String shows a monotonic reading like this")
}
