package api

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
)

// pages asks for one page of a list after another and prints their rows as one list, each page as it arrives.
func pages(ctx context.Context, d *cmdutil.Deps, out *output, call cmdutil.Call) (err error) {
	if out.include {
		return cmdutil.Usage("--include shows one answer, and --paginate asks for many; leave one of them out")
	}
	stream := out.printer.Stream(nil)
	shown := 0
	defer func() {
		if err != nil && shown > 0 {
			_ = stream.Close() // err says more than a failure to end the output
		}
	}()
	var guard payments.PageGuard
	for {
		answer, err := d.Call(ctx, call)
		if err != nil {
			return err
		}
		page, err := readPage(answer)
		if err != nil {
			return err
		}
		rows := make([]any, len(page.Data))
		for i, row := range page.Data {
			rows[i] = row
		}
		if err := stream.WritePage(rows, nil); err != nil {
			return err
		}
		shown += len(rows)
		if page.next == "" {
			return stream.Close()
		}
		if err := guard.Step(len(rows), page.next); err != nil {
			return err
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

// readPage reads a page of a list. A response without nextCursor is not a page: the command would print a part of the
// rows as if they were all.
func readPage(answer *cmdutil.Answer) (page list, err error) {
	err = json.Unmarshal(answer.Body, &page)
	if err == nil && page.NextCursor != nil {
		err = json.Unmarshal(page.NextCursor, &page.next)
	}
	isLast := string(page.NextCursor) == "null"
	if err != nil || page.Data == nil || page.next == "" && !isLast {
		return page, cmdutil.Usage("the answer is no page of a list, which is an object with data and nextCursor").
			WithHint("leave out --paginate")
	}
	return page, nil
}

// withCursor is the call for the page at a cursor, in place of the one that the call began at.
func withCursor(call cmdutil.Call, cursor string) (cmdutil.Call, error) {
	path, inline, _ := strings.Cut(call.Path, "?")
	query, err := url.ParseQuery(inline)
	if err != nil {
		return call, err
	}
	query.Set("cursor", cursor)
	call.Path = path + "?" + query.Encode()
	call.Query = maps.Clone(call.Query)
	delete(call.Query, "cursor")
	return call, nil
}
