package rows

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func hasID(header []Field) bool { return hasField(header, "id") }

// read reads a file to its end, and returns each row or error as a line.
func read(t require.TestingT, content io.Reader, isHeader func([]Field) bool) (all []string) {
	text, err := readText(content)
	require.NoError(t, err)
	_, rows, wrong := open(text, isHeader)
	if wrong != nil {
		return []string{wrong.Error()}
	}
	for row, wrong := range rows {
		if wrong != nil {
			all = append(all, wrong.Error())
			continue
		}
		text := fmt.Sprintf("%d:%d", row.Line, row.Column)
		for _, f := range row.Fields {
			text += fmt.Sprintf(" %d:%d %s%c%s", f.Line, f.Column, f.Name, f.Kind, f.Text)
		}
		all = append(all, text)
	}
	return all
}

func TestFormats(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		content string
		list    bool // with isHeader
		want    []string
	}{
		{content: "", want: []string{"1:1: the file is empty"}},
		{content: "\ufeff \n\r\n", want: []string{"1:1: the file is empty"}},
		{content: "\xff\xfei\x00d\x00\r\x00\n\x00\r\x00\n\x007\x00", want: []string{`3:1 3:1 id"7`}},
		// Windows-1252, as spreadsheets save it
		{content: "id,b\n1,Zo\xeb\n2,\xeb\n", want: []string{"2:5: the text is not UTF-8; " + saveAsUTF8}},
		{content: "\ufeff<?xml version=\"1.0\"?>\n<Document/>", want: []string{"1:1: the file is XML, like pain.001 and camt.053; payctl reads CSV and NDJSON"}},
		{content: "id,\xe4b\n1,x\n", want: []string{"1:4: the text is not UTF-8; " + saveAsUTF8}},
		{content: "id\n1\n\"\ufffd\"\n", want: []string{`2:1 2:1 id"1`, `3:1 3:1 id"` + "\ufffd"}},
		{content: "{\"id\":\"Zo\xeb\"}\n", want: []string{"1:10: the text is not UTF-8; " + saveAsUTF8}},
		{content: "[\"Zo\xeb\"]\n", want: []string{"1:5: the text is not UTF-8; " + saveAsUTF8}},

		{content: "sep=;\r\nid;b\r\n1;2,5\r\n", want: []string{`3:1 3:1 id"1 3:3 b"2,5`}},
		{content: "sep=;\nsep=,\n", want: []string{"1:1: the file is empty"}},

		{content: "\ufeff\nid,b\r\n\r\n1,\"x\ny\"\n,#\n", want: []string{`4:1 4:1 id"1 4:3 b"x` + "\ny", `6:1 6:1 idn 6:2 b"#`}},
		{content: "id,b\r1,\"x\ry\"\r\r2,\r", want: []string{`2:1 2:1 id"1 2:3 b"x` + "\ny", `5:1 5:1 id"2 5:3 bn`}}, // lines end with CR alone
		{content: "\"id\",b\n1\n2,2\n", want: []string{"2:1: the row has 1 columns, the header has 2", `3:1 3:1 id"2 3:3 b"2`}},
		{content: "id,b\n1,\"c\"x\n2,2\n", want: []string{"2:5: extraneous or missing \" in quoted-field", `3:1 3:1 id"2 3:3 b"2`}},
		{content: "id,\"b\n", want: []string{"1:7: extraneous or missing \" in quoted-field"}},
		{content: "id\n1\n\"x\ny", want: []string{`2:1 2:1 id"1`, "3:1: extraneous or missing \" in quoted-field; the rows after it cannot be read"}},

		{content: "\n {\"id\": \"1\"\n}\n{\"id\":7, \"b\" : null,\"c\":{\"x\":[]} }\n{} {}", want: []string{`2:2 2:3 id"1`, `4:1 4:2 id07 4:10 bn 4:26 c.x[[]`, "5:1", "5:4"}},
		{content: "{\"id\":1}\n\n{\"id\":tru}\n{}", want: []string{"1:1 1:2 id01", "3:10: invalid character '}' in literal true (expecting 'e'); the rows after it cannot be read"}},
		{content: "{\"id\":1,\"id\":2}\n{}", want: []string{"1:9: duplicate object member name; the rows after it cannot be read"}},
		{content: "{\"id\": \"1\",\n", want: []string{"2:1: unexpected EOF; the rows after it cannot be read"}},

		{content: "\n [{\"id\":\"1\"},\n\n  {\n\"b\":1}, \"2\"\n, 3]\n", want: []string{`2:3 2:4 id"1`, `4:3 5:1 b01`, `5:9 5:9 "2`, `6:3 6:3 03`}},
		{content: "[]"},
		{content: "[1,\n{\"id\":", want: []string{`1:2 1:2 01`, "2:7: unexpected EOF; the rows after it cannot be read"}},
		{content: "[1,\noops]", want: []string{`1:2 1:2 01`, "2:1: invalid character 'o' at start of value; the rows after it cannot be read"}},
		{content: "[1]\n[\"2\"]", want: []string{`1:2 1:2 01`, `2:2 2:2 "2`}},

		{list: true, content: "# a\n\nx\n #\n y\n", want: []string{`3:1 3:1 "x`, `5:2 5:2 "y`}},
		{list: true, content: "\"y\"\n{\"id\":\"z\"}\n", want: []string{`1:1 1:1 "y`, `2:1 2:2 id"z`}},
		{list: true, content: "# a\nn,id\n1,2\n", want: []string{`3:1 3:1 n"1 3:3 id"2`}},
		{list: true, content: "id;n\r\n1;2\r\n", want: []string{`2:1 2:1 id"1 2:3 n"2`}},
		{list: true, content: "\xff\xfe7\x00\r\x00\n\x008\x00", want: []string{`1:1 1:1 "7`, `2:1 2:1 "8`}},
		{list: true, content: "a\nZo\xeb\n", want: []string{"2:3: the text is not UTF-8; " + saveAsUTF8}},
		{list: true, content: "# all\n[\"x\"]", want: []string{`2:2 2:2 "x`}},
		{list: true, content: "a,b\n", want: []string{`1:1 1:1 "a,b`}},

		// One ' before a formula is removed.
		{content: "id,'=b\n'=1,''-2\n'x,'-\n", want: []string{`2:1 2:1 id"=1 2:5 =b"'-2`, `3:1 3:1 id"'x 3:4 =b"-`}},
		{list: true, content: "'=1\n'x\n", want: []string{`1:1 1:1 "'=1`, `2:1 2:1 "'x`}}, // a plain line is not a cell
		{content: "{\"id\":\"'=1\"}\n", want: []string{`1:1 1:2 id"'=1`}},
	} {
		var isHeader func([]Field) bool
		if c.list {
			isHeader = hasID
		}
		require.Equal(t, c.want, read(t, strings.NewReader(c.content), isHeader), "%q", c.content)
	}
}

