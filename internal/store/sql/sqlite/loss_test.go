package sqlite_test

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/sql/sqlite"
	"github.com/payctl/payctl/internal/test/paytest"
)

// frameSize is the length of a frame of a log: its header and a page.
const frameSize = 24 + 4096

// killed is a folder as a process leaves it that was killed after some updates, k0, k1 and so on, each with a commit of
// its own. The first ones are in the database, the others only in its log.
func killed(t testing.TB, copied, logged int) (folder string) {
	t.Helper()
	live := t.TempDir()
	write := func(s *sqlite.Store, from, to int) {
		for i := from; i < to; i++ {
			require.NoError(t, s.Update(t.Context(), world, put(fmt.Sprint("k", i))))
		}
	}
	s := openIn(t, live)
	write(s, 0, copied)
	require.NoError(t, s.Close())
	s = openIn(t, live)
	s.NoCheckpoints()
	write(s, copied, copied+logged)
	folder = copyOf(t, live)
	require.NoError(t, s.Close())
	return folder
}

// copyOf copies a folder that no process changes.
func copyOf(t testing.TB, folder string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "data")
	copyTo(t, to, folder)
	return to
}

// copyTo copies the files of a folder into a new one, as the user's alone.
func copyTo(t testing.TB, to, folder string) {
	t.Helper()
	require.NoError(t, os.CopyFS(to, os.DirFS(folder)))
	files, err := os.ReadDir(to)
	require.NoError(t, err)
	for _, file := range files {
		require.NoError(t, os.Chmod(filepath.Join(to, file.Name()), 0o600))
	}
}

// requireAll opens a folder, which has to have a number of keys.
func requireAll(t testing.TB, folder string, keys int) {
	t.Helper()
	s := openIn(t, folder)
	for i := range keys {
		require.True(t, has(t, s, fmt.Sprint("k", i)), i)
	}
	require.NoError(t, s.Close())
	requireWritable(t, folder)
}

// requireWritable opens a folder once more, and again after it was left in the middle.
func requireWritable(t testing.TB, folder string) {
	t.Helper()
	s := openIn(t, folder)
	require.NoError(t, s.Update(t.Context(), world, put("later")))
	left := copyOf(t, folder)
	require.NoError(t, s.Close())
	s = openIn(t, left)
	require.True(t, has(t, s, "later"))
	require.NoError(t, s.Close())
}

// requireLoss opens a folder of which at least a number of writes were lost, and returns what is left when the loss is
// accepted: the first of some keys.
func requireLoss(t testing.TB, folder string, keys, atLeast int) (loss *sqlite.LossError, left int) {
	t.Helper()
	for range 2 { // the first attempt has changed nothing
		_, err := sqlite.Open(t.Context(), folder)
		require.ErrorAs(t, err, &loss)
		require.GreaterOrEqual(t, int(loss.Writes), atLeast)
	}
	expected := *loss
	s, loss, err := sqlite.OpenAcceptingLoss(t.Context(), folder)
	require.NoError(t, err)
	require.Equal(t, expected.Error(), loss.Error())
	for left < keys && has(t, s, fmt.Sprint("k", left)) {
		left++
	}
	for i := left; i < keys; i++ {
		require.False(t, has(t, s, fmt.Sprint("k", i)), "no later key without an earlier one")
	}
	require.Equal(t, keys-left, int(loss.Writes))
	require.NoError(t, s.Close())
	kept, err := os.ReadDir(loss.Aside)
	require.NoError(t, err)
	require.NotEmpty(t, kept)
	requireWritable(t, folder)
	return loss, left
}

func wal(folder string) string { return filepath.Join(folder, "payctl.db-wal") }

// flip changes a byte of a file.
func flip(t testing.TB, file string, at int64) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	require.NoError(t, err)
	b := make([]byte, 1)
	_, err = f.ReadAt(b, at)
	require.NoError(t, err)
	b[0] ^= 0x10
	_, err = f.WriteAt(b, at)
	require.NoError(t, errors.Join(err, f.Close()))
}

