package ui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

func printed(t require.TestingT, f Format, jq string, tty bool, value any, view func() Details) string {
	var out bytes.Buffer
	p, err := NewPrinter(&Streams{Out: &out, Err: io.Discard, OutTTY: tty}, f, jq)
	require.NoError(t, err)
	require.NoError(t, p.Print(value, view))
	return out.String()
}

type page struct {
	Data       []person `json:"data"`
	NextCursor *string  `json:"nextCursor"`
}

type person struct {
	Zeta  string          `json:"zeta"`
	Alpha json.RawMessage `json:"alpha"`
}

func samplePage() page {
	return page{Data: []person{
		{"<a&b>", json.RawMessage(`123456789012345678901234567890.10`)},
		{"x\x1b\u009b\u202e\u2028\x7f\U000e0041", json.RawMessage(`null`)},
	}}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	require.Equal(t, `{
  "data": [
    {
      "zeta": "<a&b>",
      "alpha": 123456789012345678901234567890.10
    },
    {
      "zeta": "x\u001b\u009b\u202e\u2028\u007f\udb40\udc41",
      "alpha": null
    }
  ],
  "nextCursor": null
}
`, printed(t, FormatJSON, "", false, samplePage(), nil))
	require.Equal(t, `{"zeta":"<a&b>","alpha":123456789012345678901234567890.10}
{"zeta":"x\u001b\u009b\u202e\u2028\u007f\udb40\udc41","alpha":null}
`, printed(t, FormatNDJSON, "", false, samplePage().Data, nil))
	require.Equal(t, `data:
  - zeta: <a&b>
    alpha: 123456789012345678901234567890.10
  - zeta: "x\e\x9B\u202e\L\x7F\U000E0041"
    alpha: null
nextCursor: null
`, printed(t, FormatYAML, "", false, samplePage(), nil))

	require.Equal(t, "[]\n", printed(t, FormatJSON, "", false, []person{}, nil))
	require.Equal(t, "", printed(t, FormatNDJSON, "", false, []person{}, nil))
	require.Equal(t, "[]\n", printed(t, FormatYAML, "", false, []person{}, nil))
	require.Equal(t, "1\n\"a\"\n", printed(t, FormatNDJSON, "", false, json.RawMessage(" [1,\"a\"]"), nil))
	require.Equal(t, "{\"a\":[1]}\n", printed(t, FormatNDJSON, "", false, json.RawMessage(`{"a": [1]}`), nil))
	require.Equal(t, "null\n", printed(t, FormatNDJSON, "", false, nil, nil))
	require.Equal(t, "\"\\ufffd[\"\n", printed(t, FormatJSON, "", false, json.RawMessage("\"\x9b[\""), nil), "raw C1 byte")
	require.Equal(t, "{\n  \"a\": 1\n}\n", printed(t, FormatTable, "", false, map[string]int{"a": 1}, nil), "no view")
}

func TestCSV(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p, err := NewPrinter(&Streams{Out: &out, Err: io.Discard}, FormatCSV, "")
	require.NoError(t, err)
	table{sampleTable().columns, [][]Cell{
		{Text("a"), Text(`=1+1, "x"`), Text("-12.50"), Toned(Bad, "@s"), Text("\r\n"), Text("beyond")},
		{Text("b"), Text("山田")},
	}}.print(t, p)
	require.Equal(t, `id,holderName,amount,state,detail
a,"'=1+1, ""x""",-12.50,'@s,\r\n
b,山田,,,
`, out.String())
	value := json.RawMessage(`{"id": "acc_1", "kycStatus": "=1", "reasons": ["a", "b"], "level": null,
		"attempt": 12345678901234567890}`)
	require.Equal(t, "id,kycStatus,reasons,level,attempt\nacc_1,'=1,\"[\"\"a\"\",\"\"b\"\"]\",,12345678901234567890\n",
		printed(t, FormatCSV, "", true, value, sampleDetails))
	require.ErrorIs(t, p.Print(1, nil), ErrNoTable)
}

