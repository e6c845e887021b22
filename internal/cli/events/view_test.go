package events

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

func rowOf(e payments.Event) *live.Row {
	v := &view{counts: map[payments.EventType]int{}}
	r := v.take(e)
	return &r
}

// cellsOf are the texts of an event's columns, by their names.
func cellsOf(e payments.Event, at live.Moment) map[string]string {
	cells := map[string]string{}
	for _, c := range liveColumns() {
		cells[c.MachineName()] = c.Cell(rowOf(e), at).Text
	}
	return cells
}

var anEvent = payments.Event{
	ID: "evt_1", Type: payments.EventTypeTransferStateChanged, SubjectID: "trf_1", From: new("funds_received"), To: new("failed"),
	OccurredAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local),
	Data: payments.EventData{
		AccountID: "acc_1", Reference: "invoice-42\x1b[2J", BatchID: "bat_1", Route: "a->b", FailureReason: "provider_declined",
		Source: &payments.TransferSide{Currency: "USDC", Amount: new(payments.MustDecimal("1250.50"))},
	},
}

func TestColumnsOfAnEvent(t *testing.T) {
	t.Parallel()
	at := live.Moment{Now: anEvent.OccurredAt.Add(time.Hour), UTF8: true}
	cells := cellsOf(anEvent, at)
	for name, want := range map[string]string{
		"time": "03:04:05", "type": "transfer.stateChanged", "subject": "trf_1",
		"amount": "1250.50 USDC", "reason": "The provider declined the payment. (provider_declined)", "from": "funds_received",
		"to": "→ failed", "account": "acc_1", "batch": "bat_1", "route": "a->b", "age": "1h00m", "event": "evt_1",
	} {
		require.Equal(t, want, cells[name], name)
	}
	at = live.Moment{Now: anEvent.OccurredAt.Add(24 * time.Hour)}
	require.Equal(t, "01-02 03:04:05", cellsOf(anEvent, at)["time"])
	require.Equal(t, "-> failed", cellsOf(anEvent, at)["to"])
	created := payments.Event{Type: payments.EventTypeContactCreated, Data: payments.EventData{Label: "Ada"}}
	require.Equal(t, "created", cellsOf(created, at)["to"])
	require.Equal(t, "Ada", cellsOf(created, at)["label"])
	for _, c := range liveColumns() {
		switch c.MachineName() {
		case "amount":
			value, ok := c.Value(rowOf(anEvent), at.Now)
			require.Equal(t, 1250.5, value)
			require.True(t, ok)
			_, ok = c.Value(rowOf(created), at.Now)
			require.False(t, ok)
		case "age":
			value, _ := c.Value(rowOf(anEvent), at.Now)
			require.Equal(t, 86400.0, value)
		}
	}
}

func TestGroupsOfEvents(t *testing.T) {
	t.Parallel()
	for kind, want := range map[payments.EventType]string{
		payments.EventTypeAccountCreated: "accounts", payments.EventTypeKYCStatusChanged: "accounts",
		payments.EventTypeContactDeleted: "contacts", payments.EventTypeTransferCreated: "transfers", "card.created": "others",
	} {
		require.Equal(t, want, groups[groupOf(kind)].Name, kind)
	}
}

// The details have the event in full, and what is hidden in it cannot act on the terminal.
func TestDetailsOfAnEvent(t *testing.T) {
	t.Parallel()
	details, err := liveDetails(t.Context(), *rowOf(anEvent))
	require.NoError(t, err)
	var text strings.Builder
	for _, field := range details.Fields(false) {
		for _, cell := range field.Cells {
			text.WriteString(field.Label + ": " + cell.Text + "\n")
		}
	}
	require.Contains(t, text.String(), `JSON:     "reference": "invoice-42\u001b[2J",`)
	require.Contains(t, text.String(), `JSON:   "subjectId": "trf_1",`)
	require.NotContains(t, text.String(), "\x1b")
}

// What stays on the terminal: the last events if the feed has ended by itself and they are few, and how many there
// were.
func TestWhatAViewOfEventsLeaves(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		events int
		ended  bool
		lines  int
		note   string
	}{
		{0, true, 0, "0 events.\n"},
		{1, true, 1, "1 event: 1 transfer.stateChanged.\n"},
		{1, false, 0, "1 event: 1 transfer.stateChanged.\n"},
		{mostLeft, true, mostLeft, "20 events: 20 transfer.stateChanged.\n"},
		{mostLeft + 1, true, 0, "21 events: 21 transfer.stateChanged.\n"},
	} {
		v := &view{counts: map[payments.EventType]int{}, ended: c.ended}
		for range c.events {
			v.take(anEvent)
		}
		var out, notes bytes.Buffer
		d := &cmdutil.Deps{Streams: &ui.Streams{Out: &out, Err: &notes}, Options: &cmdutil.Options{}}
		require.NoError(t, v.leave(d))
		require.Equal(t, c.lines, strings.Count(out.String(), "\n"))
		require.Equal(t, c.note, notes.String())
	}
}

// A chooser answers a question and keeps what is copied.
type chooser struct {
	watchui.Dialog
	key     string
	options []live.Option
	copied  string
}

func (c *chooser) Choose(_ context.Context, options []live.Option, _ ...string) (int, error) {
	c.options = options
	i := slices.IndexFunc(options, func(o live.Option) bool { return o.Key == c.key })
	if i < 0 {
		return 0, live.ErrCancelled
	}
	return i, nil
}

func (c *chooser) Copy(text string) { c.copied = text }

func TestCopyPartOfAnEvent(t *testing.T) {
	t.Parallel()
	d := &cmdutil.Deps{Options: &cmdutil.Options{}}
	for key, want := range map[string]string{
		"s": "trf_1", "i": "evt_1", "c": "payctl events list --subject trf_1", "r": `'invoice-42'\\'x1b[2J'`, "other": "",
	} {
		c := &chooser{key: key}
		_, err := copyPart(t.Context(), d, c, *rowOf(anEvent))
		require.Equal(t, key == "other", errors.Is(err, live.ErrCancelled))
		require.Equal(t, want, c.copied, key)
	}
	c := &chooser{key: "j"}
	_, err := copyPart(t.Context(), d, c, *rowOf(anEvent))
	require.NoError(t, err)
	require.Contains(t, c.copied, `"subjectId": "trf_1"`)
	require.NotContains(t, c.copied, "\x1b")
	_, err = copyPart(t.Context(), d, c, *rowOf(payments.Event{ID: "evt_2"}))
	require.NoError(t, err)
	require.Len(t, c.options, 4, "there is no reference")
}