// commitFrames returns where each frame of a log ends that ends a commit.
func commitFrames(t testing.TB, folder string) (ends []int64) {
	t.Helper()
	log, err := os.ReadFile(wal(folder))
	require.NoError(t, err)
	for at := 32; at+frameSize <= len(log); at += frameSize {
		if binary.BigEndian.Uint32(log[at+4:]) != 0 {
			ends = append(ends, int64(at+frameSize))
		}
	}
	return ends
}

// A byte that changed in any frame of the log, or in its header, is noticed, and what was before it is left.
func TestDamagedLog(t *testing.T) {
	t.Parallel()
	if paytest.Raced {
		t.Skip("it opens one folder after the other, in which the race detector finds nothing")
	}
	const copied, logged = 3, 7
	folder := killed(t, copied, logged)
	requireAll(t, copyOf(t, folder), copied+logged)
	ends := commitFrames(t, folder)
	require.Len(t, ends, logged)
	for at := int64(0); at < 32; at += 5 {
		broken := copyOf(t, folder)
		flip(t, wal(broken), at)
		loss, left := requireLoss(t, broken, copied+logged, logged)
		require.Equal(t, copied, left)
		require.ErrorContains(t, loss, "at its beginning")
	}
	for at, commit := int64(32), 0; at < ends[len(ends)-1]; at += frameSize {
		if at >= ends[commit] {
			commit++
		}
		for _, offset := range []int64{0, 5, 9, 17, 24, frameSize - 1} {
			broken := copyOf(t, folder)
			flip(t, wal(broken), at+offset)
			var loss *sqlite.LossError
			_, err := sqlite.Open(t.Context(), broken)
			require.ErrorAs(t, err, &loss)
			require.EqualValues(t, logged-commit, loss.Writes, "the frame at %d", at)
			require.ErrorContains(t, loss, "payctl.db-wal")
			require.False(t, loss.Until.Before(loss.After))
			if offset == 17 || commit == 1 {
				_, left := requireLoss(t, broken, copied+logged, logged-commit)
				require.Equal(t, copied+commit, left, "the frame at %d", at)
			}
		}
	}
}

// However a log is damaged, the scan says how many commits SQLite finds in it, also when that is none.
func TestScanAgreesWithSQLite(t *testing.T) {
	t.Parallel()
	const copied, logged = 2, 6
	folder := killed(t, copied, logged)
	ends := commitFrames(t, folder)
	random := rand.New(rand.NewPCG(1, 2))
	partly := 0
	for range 60 {
		broken := copyOf(t, folder)
		for range random.IntN(3) {
			flip(t, wal(broken), random.Int64N(ends[len(ends)-1]))
		}
		if random.IntN(2) == 0 {
			require.NoError(t, os.Truncate(wal(broken), random.Int64N(ends[len(ends)-1]+1)))
		}
		commits, err := sqlite.CommitsInLog(broken)
		require.NoError(t, err)
		db, err := sql.Open("sqlite", filepath.Join(broken, "payctl.db"))
		require.NoError(t, err)
		var keys int
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM idempotency_keys").Scan(&keys))
		require.NoError(t, db.Close())
		require.Equal(t, max(commits, copied), keys)
		if keys > copied && keys < copied+logged {
			partly++
		}
	}
	require.Greater(t, partly, 10)
}

// A log that ends before the last commit is noticed, also where it ends between two commits.
func TestShortLog(t *testing.T) {
	t.Parallel()
	const copied, logged = 2, 6
	folder := killed(t, copied, logged)
	ends := commitFrames(t, folder)
	for at, commit := int64(0), 0; at < ends[len(ends)-1]; at += frameSize / 2 {
		for commit < logged && at >= ends[commit] {
			commit++
		}
		for _, length := range []int64{at, ends[commit] - 1} {
			broken := copyOf(t, folder)
			require.NoError(t, os.Truncate(wal(broken), length))
			var loss *sqlite.LossError
			_, err := sqlite.Open(t.Context(), broken)
			require.ErrorAs(t, err, &loss)
			require.EqualValues(t, logged-commit, loss.Writes, "at %d", length)
		}
	}
	for i, end := range ends[:len(ends)-1] {
		broken := copyOf(t, folder)
		require.NoError(t, os.Truncate(wal(broken), end))
		_, left := requireLoss(t, broken, copied+logged, logged-i-1)
		require.Equal(t, copied+i+1, left)
	}
}