func TestForcedColorOffTerminal(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p, err := NewPrinter(&Streams{Out: &out, Err: io.Discard, ColorOut: true}, FormatTable, "")
	require.NoError(t, err)
	require.NoError(t, p.Print(nil, func() Details { return Details{{"a", []Cell{Toned(Bad, "b")}}} }))
	require.Equal(t, "a\t\x1b[1;97;41mb\x1b[0m\n", out.String())
	require.Equal(t, "\x1b[7mstaff\x1b[0m", (&Streams{}).PaintSelected(Reviewer, "staff"), "reverse video is no colour")
}

func TestJQ(t *testing.T) {
	t.Parallel()
	require.Equal(t, "123456789012345678901234567890.10\nnull\n",
		printed(t, FormatTable, ".data[].alpha", false, samplePage(), nil))
	require.Equal(t, "<a&b>\n", printed(t, FormatJSON, ".data[0].zeta", false, samplePage(), nil))
	require.Equal(t, "x\x1b\n", printed(t, FormatJSON, ".", false, "x\x1b", nil), "exact off a terminal")
	require.Equal(t, "x\\x1b\ta\nb\n", printed(t, FormatJSON, ".", true, "x\x1b\ta\nb", nil), "harmless on one")
	require.Equal(t, "{\"a\":\"\\u202e<\"}\n", printed(t, FormatJSON, ".", false, map[string]string{"a": "\u202e<"}, nil))
	require.Equal(t, "2\n", printed(t, FormatCSV, ".data|length", false, samplePage(), nil))
	require.Equal(t, "[\"<a&b>\"]\n[\"x\\u001b\\u009b\\u202e\\u2028\\u007f\\udb40\\udc41\"]\n",
		printed(t, FormatNDJSON, "[.zeta]", false, samplePage().Data, nil))
	require.Equal(t, "1\n", printed(t, FormatJSON, "1, halt, 2", false, nil, nil))
	require.Equal(t, "{}\n", printed(t, FormatJSON, "$ENV", false, nil, nil), "the environment stays hidden")
}

func TestJQErrors(t *testing.T) {
	t.Parallel()
	s := &Streams{Out: io.Discard, Err: io.Discard}
	var bad *JQError
	_, err := NewPrinter(s, FormatJSON, ".a | }")
	require.ErrorAs(t, err, &bad)
	require.EqualError(t, err, `--jq expression ".a | }": unexpected token "}"`)
	_, err = NewPrinter(s, FormatJSON, "nosuch(1)")
	require.ErrorAs(t, err, &bad)

	var out bytes.Buffer
	p, err := NewPrinter(&Streams{Out: &out, Err: io.Discard}, FormatJSON, `1, error("x\u001b")`)
	require.NoError(t, err)
	err = p.Print(nil, nil)
	require.ErrorAs(t, err, &bad)
	require.NotContains(t, err.Error(), "\x1b")
	require.Equal(t, "1\n", out.String(), "results before the failure are not lost")

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p, err = NewPrinter(s, FormatJSON, "last(repeat(1))")
	require.NoError(t, err)
	require.ErrorIs(t, p.With(ctx).Print(nil, nil), context.Canceled)
}

// streamed writes one page per slice.
func streamed(t require.TestingT, f Format, jq string, pages ...[]any) string {
	var out bytes.Buffer
	p, err := NewPrinter(&Streams{Out: &out, Err: io.Discard}, f, jq)
	require.NoError(t, err)
	st := p.Stream([]Column{{Header: "ID"}})
	for _, values := range pages {
		rows := make([][]Cell, len(values))
		for i, v := range values {
			doc, err := compactJSON(v)
			require.NoError(t, err)
			rows[i] = []Cell{Text(string(doc))}
		}
		require.NoError(t, st.WritePage(values, rows))
	}
	require.NoError(t, st.Close())
	require.NoError(t, st.Close(), "twice")
	return out.String()
}

