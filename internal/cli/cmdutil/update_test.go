package cmdutil

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

// updated is a service with one contact, which records what it is asked.
type updated struct {
	payments.Service
	contact payments.SavedContact
	etag    string
	stale   bool
	sent    []payments.MergePatch
	keys    []payments.Idempotency
}

// runUpdate runs an update of the contact with flags.
func (s *updated) run(t *testing.T, args ...string) (out, notes string, err error) {
	t.Helper()
	var u Update
	var stdout, stderr bytes.Buffer
	file, err := settings.Load(t.TempDir(), nil)
	require.NoError(t, err)
	resolved, err := file.Resolve(settings.Flags{settings.KeyOutput: "table"}, func(string) string { return "" })
	require.NoError(t, err)
	d := &Deps{
		Streams: &ui.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr}, Now: time.Now, Options: &Options{},
		Settings: func() (settings.Settings, error) { return resolved, nil },
		Payments: func() (payments.Service, error) { return s, nil },
	}
	cmd := &cobra.Command{SilenceErrors: true, SilenceUsage: true, RunE: func(*cobra.Command, []string) error {
		return RunUpdate(t.Context(), d, &u, Updatable[payments.SavedContact]{
			What: "contact", ID: "sct_1", Show: "payctl contacts get sct_1",
			Read: func(payments.Service) (payments.ReadResult[payments.SavedContact], error) {
				return payments.ReadResult[payments.SavedContact]{Value: s.contact, ETag: s.etag}, nil
			},
			Write: s.write, Mask: func(c payments.SavedContact) payments.SavedContact { return c },
		})
	}}
	u.Flag(cmd, "label", "label", "")
	u.ClearableFlag(cmd, "external-id", "externalId", "")
	u.AddTo(cmd)
	cmd.SetArgs(args)
	err = cmd.ExecuteContext(context.Background())
	return stdout.String(), stderr.String(), err
}

func (s *updated) write(
	_ payments.Service, patch payments.MergePatch, key payments.Idempotency,
) (result payments.WriteResult[payments.SavedContact], err error) {
	s.sent, s.keys = append(s.sent, patch), append(s.keys, key)
	if s.stale {
		return result, payments.NewProblem(payments.KindPreconditionFailed, "It has changed.")
	}
	result.Value = s.contact
	if label, ok := patch["label"].(string); ok {
		result.Value.Label = label
	}
	return result, nil
}

func newUpdated() *updated {
	return &updated{etag: `"7"`, contact: payments.SavedContact{
		ID: "sct_1", Label: "Ada", ExternalID: "x-1", Metadata: payments.Metadata{"team": "ops", "note": "a"},
	}}
}

func TestUpdateBuildsAMergePatch(t *testing.T) {
	t.Parallel()
	input := filepath.Join(t.TempDir(), "patch.json")
	require.NoError(t, os.WriteFile(input, []byte(`{"label":"old","externalId":null,"metadata":{"team":null,"kept":"y"}}`), 0o600))
	for line, expected := range map[string]payments.MergePatch{
		"--label Bea":                          {"label": "Bea"},
		"--clear external-id":                  {"externalId": nil},
		"--clear externalId":                   {"externalId": nil},
		"--clear metadata":                     {"metadata": nil},
		"--clear metadata,metadata.a":          {"metadata": nil},
		"--metadata team=dev --label B":        {"label": "B", "metadata": map[string]any{"team": "dev"}},
		"--clear metadata.note,external-id":    {"externalId": nil, "metadata": map[string]any{"note": nil}},
		"--clear metadata.a --metadata b=c":    {"metadata": map[string]any{"a": nil, "b": "c"}},
		"--input " + input + " --label B":      {"label": "B", "externalId": nil, "metadata": map[string]any{"team": nil, "kept": "y"}},
		"--input " + input + " --metadata a=b": {"label": "old", "externalId": nil, "metadata": map[string]any{"team": nil, "kept": "y", "a": "b"}},
	} {
		s := newUpdated()
		_, _, err := s.run(t, append(strings.Fields(line), "--idempotency-key", "k")...)
		require.NoError(t, err, line)
		require.Equal(t, []payments.MergePatch{expected}, s.sent, line)
		require.Equal(t, `"7"`, s.keys[0].Precondition.Match, line)
		require.Equal(t, "k", s.keys[0].Key)
	}
}

func TestUpdateRefusesBeforeAnythingIsSent(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	for line, words := range map[string]string{
		"":                                    "nothing to change",
		"--input " + file("empty", `{}`):      "nothing to change",
		"--input " + file("null", `null`):     "nothing to change",
		"--input " + file("list", `[1]`):      "an array is not allowed here",
		"--input " + file("broken", `{"a":`):  "broken:1:",
		"--clear label":                       "label is required",
		"--clear iban":                        "Its values are external-id, metadata and metadata.KEY",
		"--clear metadata.":                   "does not take",
		"--external-id x --clear external-id": "given a value and cleared",
		"--metadata a=b --clear metadata.a":   "given a value and cleared",
		"--metadata a=b --clear metadata":     "given a value and cleared",
		"--metadata a=b --input " + file("no-metadata", `{"metadata":null}`): "the input removes it",
	} {
		s := newUpdated()
		_, _, err := s.run(t, strings.Fields(line)...)
		require.ErrorIs(t, err, ErrUsage, line)
		require.ErrorContains(t, err, words, line)
		require.Empty(t, s.sent, line)
	}
}

// An update never overwrites what it has not seen, and says what to do where that is not possible.
func TestUpdateNeedsTheStateThatItRead(t *testing.T) {
	t.Parallel()
	s := newUpdated()
	out, _, err := s.run(t, "--label", "Bea")
	require.NoError(t, err)
	require.Equal(t, "MEMBER\tBEFORE\tAFTER\nlabel\tAda\tBea\n", out)
	require.NotEmpty(t, s.keys[0].Key, "an update is never sent without a key")

	_, notes, err := s.run(t, "--label", "Ada", "--external-id", "x-1", "--metadata", "team=ops", "--clear", "metadata.gone")
	require.NoError(t, err)
	require.Contains(t, notes, "Nothing to change: the contact sct_1 is like this already.")
	require.Len(t, s.sent, 1, "nothing more was sent")

	s.stale = true
	_, _, err = s.run(t, "--label", "Bea")
	require.True(t, payments.IsKind(err, payments.KindPreconditionFailed))
	var explained *Error
	require.ErrorAs(t, err, &explained)
	require.Contains(t, explained.Next[0], "payctl contacts get sct_1")
	require.Equal(t, "run the same line again, if the change is still right", explained.Next[1])
	_, _, err = s.run(t, "--label", "Bea", "--if-match", "6")
	require.ErrorAs(t, err, &explained)
	require.Contains(t, explained.Next[1], "without --if-match")
	require.Equal(t, `"6"`, s.keys[len(s.keys)-1].Precondition.Match, "a shell takes the quotation marks")

	s.stale = false
	for given, sent := range map[string]string{"*": "*", `"6"`: `"6"`, `"6", "7"`: `"6", "7"`} {
		_, _, err = s.run(t, "--label", "Bea", "--if-match", given)
		require.NoError(t, err)
		require.Equal(t, sent, s.keys[len(s.keys)-1].Precondition.Match)
	}
	for _, useless := range []string{"", `W/"7"`} { // with which If-Match cannot hold
		s.etag = useless
		_, notes, err = s.run(t, "--label", "Bea")
		require.NoError(t, err)
		require.Empty(t, s.keys[len(s.keys)-1].Precondition.Match)
		require.Contains(t, notes, "no entity tag")
	}
}
