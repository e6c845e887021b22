package journal_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox/journal"
)

// wholeJournal is the file of a journal with writes that are done.
func wholeJournal(t testing.TB, writes int) []byte {
	path := filepath.Join(t.TempDir(), "state", journal.FileName)
	j := open(t, path)
	for i := range writes {
		key := fmt.Sprint("k", i)
		_, mine := claim(t, j, intent(key), false)
		require.True(t, mine)
		done := journal.Ending{Outcome: effect.Done, Subject: "trf_" + key, State: "awaiting_funds"}
		require.NoError(t, j.End(intent(key), done))
	}
	require.NoError(t, j.Record(t.Context(), nil))
	require.NoError(t, j.Close()) // with all of it in the one file
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return content
}

// FuzzDamagedJournal damages the file as disks do: it is cut, and pages of it hold something else. A journal that
// opens all the same either knows each write that is done, or refuses with ErrCorrupt; none is ever claimed again.
func FuzzDamagedJournal(f *testing.F) {
	const writes = 60
	whole := wholeJournal(f, writes)
	pageSize := int(whole[16])<<8 | int(whole[17])
	f.Add(uint16(0), byte('$'), []byte(""), uint32(1), []byte(""))
	f.Add(uint16(0), byte('\x00'), []byte(""), uint32(9000), []byte(""))
	f.Add(uint16(0), byte('\x00'), []byte(""), uint32(0), []byte("tail that no database has"))
	f.Add(uint16(0), byte('\x01'), []byte("\xff"), uint32(0), []byte(""))
	f.Add(uint16(0), byte('\x00'), []byte(""), uint32(100), []byte(""))
	f.Add(uint16(3), byte('\x02'), []byte("\n"), uint32(0), []byte(""))
	f.Fuzz(func(t *testing.T, page uint16, pages uint8, fill []byte, cut uint32, tail []byte) {
		content := bytes.Clone(whole)
		if len(fill) > 0 {
			first := int(page) % (len(content) / pageSize) * pageSize
			last := min(first+int(pages)*pageSize, len(content))
			// What was never a page of a database: one octet again and again, as of a disk that gives back what it has not got.
			copy(content[first:last], bytes.Repeat(fill[:1], last-first))
		}
		if cut > 0 {
			content = content[:int(cut)%len(content)]
		}
		content = append(content, tail...)
		path := filepath.Join(t.TempDir(), journal.FileName)
		require.NoError(t, os.WriteFile(path, content, 0o600))
		j := scope(path)
		defer j.Close()
		if err := j.Record(t.Context(), nil); err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		if len(content) == 0 {
			return // a new one
		}
		for i := range writes {
			key := fmt.Sprint("k", i)
			claims, err := j.Claim(t.Context(), []journal.PendingWrite{intent(key)}, journal.Again)
			if err != nil {
				require.ErrorIs(t, err, journal.ErrCorrupt)
				return
			}
			require.False(t, claims[0].Mine, "%s was done and is claimed again", key)
			require.Equal(t, effect.Done, claims[0].Entry.Outcome)
			require.Equal(t, "trf_"+key, claims[0].Entry.Subject)
		}
	})
}
