package paytest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
)

const eventStream = "text/event-stream"

// checkStream holds a stream of server-sent events to the contract's Event, as far as the stream was sent: each message
// has an id, and one with data is an event of that id and type.
func checkStream(body []byte) error {
	doc, err := document()
	if err != nil {
		return err
	}
	schema := doc.Components.Schemas["Event"].Value
	blocks := bytes.Split(body, []byte("\n\n"))
	for i, block := range blocks[:len(blocks)-1] { // what is not ended does not count
		fields := map[string]string{}
		for line := range strings.SplitSeq(string(block), "\n") {
			name, value, _ := strings.Cut(line, ":")
			fields[name] = strings.TrimPrefix(value, " ")
		}
		data, has := fields["data"]
		if fields["id"] == "" {
			return fmt.Errorf("message %d has no id: %q", i, block)
		}
		if !has {
			continue
		}
		var event map[string]any
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		if err := schema.VisitJSON(event); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		if event["id"] != fields["id"] || event["type"] != fields["event"] {
			return errors.New("a message whose id or event is not that of its data")
		}
	}
	return nil
}
