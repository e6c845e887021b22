package batch

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// written is a source with some content.
func written(t testing.TB, name, content string) *Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	s := opened(t, path)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func opened(t testing.TB, path string) *Source {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	return New(path, file)
}

// everything reads rows to their end.
func everything(t require.TestingT, rows Rows) (all []Row, mistakes []string) {
	for {
		var row Row
		err := rows.Next(&row)
		mistake, bad := errors.AsType[*Mistake](err)
		switch {
		case errors.Is(err, io.EOF):
			return all, mistakes
		case bad:
			mistakes = append(mistakes, mistake.Error())
			if errors.Is(err, errTooLong) {
				return all, mistakes
			}
		default:
			require.NoError(t, err)
			all = append(all, row)
		}
	}
}

func TestMistakesOfFormNameTheirPlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, content, mistake string }{
		{"a.csv", "reference,contact,route\nr,c\nok,c,x\n", "2:1: the row has another number"},
		{"a.csv", "reference,contact,route\nr,\"c\"x,y\nok,c,x\n", "2:5: extraneous"},
		{"a.csv", "reference,contact,route\nok,c,x\nr,\"" + strings.Repeat("x", 2*maxRow), "3:1: the row is longer"},
		{"a.ndjson", "{\"reference\":\"ok\"}\n{\"reference\":1}\n", "2:15: a JSON string"},
		{"a.ndjson", "{\"reference\":\"ok\"}\n{\"amont\":\"1\"}\n", "2:9: \"amont\" is no column"},
		{"a.ndjson", "{\"reference\":\"ok\"}\n{\"amount\":tru}\n", "2:"},
		{"a.ndjson", "{\"reference\":\"ok\"}\n{\"amount\":", "2:11: "},
		{"a.ndjson", "{\"reference\":\"ok\"}\n[1]\n", "2:1: a row has to be a JSON object"},
		{"a.ndjson", "{\"reference\":\"ok\"}\n{\"route\":\"a\",\"route\":\"b\"}\n", "2:"},
		{"a.ndjson", "{\"reference\":\"ok\"}\n{} {}\n", "2:"},
		{"a.ndjson", "{\"reference\":\"ok\"}\n{\"metadata\":{\"a\":1}}\n", "2:"},
		{"a.ndjson", "{\"reference\":\"ok\"}\n{\"metadata\":[]}\n", "2:"},
		{"a.ndjson", "{\"reference\":\"ok\"}\n" + strings.Repeat(" ", 2*maxRow), "2:1: the row is longer"},
	} {
		rows, err := written(t, c.name, c.content).Rows()
		require.NoError(t, err, c.content)
		all, mistakes := everything(t, rows)
		require.Len(t, all, 1, c.mistake)
		require.Equal(t, "ok", all[0].Reference())
		require.Len(t, mistakes, 1, c.mistake)
		require.True(t, strings.HasPrefix(mistakes[0], c.mistake), "%s: %s", c.mistake, mistakes[0])
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	for header, reason := range map[string]string{
		"":                                     "it is empty",
		"\ufeff":                               "it is empty",
		"\n\r\n":                               "it has nothing but empty lines",
		"\xff\xfer\x00":                        "it is UTF-16; save it as UTF-8",
		"{\"reference\":\"r\"}\n":              "let the name end in .ndjson",
		"reference;contact;route\n":            "is no column: there are reference, contact, route, amount, amount_type and metadata.NAME; columns are parted by commas, not by semicolons",
		"reference\tcontact\troute\n":          "not by tabs",
		"reference,contact\n":                  "the column route is missing",
		"reference,contact,route,route\n":      "1:25: the column route is there twice",
		"reference,contact,route,metadata.\n":  "is no column",
		"reference,contact,route,Amount\n":     "1:25: \"Amount\" is no column",
		"reference,contact,route,\"amount\n":   "1:",
		strings.Repeat("reference,", 2*maxRow): "the row is longer",
	} {
		_, err := written(t, "a.csv", header).Rows()
		require.ErrorIs(t, err, ErrUnusable, header)
		require.ErrorContains(t, err, reason)
	}
}

func TestFormIsToldByNameOrFirstByte(t *testing.T) {
	t.Parallel()
	const asCSV, asNDJSON = "\ufeffroute,reference,contact\nx,r,c\n", "\ufeff{\"reference\":\"r\",\"amount\":12.50}\n\n"
	for name, content := range map[string]string{
		"a.csv": asCSV, "b": asCSV, "a.txt": asCSV, "a.ndjson": asNDJSON, "a.jsonl": asNDJSON, "c": asNDJSON,
	} {
		rows, err := written(t, name, content).Rows()
		require.NoError(t, err)
		all, mistakes := everything(t, rows)
		require.Empty(t, mistakes)
		require.Len(t, all, 1)
		require.Equal(t, "r", all[0].Reference())
		if strings.Contains(content, "12.50") {
			require.Equal(t, "12.50", all[0].Amount(), "the text of a number counts")
		}
	}
}

