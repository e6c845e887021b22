package batch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/unicode"

	"github.com/payctl/payctl/internal/rows"
)

// plain takes the columns as they are.
func plain(t testing.TB) *rows.Mapping {
	m, err := rows.NewMapping(Members(), nil, nil)
	require.NoError(t, err)
	return m
}

// written is a source with some content.
func written(t testing.TB, name, content string) *Source {
	t.Helper()
	s, err := NewSource(name, strings.NewReader(content), plain(t))
	require.NoError(t, err)
	return s
}

// everything reads a file to its end: the reference and note of each row, and its errors.
func everything(t require.TestingT, s *Source) (all, wrong []string) {
	f, err := s.open()
	require.NoError(t, err)
	var errs rows.Errors
	require.NoError(t, f.Each(context.Background(), s.name, maxRows, &errs, func(read *rows.Row) error {
		row, faults := readTransfer(read)
		for _, err := range faults {
			errs.Add(err)
		}
		if len(faults) == 0 {
			all = append(all, row.Reference+row.Metadata["note"])
		}
		return nil
	}))
	for _, err := range errs.First {
		wrong = append(wrong, err.Error())
	}
	return all, wrong
}

func TestErrorsOfFormNameTheirPosition(t *testing.T) {
	t.Parallel()
	const ok = "{\"reference\":\"ok\",\"contact\":\"c\",\"route\":\"x\"}\n"
	for _, c := range []struct{ name, content, wrong string }{
		{"a.ndjson", ok + "{\"reference\":1}\n", "2:2: reference must be a JSON string"},
		{"a.ndjson", ok + "{\"amont\":\"1\"}\n", "2:2: unknown column \"amont\""},
		{"a.ndjson", ok + "{\"route\":{\"a\":\"1\"}}\n", "2:11: unknown column \"route.a\""},
		{"a.ndjson", ok + "[1]\n", "2:1: a row must be a JSON object"},
		{"a.ndjson", ok + "{\"metadata\":{\"a\":1}}\n", "2:14: metadata.a must be a JSON string"},
		{"a.ndjson", ok + "{\"metadata\":[]}\n", "2:2: unknown column \"metadata\""},
	} {
		all, wrong := everything(t, written(t, c.name, c.content))
		require.Equal(t, []string{"ok"}, all, c.wrong)
		require.Len(t, wrong, 1, c.wrong)
		require.Contains(t, wrong[0], c.wrong)
	}
}

// A file that an editor saves with other line ends or in another encoding is the same batch: none of its rows is a new
// payment.
func TestTheBatchDoesNotDependOnTheEditor(t *testing.T) {
	t.Parallel()
	for _, content := range []string{
		"reference,contact,route,metadata.note\nr1,c,x,Zoë\nr2,c,x,\"two\nlines\"\n",
		"{\"reference\":\"r1\",\"contact\":\"c\",\"route\":\"x\",\"metadata\":{\"note\":\"😀\"}}\n{\"reference\":\"r2\",\"contact\":\"c\",\"route\":\"x\"}", // 😀 is two units of UTF-16
	} {
		type batch struct {
			id          string
			rows, wrong []string
		}
		saved := func(content string) batch {
			s := written(t, "rows", content)
			all, wrong := everything(t, s)
			return batch{s.BatchID(), all, wrong}
		}
		sum := sha256.Sum256([]byte(content))
		plain := saved(content)
		require.Equal(t, "bat_"+hex.EncodeToString(sum[:13]), plain.id)
		require.Len(t, plain.rows, 2)
		require.Empty(t, plain.wrong)
		crlf := strings.ReplaceAll(content, "\n", "\r\n")
		for _, again := range []string{crlf, "\ufeff" + content, "\ufeff" + crlf, asUTF16(t, content), asUTF16(t, crlf)} {
			require.Equal(t, plain, saved(again), "%q", again)
		}
	}
}

// asUTF16 is a text as UTF-16LE with a byte order mark.
func asUTF16(t *testing.T, text string) string {
	encoded, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(text)
	require.NoError(t, err)
	return encoded
}