// Every format returns the values that were written. CSV has a ' before possible formulas, as payctl writes it.
func TestFormatsAgree(t *testing.T) {
	t.Parallel()
	text := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune(",\"\n'={} \\"))))
	rapid.Check(t, func(r *rapid.T) {
		var want, asLines [][]string
		var asCSV, asNDJSON bytes.Buffer
		w := csv.NewWriter(&asCSV)
		require.NoError(r, w.Write([]string{"a", "b"}))
		for range rapid.IntRange(1, 5).Draw(r, "rows") {
			a, b := text.Draw(r, "a"), text.Draw(r, "b")
			values := []string{"x" + strings.ReplaceAll(a, "\r", ""), strings.ReplaceAll(b, "\r", "") + "x"}
			want = append(want, values)
			require.NoError(r, w.Write([]string{DefuseFirst(values[0]), Defuse(values[1])}))
			object := map[string]string{"a": values[0], "b": values[1]}
			require.NoError(r, json.MarshalWrite(&asNDJSON, object, json.Deterministic(true)))
			asNDJSON.WriteByte('\n')
		}
		w.Flush()
		array := "[" + strings.ReplaceAll(strings.TrimSpace(asNDJSON.String()), "\n", ",\n") + "]"
		for _, content := range []string{asCSV.String(), asNDJSON.String(), array} {
			_, rows, wrong := open([]byte(content), nil)
			require.Nil(r, wrong)
			asLines = nil
			for row, wrong := range rows {
				require.Nil(r, wrong)
				require.True(r, row.Named)
				asLines = append(asLines, []string{row.Fields[0].Text, row.Fields[1].Text})
			}
			require.Equal(r, want, asLines)
		}
	})
}

// FuzzRows checks that the rows of any file come in order, with positions inside the file.
func FuzzRows(f *testing.F) {
	for _, content := range []string{
		"id,contact\na,b\n", "route,id,metadata.x\n\"a\nb\",,d\r\n", "id\n\"", "a", "# x\nid\tname\n1\t\"\n", "{\"id\":\"a\"}\n",
		"{\"metadata\":{\"a\":null}}", "{\"amount\":1e9}\n{", "{\"a", "[]", "\n\n{}", "[{\"id\":1},\n2", "\ufeff\"id\",b\n,\n",
	} {
		f.Add([]byte(content), true)
		f.Add([]byte(content), false)
	}
	f.Add([]byte(`{"metadata":n0`), bool(false))
	f.Add([]byte("reference,contact,route\n\x00,b,c\n"), bool(false))
	f.Add([]byte("reference,contact,route\ra,b,c\r"), bool(false))
	f.Add([]byte("{\"reference\":\"\\ud800\"}\n"), bool(false))
	f.Add([]byte("{\"reference\":\"a\",\"reference\":\"b\"}\n"), bool(true))
	f.Fuzz(func(t *testing.T, content []byte, list bool) {
		var isHeader func([]Field) bool
		if list {
			isHeader = hasID
		}
		text, err := readText(bytes.NewReader(content))
		require.NoError(t, err)
		lines := bytes.Count(content, []byte("\n")) + bytes.Count(content, []byte("\r")) + 1
		_, rows, wrong := open(text, isHeader)
		if wrong != nil {
			require.Positive(t, wrong.Line)
			require.LessOrEqual(t, wrong.Line, lines)
			return
		}
		last := Position{}
		for row, wrong := range rows {
			if wrong != nil {
				require.NotEmpty(t, wrong.Reason)
				require.Positive(t, wrong.Column)
				require.LessOrEqual(t, wrong.Line, lines)
				continue
			}
			isAfter := row.Line > last.Line || row.Line == last.Line && row.Column > last.Column
			require.True(t, isAfter, "rows come in the order of the file")
			last = row.Position
			require.LessOrEqual(t, row.Line, lines)
			for _, field := range row.Fields {
				require.Positive(t, field.Column)
				require.LessOrEqual(t, field.Line, lines)
			}
		}
	})
}
