package batch

import (
	"fmt"
	"io"
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

// all are the numbers that runs give.
func all(t *testing.T, sorted *runs) (numbers []uint64) {
	t.Helper()
	require.NoError(t, sorted.each(func(number uint64) bool {
		numbers = append(numbers, number)
		return true
	}))
	return numbers
}

func TestRunsAtTheirBounds(t *testing.T) {
	t.Parallel()
	for _, length := range []int{1, 2, 511, 512, 513, runLength} { // 512 are written at once
		for _, count := range []int{0, 1, length - 1, length, length + 1, 2*length - 1, 2 * length, 2*length + 1} {
			sorted := runs{length: length}
			var want []uint64
			for i := range count {
				want = append(want, uint64(i))
				sorted.add(uint64(count - 1 - i))
			}
			require.Equal(t, want, all(t, &sorted), "%d of %d", count, length)
			require.Len(t, sorted.ends, count/length)
			sorted.close()
			sorted.close()
		}
	}
}

// A disk that becomes full leaves what is on it, and the rest in memory.
func TestRunsOnADiskThatBecomesFull(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "runs")
	disk, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	require.NoError(t, err)
	full, err := os.Open(name) // which cannot be written to
	require.NoError(t, err)
	sorted := runs{length: 4, file: disk}
	defer sorted.close()
	var want []uint64
	for i := range 99 {
		if i == 42 {
			require.NoError(t, disk.Close())
			sorted.file = full
		}
		sorted.add(uint64(98 - i))
		want = append(want, uint64(i))
	}
	require.Len(t, sorted.ends, 10)
	require.Len(t, sorted.kept, 14)
	require.Equal(t, want, all(t, &sorted))
}

// A file that somebody cut is no shorter list, in which nothing occurs twice.
func TestRunsThatAreCut(t *testing.T) {
	t.Parallel()
	for _, left := range []int64{0, 8, 12, 32, 40, 63} {
		sorted := runs{length: 4}
		for i := range 8 {
			sorted.add(uint64(i))
		}
		require.NoError(t, sorted.file.Truncate(left))
		require.ErrorIs(t, sorted.each(func(uint64) bool { return true }), io.ErrUnexpectedEOF, left)
		sorted.close()
	}
}
