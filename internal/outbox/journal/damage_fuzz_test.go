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

// wholeJournal returns the file of a journal with done writes.
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
	require.NoError(t, j.Close()) // leaves everything in one file
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return content
}

// FuzzDamagedJournal damages the file as disks do: it cuts the file and overwrites pages. A journal that still opens
// knows each done write or returns ErrCorrupt. It never claims a done write again.
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
			// A disk that has lost a page may return the same byte again and again.
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
			return // an empty file is a new journal
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