// What a commit leaves in the log that was never acknowledged is no damage.
func TestUnfinishedCommit(t *testing.T) {
	t.Parallel()
	const copied, logged = 2, 5
	live := t.TempDir()
	s := openIn(t, live)
	s.NoCheckpoints()
	for i := range copied + logged {
		require.NoError(t, s.Update(t.Context(), world, put(fmt.Sprint("k", i))))
	}
	state, err := os.ReadFile(filepath.Join(live, "payctl.state"))
	require.NoError(t, err)
	acknowledged := commitFrames(t, live)
	require.NoError(t, s.Update(t.Context(), world, put("unfinished")))
	folder := copyOf(t, live)
	require.NoError(t, s.Close())
	require.NoError(t, os.WriteFile(filepath.Join(folder, "payctl.state"), state, 0o600)) // as it is before the commit ends
	from, to := acknowledged[len(acknowledged)-1], commitFrames(t, folder)
	for at := from; at <= to[len(to)-1]; at += frameSize / 2 {
		broken := copyOf(t, folder)
		require.NoError(t, os.Truncate(wal(broken), at))
		requireAll(t, broken, copied+logged)
	}
	for at := from; at < to[len(to)-1]; at += frameSize / 3 {
		broken := copyOf(t, folder) // blocks of a file reach the disk in any order
		flip(t, wal(broken), at)
		requireAll(t, broken, copied+logged)
	}
}

// After a power failure the state file can be as old as the last checkpoint. Damage is noticed all the same if the next
// commit after it proves that it was on the disk.
func TestDamageAfterAPowerFailure(t *testing.T) {
	t.Parallel()
	const copied, logged = 2, 6
	folder := killed(t, copied, logged)
	old := killed(t, copied, 0)
	state, err := os.ReadFile(filepath.Join(old, "payctl.state"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "payctl.state"), state, 0o600))
	requireAll(t, copyOf(t, folder), copied+logged)
	ends := commitFrames(t, folder)
	for i := range ends[:len(ends)-2] {
		broken := copyOf(t, folder)
		flip(t, wal(broken), ends[i]+100)
		loss, left := requireLoss(t, broken, copied+logged, 0)
		require.Equal(t, copied+i+1, left)
		require.ErrorContains(t, loss, fmt.Sprint("at byte ", ends[i]))
	}
}

