package rows

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var testMembers = Members{
	Required: []string{"reference"}, Names: []string{"reference", "contact", "route", "amount"}, Prefix: "metadata.",
	Aliases: map[string]string{"ref": "reference"},
}

// mapped reads a file through a mapping. It returns each error, then each row, as a line, and the unused columns.
func mapped(t *testing.T, content string, columns, constants []string) (all, unused []string) {
	t.Helper()
	m, err := NewMapping(testMembers, columns, constants)
	require.NoError(t, err)
	file, err := Parse(strings.NewReader(content), m, 10)
	if err != nil {
		return []string{err.Error()}, nil
	}
	for _, wrong := range file.Errors {
		all = append(all, wrong.Error())
	}
	for _, row := range file.Rows {
		var text []string
		for _, f := range row.Fields {
			text = append(text, fmt.Sprintf("%v %s=%s", f.Position, f.Name, f.Text))
		}
		all = append(all, strings.Join(text, " "))
	}
	return all, file.Unused
}

func TestMappings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, content      string
		columns, constants []string
		rows, unused       []string
	}{
		{name: "columns have other names, and others are left out", content: "Invoice,Supplier,Total,Colour\ni,s,5,red\n",
			columns: []string{"reference=Invoice,contact=Supplier", "amount=Total"},
			rows:    []string{"2:1 reference=i 2:3 contact=s 2:5 amount=5"}, unused: []string{"Colour"}},
		{name: "a column is used twice, and another keeps its name", content: "invoice;amount\n\"i;1\";5\n;\n",
			columns: []string{"reference=invoice", "metadata.invoice=invoice"},
			rows:    []string{"2:1 reference=i;1 2:1 metadata.invoice=i;1 2:7 amount=5"}},
		{name: "a column whose member comes from another one is left out", content: "reference\tinvoice\nr\ti\n",
			columns: []string{"reference=invoice"}, rows: []string{"2:3 reference=i"}, unused: []string{"reference"}},
		{name: "a column of a member that is used for another one too", content: "reference\ni\n", columns: []string{"contact=reference"},
			rows: []string{"2:1 contact=i 2:1 reference=i"}},
		{name: "a name that means a member too", content: "REFERENCE,Total\ni,5\n", columns: []string{"AMOUNT=Total"},
			rows: []string{"2:1 reference=i 2:3 amount=5"}},
		{name: "the object of further names", content: `{"total":"5","metadata":{"a":"b"}}`, columns: []string{"amount=total"},
			rows: []string{`1:2 amount=5 1:26 metadata.a=b`}},
		{name: "a name has a comma", content: "reference,\"Amount, EUR\"\nr,5\n", columns: []string{"amount=Amount, EUR"},
			rows: []string{"2:1 reference=r 2:3 amount=5"}},
		{name: "constants", content: "reference,route\nr,\n", constants: []string{"route=a->b", "amount="},
			rows: []string{"2:1 reference=r --set route=a->b route=a->b --set amount= amount="}},
		{name: "constants and values", content: "reference,route\nr,x\ns,\n", constants: []string{"route=a"},
			rows: []string{"2:3: route has a value here, and --set gives it another", "3:1 reference=s --set route=a route=a"}},
		{name: "with constants alone, unknown columns are errors", content: "reference,colour\nr,red\n", constants: []string{"route=a"},
			rows: []string{"1:11: unknown column \"colour\"; the columns are reference, contact, route, amount, metadata.NAME. " +
				"--map MEMBER=COLUMN takes one of these from a column with another name, and ignores the columns that are not needed"}},
		{name: "columns at the end that a spreadsheet adds", content: "\"SEP=,\"\nreference,amount,,\nr,5,,\ns,6,,x\n",
			rows: []string{"4:6: the column of this cell has no name", "3:1 reference=r 3:3 amount=5"}},
		{name: "several constants", content: "reference\nr\n", constants: []string{"route=a,contact=b,c", "amount=1,metadata.x=y"},
			rows: []string{
				"2:1 reference=r --set route=a,contact=b,c route=a,contact=b,c --set amount=1 amount=1 --set metadata.x=y metadata.x=y",
			}},
		{name: "an empty constant allows empty cells", content: "reference,Debit\nr,5\ns,\n", columns: []string{"amount=Debit"},
			constants: []string{"amount="}, rows: []string{"2:1 reference=r 2:3 amount=5", "3:1 reference=s 3:3 amount="}},
		{name: "a required column is missing", content: "amount\n5\n", rows: []string{"1:1: missing columns: reference; --map reference=COLUMN " +
			"takes one from another column, and --set MEMBER=VALUE gives all rows one value"}},
		{name: "NDJSON", content: "{\"invoice\":\"i\",\"amount\":5,\"x\":1}\n{\"amount\":6}\n", columns: []string{"reference=invoice"},
			constants: []string{"metadata.team=blue, red"},
			rows: []string{"2:1: the row has no column \"invoice\", which --map names for reference",
				"1:2 reference=i 1:16 amount=5 --set metadata.team=blue, red metadata.team=blue, red"}, unused: []string{"x"}},

		// A possible misspelling is an error: a payment without an amount takes whatever arrives.
		{name: "a misspelt --map", content: "Invoice,b\ni,5\n", columns: []string{"reference=invoce"},
			rows: []string{"1:1: the file has no column \"invoce\", which --map names for reference"}},
		{name: "a column that appears twice", content: "invoice,b,invoice\ni,5,j\n", columns: []string{"reference=invoice"},
			rows: []string{"1:11: \"invoice\" appears twice"}},
		{name: "a column that is not used appears twice", content: "invoice,b,b\ni,5,j\n", columns: []string{"reference=invoice"},
			rows: []string{"2:1 reference=i"}, unused: []string{"b"}},
	} {
		all, unused := mapped(t, c.content, c.columns, c.constants)
		require.Equal(t, c.rows, all, c.name)
		require.Equal(t, c.unused, unused, c.name)
	}
}