func TestStreamsEndAsWholeDocuments(t *testing.T) {
	t.Parallel()
	require.Equal(t, "[]\n", streamed(t, FormatJSON, ""))
	require.Equal(t, "[]\n", streamed(t, FormatJSON, "", nil))
	require.Equal(t, "[]\n", streamed(t, FormatYAML, ""))
	require.Equal(t, "", streamed(t, FormatNDJSON, ""))
	require.Equal(t, "id\n", streamed(t, FormatCSV, ""))
	require.Equal(t, "ID\n", streamed(t, FormatTable, ""))
	require.Equal(t, "id\n1\n2\n", streamed(t, FormatCSV, "", []any{1}, []any{2}))
	require.Equal(t, "ID\n1\n2\n", streamed(t, FormatTable, "", []any{1}, []any{2}))
	require.Equal(t, "3\n", streamed(t, FormatJSON, "length", []any{1}, []any{2, 3}))
	require.Equal(t, "2\n3\n", streamed(t, FormatNDJSON, ".+1", []any{1}, []any{2}))
}

// A jq expression over the whole of an endless list fails: it must not take a part for the whole.
func TestStreamHoldsNoEndlessList(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p, err := NewPrinter(&Streams{Out: &out, Err: io.Discard}, FormatJSON, "length")
	require.NoError(t, err)
	st := p.Stream(nil)
	row := strings.Repeat("x", 8<<20)
	rows := 0
	for ; err == nil && rows < 20; rows++ {
		err = st.Write(row, nil)
	}
	require.ErrorIs(t, err, ErrTooLongForJQ)
	require.Equal(t, 8, rows, "64 MiB hold seven of 8 MiB and their quotes")
	require.ErrorIs(t, st.Close(), ErrTooLongForJQ)
	require.Empty(t, out.String())
}