// Files that are gone, empty or of another time are noticed.
func TestFilesOfAnotherTime(t *testing.T) {
	t.Parallel()
	const copied, logged = 3, 4
	folder := killed(t, copied, logged)
	older, clean := killed(t, copied, logged-2), killed(t, copied+logged, 0)
	database := func(folder string) string { return filepath.Join(folder, "payctl.db") }
	replace := func(t testing.TB, to, from string) {
		content, err := os.ReadFile(from)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(to, content, 0o600))
	}
	for name, test := range map[string]struct {
		of    string // the folder
		spoil func(t testing.TB, folder string)
		left  int
		says  string
	}{
		"no log":    {folder, func(t testing.TB, f string) { require.NoError(t, os.Remove(wal(f))) }, copied, "missing or empty"},
		"empty log": {folder, func(t testing.TB, f string) { require.NoError(t, os.Truncate(wal(f), 0)) }, copied, "missing or empty"},
		"no database": {folder, func(t testing.TB, f string) {
			require.NoError(t, os.Remove(database(f)))
		}, 0, "the database payctl.db is missing"},
		"empty database": {folder, func(t testing.TB, f string) {
			require.NoError(t, os.Truncate(database(f), 0))
		}, 0, "the database payctl.db is empty"},
		"neither": {folder, func(t testing.TB, f string) {
			require.NoError(t, errors.Join(os.Remove(database(f)), os.Remove(wal(f))))
		}, 0, "the database payctl.db is missing"},
		"no database after a clean stop": {clean, func(t testing.TB, f string) {
			require.NoError(t, os.Remove(database(f)))
		}, 0, "the database payctl.db is missing"},
		"an older database after a clean stop": {clean, func(t testing.TB, f string) {
			replace(t, database(f), database(killed(t, copied, 0)))
		}, copied, "older than the one"},
		"an older database with its log": {folder, func(t testing.TB, f string) {
			replace(t, database(f), database(older))
			replace(t, wal(f), wal(older))
		}, copied + logged - 2, "shorter than it was"},
		"an older database": {folder, func(t testing.TB, f string) {
			replace(t, database(f), database(killed(t, copied-2, 0)))
		}, copied - 2, "older than the one"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broken := copyOf(t, test.of)
			test.spoil(t, broken)
			loss, left := requireLoss(t, broken, copied+logged, copied+logged-test.left)
			require.Equal(t, test.left, left)
			require.ErrorContains(t, loss, test.says)
		})
	}
	t.Run("an older log with a database that has everything", func(t *testing.T) {
		t.Parallel()
		broken := copyOf(t, clean)
		replace(t, wal(broken), wal(older))
		requireAll(t, broken, copied+logged)
	})
	t.Run("a database without its log, in a folder without a state", func(t *testing.T) {
		t.Parallel()
		broken := copyOf(t, folder)
		require.NoError(t, errors.Join(os.Remove(wal(broken)), os.Remove(filepath.Join(broken, "payctl.state"))))
		requireAll(t, broken, copied) // which is a copy, as far as can be known
	})
	t.Run("a log without its database, in a folder without a state", func(t *testing.T) {
		t.Parallel()
		broken := copyOf(t, folder)
		require.NoError(t, errors.Join(os.Remove(database(broken)), os.Remove(filepath.Join(broken, "payctl.state"))))
		_, err := sqlite.Open(t.Context(), broken)
		var loss *sqlite.LossError
		require.ErrorAs(t, err, &loss)
		require.EqualValues(t, copied+logged, loss.Writes, "the log itself says how many")
	})
}

// Another program may have copied the log into the database, as it does when it closes it as the last one.
func TestLogCopiedByAnotherProgram(t *testing.T) {
	t.Parallel()
	const copied, logged = 2, 5
	folder := killed(t, copied, logged)
	db, err := sql.Open("sqlite", filepath.Join(folder, "payctl.db"))
	require.NoError(t, err)
	var keys int
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM idempotency_keys").Scan(&keys))
	require.Equal(t, copied+logged, keys)
	require.NoError(t, db.Close())
	_, err = os.Stat(wal(folder))
	require.ErrorIs(t, err, os.ErrNotExist)
	requireAll(t, folder, copied+logged)
}

// A process can be killed while it copies the log into the database, page by page. With the log nothing is lost then;
// without it, the loss is noticed.
func TestLogCopiedInPart(t *testing.T) {
	t.Parallel()
	for _, copied := range []int{0, 3} {
		const logged = 40
		folder := killed(t, copied, logged)
		log, err := os.ReadFile(wal(folder))
		require.NoError(t, err)
		pages := map[uint32][]byte{} // as the log has them last
		ends := commitFrames(t, folder)
		for at := int64(32); at < ends[len(ends)-1]; at += frameSize {
			pages[binary.BigEndian.Uint32(log[at:])] = log[at+24 : at+frameSize]
		}
		numbers := slices.Sorted(maps.Keys(pages))
		for part := range len(numbers) + 1 {
			partly := copyOf(t, folder)
			f, err := os.OpenFile(filepath.Join(partly, "payctl.db"), os.O_RDWR, 0)
			require.NoError(t, err)
			for _, number := range numbers[:part] {
				_, err := f.WriteAt(pages[number], int64(number-1)*4096)
				require.NoError(t, err)
			}
			require.NoError(t, f.Close())
			alone := copyOf(t, partly)
			requireAll(t, partly, copied+logged)
			require.NoError(t, os.Remove(wal(alone)))
			if part == len(numbers) {
				requireAll(t, alone, copied+logged)
				continue
			}
			_, err = sqlite.Open(t.Context(), alone)
			var loss *sqlite.LossError
			require.ErrorAs(t, err, &loss, "%d of %d pages", part, len(numbers))
			require.NotZero(t, loss.Writes)
		}
	}
}

