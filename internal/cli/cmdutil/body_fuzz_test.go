package cmdutil

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// inputPlace is the form of the error of a mistake in a file.
var inputPlace = regexp.MustCompile(`^standard input:(\d+):(\d+): .`)

// FuzzInput holds --input to a JSON body of the command's form, or to be refused at a place inside it.
func FuzzInput(f *testing.F) {
	for _, seed := range []string{
		"[]", "", "{\n\n \"amount\": \"1e3\"}", `{"amount":1.5}`, "{\n \"route\": \"a",
		`{"route":"a","route":"b"}`, "{}{}", `{"x":1}`, "{\"route\":\"\xff\"}",
		`{"destinationSavedContactId":"sct_1","route":"a:b->c:d","amount":"1.50"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		d := &Deps{Streams: &ui.Streams{In: bytes.NewReader(content)}}
		var body payments.NewAutoTransfer
		err := (&Input{path: "-"}).Read(t.Context(), d, &body)
		if err == nil {
			require.True(t, json.Valid(content), "%q", content)
			return
		}
		require.ErrorIs(t, err, ErrUsage)
		place := inputPlace.FindStringSubmatch(err.Error())
		require.NotNil(t, place, "%q", err.Error())
		line, _ := strconv.Atoi(place[1])
		column, _ := strconv.Atoi(place[2])
		lines := bytes.Split(content, []byte("\n"))
		require.Positive(t, line)
		require.LessOrEqual(t, line, len(lines))
		require.Positive(t, column)
		require.LessOrEqual(t, column, len(lines[line-1])+1)
	})
}