func TestWrongMappings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		columns, constants []string
		wrong              string
	}{
		{
			columns: []string{"refrence=invoice"},
			wrong:   "--map refrence=invoice: unknown member \"refrence\"; the members are reference, contact, route, amount, metadata.NAME",
		},
		{columns: []string{"invoice"}, wrong: "--map \"invoice\" must look like MEMBER=COLUMN; the members are"},
		{columns: []string{"reference="}, wrong: "--map reference= names no column"},
		{columns: []string{"metadata.=x"}, wrong: "unknown member \"metadata.\""},
		{columns: []string{"reference=a", "reference=b"}, wrong: "--map reference=b: reference is given twice"},
		{columns: []string{"route=a"}, constants: []string{"route=b"}, wrong: "--set route=b: route is given twice"},
		{constants: []string{"rute=b"}, wrong: "unknown member"},
		{constants: []string{"route"}, wrong: "--set \"route\" must look like MEMBER=VALUE"},
	} {
		_, err := NewMapping(testMembers, c.columns, c.constants)
		require.ErrorContains(t, err, c.wrong)
	}
}

// A file is read with the separator that its rows show.
func TestSeparators(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]rune{
		"a,b": ',', "a;b": ';', "a\tb": '\t', "a": ',', `"a;b;c",d`: ',', "a, b;c;d": ';', "a;b,c": ',',
		"Ref;Name, Vorname, Titel;Betrag\nr-1;Ada;1,5": ';', "a,b;c\n1,2\n": ',', "a;b\n1,2;3\n1;2,3": ';',
		"a,b,c\n1;2,3\n1,2,3": ',', "a;b;c\n\"x\ny\";2;3,5": ';', "a\tb\n1\t2\n": '\t',
	} {
		require.Equal(t, string(want), string(separator([]byte(content))), content)
	}
}
