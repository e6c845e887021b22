package batch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/unicode"
	"pgregory.net/rapid"

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
	s, err := Copy(name, strings.NewReader(content), t.TempDir(), plain(t))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
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
		{"a.csv", "reference,contact,route\nok,c,x\nr,\"" + strings.Repeat("x", 2*rows.MaxRow), "3:1: the row is longer"},
		{"a.ndjson", ok + "{\"reference\":1}\n", "2:2: reference must be a JSON string"},
		{"a.ndjson", ok + "{\"amont\":\"1\"}\n", "2:2: unknown column \"amont\""},
		{"a.ndjson", ok + "{\"route\":{\"a\":\"1\"}}\n", "2:2: unknown member \"route.a\""},
		{"a.ndjson", ok + "[1]\n", "2:1: a row must be a JSON object"},
		{"a.ndjson", ok + "{\"metadata\":{\"a\":1}}\n", "2:2: metadata.a must be a JSON string"},
		{"a.ndjson", ok + "{\"metadata\":[]}\n", "2:2: unknown member \"metadata\""},
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

// A line end that two writes share is one, however the text is divided. A CR within a line stays.
func TestLineEnds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("a\r\n"))).Draw(r, "text")
		var got bytes.Buffer
		_, err := io.CopyBuffer(struct{ io.Writer }{&lineEnds{to: &got}}, struct{ io.Reader }{strings.NewReader(text)},
			make([]byte, rapid.IntRange(1, 4).Draw(r, "size")))
		require.NoError(r, err)
		require.Equal(r, strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\r"), got.String())
	})
}

// What is sent is what was checked, whatever happens to the file in between.
func TestAFileThatChangesIsSentAsItWasChecked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "rows.csv")
	content := []byte("reference,contact,route\nr,c,x\n")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	original, err := os.Open(path)
	require.NoError(t, err)
	s, err := Copy(path, original, t.TempDir(), plain(t))
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, original.Close())
	require.NoError(t, os.WriteFile(path, []byte("reference,contact,route\nother,c,x\nmore,c,x\n"), 0o600))
	sum := sha256.Sum256(content)
	require.Equal(t, "bat_"+hex.EncodeToString(sum[:13]), s.BatchID())
	for range 2 {
		all, wrong := everything(t, s)
		require.Empty(t, wrong)
		require.Equal(t, []string{"r"}, all)
	}
}

// A pipe may have no end, and the disk has one. Nothing is left of a copy.
func TestCopiesAreBoundedAndRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	source, err := copyAtMost(5, "rows", strings.NewReader("12345"), dir, plain(t))
	require.NoError(t, err)
	require.NoError(t, source.Close())
	_, err = copyAtMost(5, "rows", strings.NewReader("123456"), dir, plain(t))
	require.ErrorIs(t, err, rows.ErrUnusable)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}
