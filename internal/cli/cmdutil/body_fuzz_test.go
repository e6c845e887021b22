package cmdutil

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// inputPlace matches the position in an error about standard input.
var inputPlace = regexp.MustCompile(`^standard input:(\d+):(\d+): .`)

// FuzzInput checks that --input accepts only JSON, and refuses other text at a position inside it.
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

// FuzzMoment checks that durations lie in the past, and that a moment stays the same when it is written out.
func FuzzMoment(f *testing.F) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, seed := range []string{
		"24h", "2026-01-31", "36h", "2562047h47m16s", "2026-13-01", "100000d", "-24h",
		"2026-01-31T12:00:00.5+02:00", "2026-01-31T12:00:00Z",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var m Moment
		if m.Set(text) != nil {
			return
		}
		at := m.At(now)
		_, isTime := payments.ParseTime(text)
		_, isDate := time.Parse(time.DateOnly, text)
		require.True(t, isTime || isDate == nil || at.Before(now), "%q is in the future", text)
		var again Moment
		require.NoError(t, again.Set(at.Format(time.RFC3339Nano)), "%q", text)
		require.True(t, at.Equal(again.At(now.AddDate(1, 0, 0))), "%q", text)
	})
}