func TestStreamOnTerminalAlignsPerPage(t *testing.T) {
	t.Parallel()
	var out, errOut bytes.Buffer
	p, err := NewPrinter(&Streams{Out: &out, Err: &errOut, OutTTY: true}, FormatTable, "")
	require.NoError(t, err)
	st := p.Stream([]Column{{Header: "id"}, {Header: "s"}})
	require.NoError(t, st.WritePage([]any{1, 2}, [][]Cell{{Text("a"), Text("x")}, {Text("abcd"), Text("y")}}))
	require.NoError(t, st.Write(3, []Cell{Text("b"), Text("z")}))
	require.NoError(t, st.Close())
	require.Equal(t, "ID    S\na     x\nabcd  y\nb     z\n", out.String())

	st = p.Stream([]Column{{Header: "id"}, {Header: "s"}})
	st.Whole = true
	long := strings.Repeat("x", 2*defaultWidth)
	require.NoError(t, st.Write(1, []Cell{Text("a"), Text(long)}))
	require.Contains(t, out.String(), "a   "+long, "a list that is followed is not cut")

	st = p.Stream([]Column{{Header: "empty"}})
	st.Empty = "Nothing."
	require.NoError(t, st.Close())
	require.NotContains(t, out.String(), "EMPTY")
	require.Equal(t, "Nothing.\n", errOut.String())
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// A bad element leaves a complete document. Output that has failed once keeps failing.
func TestStreamsThatFail(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p, err := NewPrinter(&Streams{Out: &out, Err: io.Discard}, FormatJSON, "")
	require.NoError(t, err)
	st := p.Stream(nil)
	require.Error(t, st.WritePage([]any{1, func() {}, 2}, nil))
	require.NoError(t, st.Close())
	require.Equal(t, "[\n  1\n]\n", out.String())

	gone := errors.New("gone")
	p, err = NewPrinter(&Streams{Out: failing{gone}, Err: io.Discard}, FormatJSON, "")
	require.NoError(t, err)
	st = p.Stream(nil)
	require.ErrorIs(t, st.Write(1, nil), gone)
	require.ErrorIs(t, st.Write(1, nil), gone)
	require.ErrorIs(t, st.Close(), gone)
}

// anyJSON generates values as a decoder with UseNumber returns them, with hostile strings.
func anyJSON(depth int) *rapid.Generator[any] {
	hostile := []rune("\x00\x1b\x7f\u0085\u009b\u200b\u202e\u2028\ufeff\ufe0f❤\n\r\t\"\\<>&'#:- \U000e0041no")
	text := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom(hostile)))
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,40})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?`)
	leaf := rapid.OneOf(
		rapid.Map(text, func(s string) any { return s }),
		rapid.Map(number, func(s string) any { return json.Number(s) }),
		rapid.SampledFrom([]any{nil, true, false}),
	)
	if depth == 0 {
		return leaf
	}
	inner := anyJSON(depth - 1)
	return rapid.OneOf(leaf,
		rapid.Map(rapid.SliceOfN(inner, 0, 4), func(l []any) any { return l }),
		rapid.Map(rapid.MapOfN(text, inner, 0, 4), func(m map[string]any) any { return m }),
	)
}

func decodeJSON(t require.TestingT, doc string) any {
	dec := json.NewDecoder(strings.NewReader(doc))
	dec.UseNumber()
	var v any
	require.NoError(t, dec.Decode(&v), "%q", doc)
	require.False(t, dec.More())
	return v
}

func requireHarmless(t require.TestingT, doc string) {
	require.Equal(t, doc, sanitize(doc, "\n"))
}

func TestJSONKeepsEveryValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := anyJSON(3).Draw(t, "value")
		doc := printed(t, FormatJSON, "", false, value, nil)
		require.Equal(t, value, decodeJSON(t, doc))
		requireHarmless(t, doc)
		line := printed(t, FormatNDJSON, "", false, map[string]any{"v": value}, nil)
		require.Equal(t, map[string]any{"v": value}, decodeJSON(t, line))
		require.Equal(t, 1, strings.Count(line, "\n"))
		requireHarmless(t, line)
		require.Equal(t, []any{value}, decodeJSON(t, printed(t, FormatJSON, "[.]", false, value, nil)), "jq keeps digits")
	})
}

func TestYAMLKeepsEveryValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := []any{anyJSON(3).Draw(t, "value")}
		doc := printed(t, FormatYAML, "", false, value, nil)
		requireHarmless(t, doc)
		var node yaml.Node
		require.NoError(t, yaml.Unmarshal([]byte(doc), &node), "%q", doc)
		require.Equal(t, any(value), fromYAML(t, node.Content[0]), "%q", doc)
	})
}

// fromYAML returns the value of a node, with numbers by their digits.
func fromYAML(t require.TestingT, n *yaml.Node) any {
	switch n.Kind {
	case yaml.SequenceNode:
		list := []any{}
		for _, c := range n.Content {
			list = append(list, fromYAML(t, c))
		}
		return list
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i < len(n.Content); i += 2 {
			require.Equal(t, "!!str", n.Content[i].Tag)
			m[n.Content[i].Value] = fromYAML(t, n.Content[i+1])
		}
		return m
	}
	switch n.Tag {
	case "!!str":
		return n.Value
	case "!!null":
		return nil
	case "!!bool":
		return n.Value == "true"
	}
	require.Contains(t, []string{"!!int", "!!float"}, n.Tag)
	return json.Number(n.Value)
}

func TestStreamEqualsPrint(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pages := rapid.SliceOfN(rapid.SliceOfN(anyJSON(1), 0, 3), 0, 3).Draw(t, "pages")
		all := []any{}
		for _, values := range pages {
			all = append(all, values...)
		}
		for _, f := range []Format{FormatJSON, FormatNDJSON, FormatYAML} {
			require.Equal(t, printed(t, f, "", false, all, nil), streamed(t, f, "", pages...), f)
		}
	})
}