func TestAFileThatChangesIsNotReadOn(t *testing.T) {
	t.Parallel()
	line := "r,c,route\n"
	content := "reference,contact,route\n" + strings.Repeat(line, 3*chunk/len(line))
	path := filepath.Join(t.TempDir(), "rows.csv")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	s := opened(t, path)
	defer s.Close()
	count := func() (n int, err error) {
		rows, err := s.Rows()
		for err == nil {
			if err = rows.Next(&Row{}); err == nil {
				n++
			}
		}
		return n, err
	}
	n, err := count()
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, 3*chunk/len(line), n)
	id := s.ID()
	_, err = count()
	require.ErrorIs(t, err, io.EOF, "the same once more")
	require.Equal(t, id, s.ID())

	for _, changed := range []string{content + line, content[:len(content)-len(line)], content[:2*chunk] + "X" + content[2*chunk+1:]} {
		require.NoError(t, os.WriteFile(path, []byte(changed), 0o600))
		n, err = count()
		require.ErrorIs(t, err, ErrChanged)
		require.LessOrEqual(t, n, 3*chunk/len(line), "nothing of the part that was changed was read")
	}
}

func TestStandardInputIsKeptWhereNobodyElseReads(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "spool")
	s, err := Spool("standard input", strings.NewReader("reference,contact,route\nr,c,x\n"), dir)
	require.NoError(t, err)
	for range 2 {
		rows, err := s.Rows()
		require.NoError(t, err)
		all, _ := everything(t, rows)
		require.Len(t, all, 1)
	}
	require.NoError(t, s.Close())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// anyRow draws a row of arbitrary text.
func anyRow(t *rapid.T) Row {
	text := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune(",\"\n'={} \\"))))
	r := Row{Metadata: map[string]string{"team": text.Draw(t, "team") + "x"}}
	for i := range r.values {
		r.values[i] = strings.ReplaceAll(text.Draw(t, names[i]), "\r", "") + "x"
	}
	r.Metadata["team"] = strings.ReplaceAll(r.Metadata["team"], "\r", "")
	return r
}

func TestBothFormsKeepEveryValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		all := rapid.SliceOfN(rapid.Custom(anyRow), 1, 5).Draw(rt, "rows")
		var asCSV, asNDJSON bytes.Buffer
		w := csv.NewWriter(&asCSV)
		require.NoError(rt, w.Write(append(names[:], "metadata.team")))
		for _, r := range all {
			require.NoError(rt, w.Write(append(r.values[:], r.Metadata["team"])))
			object := map[string]any{"metadata": r.Metadata}
			for i, name := range names {
				object[name] = r.values[i]
			}
			line, err := json.Marshal(object, jsontext.AllowInvalidUTF8(true))
			require.NoError(rt, err)
			asNDJSON.Write(append(line, '\n'))
		}
		w.Flush()
		fromCSV, err := newCSV(&asCSV)
		require.NoError(rt, err)
		for _, rows := range []Rows{fromCSV, newNDJSON(&asNDJSON)} {
			got, mistakes := everything(rt, rows)
			require.Empty(rt, mistakes)
			require.Len(rt, got, len(all))
			for i := range all {
				require.Equal(rt, all[i].values, got[i].values)
				require.Equal(rt, all[i].Metadata, got[i].Metadata)
			}
		}
	})
}

// hold reads content to its end and holds what is read to what is always so.
func hold(t *testing.T, rows Rows) {
	line := 0
	for {
		var row Row
		err := rows.Next(&row)
		if mistake, bad := errors.AsType[*Mistake](err); bad {
			require.Positive(t, mistake.Line)
			require.Positive(t, mistake.Column)
			if errors.Is(err, errTooLong) {
				return
			}
			continue
		}
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
			return
		}
		require.Greater(t, row.Line, line, "rows come in the order of the file")
		line = row.Line
		for i, value := range row.values {
			require.LessOrEqual(t, len(value), 2*maxRow, names[i])
		}
	}
}

func FuzzCSV(f *testing.F) {
	for _, s := range []string{"reference,contact,route\na,b,c\n", "route,contact,reference,metadata.x\n\"a\nb\",,c,d\r\n", "reference,contact,route\n\"", "a"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		rows, err := newCSV(bytes.NewReader(content))
		if err == nil {
			hold(t, rows)
		}
	})
}

func FuzzNDJSON(f *testing.F) {
	for _, s := range []string{"{\"reference\":\"a\"}\n", "{\"metadata\":{\"a\":null}}", "{\"amount\":1e9}\n{", "{\"a", "[]", "\n\n{}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, content []byte) { hold(t, newNDJSON(bytes.NewReader(content))) })
}

func ExampleMistake() {
	fmt.Println((&Mistake{Place{3, 7}, "amount is missing"}).Error())
	// Output: 3:7: amount is missing
}
