package sandbox

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/wait"
)

// betweenLooks is the time between two looks at the request log, which a person does not notice.
const betweenLooks = 200 * time.Millisecond

// follower prints the requests that come, oldest first.
type follower struct {
	deps    *cmdutil.Deps
	sandbox payments.Sandbox
	stream  *resource.Stream[payments.SandboxRequest] // nil: lines
	left    int                                       // how many more are printed; negative: all
}

// followRequests prints the requests that come from now on, until it is interrupted or has printed the most that there may
// be; zero: all.
func followRequests(ctx context.Context, d *cmdutil.Deps, most int) (err error) {
	printer, err := d.FeedPrinter(ctx)
	if err != nil {
		return err
	}
	f := follower{deps: d, left: most}
	if most == 0 {
		f.left = -1
	}
	if f.sandbox, err = d.Sandbox(); err != nil {
		return err
	}
	if printer.Format() != ui.FormatTable {
		f.stream = requestColumns.Stream(printer)
	}
	ctx, end := d.WhileRead(ctx)
	defer end()
	newest, err := f.sandbox.ListSandboxRequests(ctx, payments.PageQuery{Limit: 1})
	if err != nil {
		return err
	}
	last := 0
	if len(newest.Data) > 0 {
		last = newest.Data[0].Number
	}
	for err == nil && f.left != 0 {
		if last, err = f.look(ctx, last); err == nil && f.left != 0 {
			err = wait.Sleep(ctx, betweenLooks)
		}
	}
	if f.stream != nil {
		err = errors.Join(err, f.stream.Close())
	}
	return err
}

// look prints the requests behind the last one that it printed, and returns the number of the one that is the last now.
func (f *follower) look(ctx context.Context, last int) (int, error) {
	const page = 100 // as many as the service lists at a time
	query := payments.PageQuery{Limit: page}
	var found []payments.SandboxRequest
	for {
		listed, err := f.sandbox.ListSandboxRequests(ctx, query)
		if err != nil {
			return last, err
		}
		if len(found) == 0 && (len(listed.Data) == 0 || listed.Data[0].Number < last) {
			last = 0 // the log was emptied, or the world was reset
		}
		found = append(found, listed.Data...)
		if listed.NextCursor == nil || found[len(found)-1].Number <= last {
			break
		}
		query.Cursor = *listed.NextCursor
	}
	found = slices.DeleteFunc(found, func(r payments.SandboxRequest) bool { return r.Number <= last })
	slices.Reverse(found)
	if f.left > 0 {
		found = found[:min(len(found), f.left)]
		f.left -= len(found)
	}
	if len(found) == 0 {
		return last, nil
	}
	return found[len(found)-1].Number, f.print(found)
}

func (f *follower) print(found []payments.SandboxRequest) error {
	if f.stream != nil {
		return f.stream.WritePage(found, false)
	}
	for _, r := range found {
		if err := f.deps.Line(requestColumns[:len(requestColumns)-2].Cells(r)...); err != nil {
			return err
		}
	}
	return nil
}
