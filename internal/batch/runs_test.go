package batch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Numbers come back sorted, each as often as it was added, whether or not there is room for a file.
func TestRuns(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		numbers := rapid.SliceOfN(rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 20)), 0, 200).Draw(r, "numbers")
		sorted := runs{length: rapid.IntRange(1, 30).Draw(r, "length")}
		defer sorted.close()
		full := rapid.IntRange(0, 400).Draw(r, "full")
		for i, number := range numbers {
			if i == full && sorted.file != nil {
				require.NoError(r, sorted.file.Close()) // nothing more can be written, nor read
				broken := sorted.each(func(uint64) bool { return true })
				require.Equal(r, len(sorted.ends) > 0, broken != nil)
				return
			}
			sorted.add(number)
		}
		var got []uint64
		require.NoError(r, sorted.each(func(number uint64) bool {
			got = append(got, number)
			return true
		}))
		slices.Sort(numbers)
		require.Equal(r, append([]uint64(nil), numbers...), got)
	})
}

// Where no temporary file can be made, what occurs twice is found all the same.
func TestRunsWithoutAFile(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	t.Setenv("TMP", filepath.Join(t.TempDir(), "none"))
	sorted := runs{length: 4}
	defer sorted.close()
	for i := range 99 {
		sorted.add(uint64(i * 7 % 50))
	}
	require.Nil(t, sorted.file)
	before, twice := uint64(1000), 0
	require.NoError(t, sorted.each(func(number uint64) bool {
		if number == before {
			twice++
		}
		before = number
		return true
	}))
	require.Equal(t, 49, twice)
}

// A reference that is there twice, far apart, is found; the temporary file is gone afterwards.
func TestARepeatedReferenceFarApart(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	var b strings.Builder
	b.WriteString("reference,contact,route,amount\n")
	const rows = 3 * runLength
	for i := range rows {
		fmt.Fprintf(&b, "r-%d,sct,x,1\n", i)
	}
	b.WriteString("r-7,sct,x,1\n")
	source := written(t, "rows.csv", b.String())
	repeated := newDuplicates()
	for i := range rows {
		repeated.add(fmt.Sprintf("r-%d", i))
	}
	repeated.add("r-7")
	require.NotEmpty(t, repeated.hashes.ends)
	var found []*Mistake
	require.NoError(t, repeated.find(source, func(m *Mistake) { found = append(found, m) }))
	require.Len(t, found, 1)
	require.Equal(t, rows+2, found[0].Line)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}
