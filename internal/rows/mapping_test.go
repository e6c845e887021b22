package rows_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/rows"
)

// TestMapping reads files with columns of other names, with constant members and with columns that are left out.
func TestMapping(t *testing.T) {
	t.Parallel()
	isKnown := func(name string) bool { return rows.Fold(name) == "email" }
	for _, test := range []struct {
		name, content        string
		from, set, ignored   []string
		columns, first, fail string
	}{
		{"nothing", "a,b\n1,2\n", nil, nil, nil, "a b", "a=1 b=2", ""},
		{"a column", "Invoice No,b\n1,2\n", []string{"reference=invoice_no"}, nil, nil, "reference b", "reference=1 b=2", ""},
		{"a column that counts by itself too", "E-mail\na@example.com\n", []string{"external_id=email"}, nil, nil,
			"external_id E-mail", "external_id=a@example.com E-mail=a@example.com", ""},
		{"one column for two members", "x\n1\n", []string{"a=x", "b=x"}, nil, nil, "a b", "a=1 b=1", ""},
		{"a column under its own name", "email\n1\n", []string{"email=email"}, nil, nil, "email", "email=1", ""},
		{"a value", "a\n1\n", nil, []string{"type=individual"}, nil, "a type", "a=1 type=individual", ""},
		{"a value with an equals sign", "a\n1\n", nil, []string{"b=x=y"}, nil, "a b", "a=1 b=x=y", ""},
		{"ignored", "a,Notes\n1,2\n", nil, nil, []string{"notes"}, "a", "a=1", ""},
		{"NDJSON", `{"x":"1","n":2,"notes":null}`, []string{"a=x"}, []string{"b=3"}, []string{"notes"}, "", "a=1 n=2 b=3", ""},
		{"NDJSON without the column", `{"n":2}`, []string{"a=x"}, nil, nil, "", "n=2", ""},
		{"no such column", "a\n1\n", []string{"b=x"}, nil, nil, "", "", `1:1: the file has no column "x"`},
		{"no such column to ignore", "a\n1\n", nil, nil, []string{"x"}, "", "", `1:1: the file has no column "x"`},
		{"a member with two columns", "a,x\n1,2\n", []string{"a=x"}, nil, nil, "", "", "1:1: a is in the file and is mapped or set too"},
		{"a member with a column and a value", "a\n1\n", nil, []string{"A=2"}, nil, "", "", "1:1: a is in the file"},
		{"a member with two values in NDJSON", `{"a":"1"}`, nil, []string{"a=2"}, nil, "", "", "1:2: a is in the file"},
		{"a member that is mapped twice", "a\n1\n", []string{"b=a", "B=a"}, nil, nil, "", "", "B is mapped or set twice"},
		{"a member that is mapped and set", "a\n1\n", []string{"b=a"}, []string{"b=1"}, nil, "", "", "b is mapped or set twice"},
		{"no equals sign", "a\n1\n", []string{"b"}, nil, nil, "", "", `"b" must look like MEMBER=COLUMN`},
		{"no value", "a\n1\n", nil, []string{"b="}, nil, "", "", `"b=" must look like`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			columns, first, err := readMapped(test.content, test.from, test.set, test.ignored, isKnown)
			if test.fail != "" {
				require.ErrorContains(t, err, test.fail)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.columns, columns)
			require.Equal(t, test.first, first)
		})
	}
}

func readMapped(content string, from, set, ignored []string, isKnown func(string) bool) (columns, first string, err error) {
	mapping, err := rows.NewMapping(from, set, ignored)
	if err != nil {
		return "", "", err
	}
	reader, err := rows.New(strings.NewReader(content), nil)
	if err == nil {
		err = reader.Use(mapping, isKnown)
	}
	if err != nil {
		return "", "", err
	}
	row, err := reader.Next()
	if err != nil {
		return "", "", err
	}
	var names, texts []string
	for _, column := range reader.Columns {
		names = append(names, column.Name)
	}
	for _, field := range row.Fields {
		texts = append(texts, field.Name+"="+field.Text)
	}
	if _, err := reader.Next(); !errors.Is(err, io.EOF) {
		return "", "", errors.New("there are more rows")
	}
	return strings.Join(names, " "), strings.Join(texts, " "), nil
}