// A folder of an earlier version has no state and no count of its commits.
func TestFolderWithoutAState(t *testing.T) {
	t.Parallel()
	const copied, logged = 2, 3
	folder := killed(t, copied, logged)
	require.NoError(t, os.Remove(filepath.Join(folder, "payctl.state")))
	requireAll(t, folder, copied+logged)
}

// Only the last of several processes stops the folder cleanly, and none loses what the others have recorded.
func TestSeveralProcessesRecordTheirCommits(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	one, two := openIn(t, folder), openIn(t, folder)
	one.NoCheckpoints()
	two.NoCheckpoints()
	const keys = 10
	for i := range keys {
		require.NoError(t, []*sqlite.Store{one, two}[i%2].Update(t.Context(), world, put(fmt.Sprint("k", i))))
	}
	unclean := copyOf(t, folder)
	requireAll(t, copyOf(t, unclean), keys)
	ends := commitFrames(t, unclean)
	for missing := 1; missing < 3; missing++ { // the last commit is of one or the other
		broken := copyOf(t, unclean)
		require.NoError(t, os.Truncate(wal(broken), ends[len(ends)-1-missing]))
		_, left := requireLoss(t, broken, keys, missing)
		require.Equal(t, keys-missing, left)
	}
	require.NoError(t, two.Close())
	require.NoError(t, one.Update(t.Context(), world, put("k10")), "the other one goes on")
	unclean = copyOf(t, folder)
	require.NoError(t, os.Remove(wal(unclean)))
	requireLoss(t, unclean, keys+1, 1)
	require.NoError(t, one.Close())
	requireAll(t, folder, keys+1)
}

// An update that writes nothing waits for no disk.
func TestUpdateThatWritesNothing(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := openIn(t, folder)
	require.NoError(t, s.Update(t.Context(), world, put("k")))
	before, err := os.Stat(wal(folder))
	require.NoError(t, err)
	require.NoError(t, s.Update(t.Context(), world, func(tx store.Tx) error {
		_, err := tx.Keys().Get("k")
		return err
	}))
	after, err := os.Stat(wal(folder))
	require.NoError(t, err)
	require.Equal(t, before.Size(), after.Size())
	require.Equal(t, before.ModTime(), after.ModTime())
	require.NoError(t, s.Close())
}

// What was written is soon in the database, also if nothing is written after it.
func TestLogIsCopiedSoon(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := openIn(t, folder)
	for i := range 3 {
		require.NoError(t, s.Update(t.Context(), world, put(fmt.Sprint("k", i))))
	}
	require.Eventually(t, func() bool {
		alone := filepath.Join(t.TempDir(), "payctl.db")
		content, err := os.ReadFile(filepath.Join(folder, "payctl.db"))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(alone, content, 0o600))
		db, err := sql.Open("sqlite", alone)
		require.NoError(t, err)
		defer func() { require.NoError(t, db.Close()) }()
		var keys int
		_ = db.QueryRowContext(context.Background(), "SELECT count(*) FROM idempotency_keys").Scan(&keys)
		return keys == 3
	}, 10*time.Second, 50*time.Millisecond)
	require.NoError(t, s.Close())
}
