package api

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
)

// pages asks for one page of a list after another and prints their rows as one list, each page as it arrives.
func pages(ctx context.Context, d *deps.Deps, out *output, call deps.Call) error {
	if out.include {
		return deps.Usage("--include shows one answer, and --paginate asks for many; leave one of them out")
	}
	stream := out.printer.Stream(nil)
	shown := 0
	var walk payments.Walk
	for {
		answer, err := d.Call(ctx, call)
		var page list
		if err == nil {
			page, err = readPage(answer)
		}
		if err != nil {
			if shown == 0 {
				return err
			}
			_ = stream.Close() // the error says more than a failure to end the output
			return &deps.Partial{Err: err}
		}
		rows := deps.Rows{}
		for _, row := range page.Data {
			rows.Add(row, nil)
		}
		if err := stream.WritePage(rows.Values, rows.Cells); err != nil {
			return err
		}
		shown += len(page.Data)
		if page.next == "" {
			return stream.Close()
		}
		if err := walk.Step(len(page.Data), page.next); err != nil {
			_ = stream.Close()
			return &deps.Partial{Err: err}
		}
		if call, err = withCursor(call, page.next); err != nil {
			return err
		}
	}
}

// A list is a page as lists of the API have it, but for the feed of events, which has no end.
type list struct {
	Data       []json.RawMessage `json:"data"`
	NextCursor json.RawMessage   `json:"nextCursor"`

	next string // empty: this is the last page
}

// readPage reads a page. One that does not say whether there is another is none:
// whoever asks for all rows must not take some for all.
func readPage(answer *deps.Answer) (list, error) {
	var page list
	if err := json.Unmarshal(answer.Body, &page); err != nil || page.Data == nil || page.NextCursor == nil {
		return page, notAPage()
	}
	if string(page.NextCursor) == "null" {
		return page, nil
	}
	if err := json.Unmarshal(page.NextCursor, &page.next); err != nil || page.next == "" {
		return page, notAPage()
	}
	return page, nil
}

func notAPage() error {
	return &deps.UsageError{
		Reason: "the answer is no page of a list, which is an object with data and nextCursor",
		Hint:   "leave out --paginate",
	}
}

// withCursor is the call for the page at a cursor, in place of the one that the call began at.
func withCursor(call deps.Call, cursor string) (deps.Call, error) {
	path, inline, _ := strings.Cut(call.Path, "?")
	query, err := url.ParseQuery(inline)
	if err != nil {
		return call, err
	}
	query.Set("cursor", cursor)
	call.Path = path + "?" + query.Encode()
	if call.Query["cursor"] != nil {
		kept := map[string][]string{}
		for name, values := range call.Query {
			if name != "cursor" {
				kept[name] = values
			}
		}
		call.Query = kept
	}
	return call, nil
}
