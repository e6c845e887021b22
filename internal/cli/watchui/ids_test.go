package watchui

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/ui"
)

var members = []string{"accountId", "id"}

func parse(text string) ([]string, error) {
	d := &cmdutil.Deps{Streams: &ui.Streams{In: strings.NewReader(text)}}
	return readIDs(context.Background(), d, "-", members)
}

func TestFilesOfIdentifiers(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"lines":             "acc_1\nacc_2\n",
		"Windows lines":     "\ufeffacc_1\r\n\r\n  acc_2  ",
		"NDJSON":            `{"id":"acc_1","x":[1]}` + "\n\n" + `{"accountId":"acc_2","id":"other"}`,
		"CSV":               "name,ACCOUNTID\n\"Ada, \"\"the\"\"\nfirst\",acc_1\nEve,acc_2\n",
		"CSV of one column": "id\nacc_1\nacc_2\n",
		"a table":           "ID\tNAME\nacc_1\tAda the first\nacc_2\tEve\n",
		"comments":          "# of today\nacc_1\n  # and\nacc_2 \n#",
		"JSON texts":        "\"acc_1\"\n \"acc\\u005f2\"\n",
		"JSON array":        "\ufeff\n# all\n [\n {\"id\": \"acc_1\",\n\"x\": {}},\"acc_2\"\n]\n\n",
		"CSV, two columns":  "id,accountId\nx,acc_1\ny,acc_2",
	} {
		ids, err := parse(text)
		require.NoError(t, err, name)
		require.Equal(t, []string{"acc_1", "acc_2"}, ids, name)
	}
	for text, problem := range map[string]string{
		"acc_1\n  acc 2\n":               ":2:3: the identifier has spaces or invisible characters",
		"acc_1\nacc_\x1b2\n":             ":2:1: the identifier has spaces or invisible characters",
		"acc_1\nacc_\u034f2\n":           ":2:1: the identifier has spaces or invisible characters",
		"acc_1\nacc_\xff2\n":             ":2:5: the text is not UTF-8; save it as",
		"{\"id\":\"a\" oops}\n":          ":1:11: ",
		"\"acc_1":                        ":1:7: unexpected EOF",
		"[\"acc_1\",\"a b\"]":            ":1:10: the identifier has spaces or invisible characters",
		"[{\"id\":\"acc_1\"},{}]":        ":1:17: there is no accountId or id",
		"[{\"id\":\"acc_1\"},\n{\"id\":": ":2:7: unexpected EOF",
		"[\"acc_1\"] acc_2":              ":1:11: ",
		"[\"acc_1\" oops]":               ":1:10: ",
		"{\"name\":\"Ada\"}":             ":1:1: there is no accountId or id",
		"{\"id\":7}":                     ":1:2: the identifier is not a text of 1 to 256 bytes",
		"{\"id\":\"\"}":                  ":1:2: the identifier is not a text of 1 to 256 bytes",
		"name,id\nAda,acc_1\nEve\n":      ":3:1: the row has 1 columns, the header has 2",
		"name,id\nAda,\n":                ":2:5: the identifier is not a text of 1 to 256 bytes",
		"name,id\nAda,a\"b\n":            ":2:6: ",
		strings.Repeat("x", 300):         "not a text of 1 to 256 bytes",
		"":                               "the file is empty",
		"id,n\na,\"x\ny":                 ":2:1: extraneous or missing \" in quoted-field",
		"id\n" + strings.Repeat("a\n", 3) + "\u202eacc_1": ":5:1: the identifier has spaces or invisible characters",
	} {
		_, err := parse(text)
		require.ErrorIs(t, err, cmdutil.ErrUsage, "%.40q", text)
		require.ErrorContains(t, err, problem, "%.40q", text)
	}
}

func FuzzIDs(f *testing.F) {
	for _, seed := range []string{
		"\u034f", "\xef\xbb\xbfid\n\xff", "acc_1\r\nacc_2\r\n", "name,id\n\"A\nda\",acc_1\nEve,acc_2",
		"acc_1\n acc_2\r\n", "{\"accountId\":\"acc_1\"}\n{\"id\":7}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ids, err := parse(text)
		if err != nil {
			require.ErrorIs(t, err, cmdutil.ErrUsage)
			require.True(t, strings.HasPrefix(err.Error(), "standard input"), "%v", err)
			return
		}
		for _, id := range ids {
			require.NotEmpty(t, id)
			require.LessOrEqual(t, len(id), longestID)
			require.Equal(t, id, ui.Sanitize(id))
			require.NotContains(t, id, " ")
		}
	})
}
