// Command bench compares payctl with peers that are measured in the same run, and writes docs/PERFORMANCE.md. Only the
// ratios are comparable between machines, so no test asserts any of them. Run it with `make bench`.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	p, err := build(ctx)
	if err != nil {
		return err
	}
	defer p.remove()
	var rows []row
	for _, measure := range []func(context.Context, *programs) ([]row, error){
		measureStart, measureFirstResponse, measureThroughput, measureData, measureDatabase,
		measureNeighbours, measureHeldRequests,
		measureScale, measureWatch, measureView, measureBatch,
	} {
		more, err := measure(ctx, p)
		if err != nil {
			return err
		}
		rows = append(rows, more...)
	}
	text := page(rows, p.notes)
	if _, err := os.Stdout.WriteString(text); err != nil {
		return err
	}
	return os.WriteFile("docs/PERFORMANCE.md", []byte(text), 0o644)
}

// A row is one line of the page's table.
type row struct {
	what, this, peer string // peer is empty where payctl is compared with a fixed limit or with nothing
	ratio            float64
	limit            string // in words; empty where there is none
	holds            bool
}

// atMost is the row with the largest ratio that is acceptable.
func (r row) atMost(limit float64) row {
	r.limit, r.holds = fmt.Sprintf("at most %.3g", limit), r.ratio <= limit
	return r
}

// atLeast is the row with the smallest ratio that is acceptable.
func (r row) atLeast(limit float64) row {
	r.limit, r.holds = fmt.Sprintf("at least %.3g", limit), r.ratio >= limit
	return r
}

// durations compares two durations; less is better.
func durations(what string, this, peer time.Duration) row {
	return row{what: what, this: duration(this), peer: duration(peer), ratio: float64(this) / float64(peer)}
}

// rates compares two rates in events a second; more is better.
func rates(what string, this, peer float64) row {
	return row{what: what, this: fmt.Sprintf("%.0f/s", this), peer: fmt.Sprintf("%.0f/s", peer), ratio: this / peer}
}

// memory compares an amount of memory, in bytes, with a limit.
func memory(what string, bytes, limit int64) row {
	const mebibyte = 1 << 20
	r := row{what: what, this: fmt.Sprintf("%d MiB", bytes/mebibyte)}
	if limit > 0 {
		r.limit, r.holds = fmt.Sprintf("under %d MiB", limit/mebibyte), bytes < limit
	}
	return r
}

func duration(d time.Duration) string {
	if d < time.Millisecond/10 {
		return fmt.Sprintf("%.1f µs", float64(d)/1e3)
	}
	return fmt.Sprintf("%.2f ms", float64(d)/1e6)
}

// alternate measures a and b in turn, so that both meet the same machine, and returns their medians.
func alternate(rounds int, a, b func() (time.Duration, error)) (medianA, medianB time.Duration, err error) {
	var times [2][]time.Duration
	for range rounds {
		for i, measure := range []func() (time.Duration, error){a, b} {
			took, err := measure()
			if err != nil {
				return 0, 0, err
			}
			times[i] = append(times[i], took)
		}
	}
	return median(times[0]), median(times[1]), nil
}

// median returns the value in the middle, or zero where there is none.
func median[T interface{ ~int64 | ~float64 }](values []T) T {
	if len(values) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(values))[len(values)/2]
}

const howToRead = `Read the ratios, payctl / peer. Both sides of a row are measured in one run, in turn, and each figure is a median.

- **Start** is a whole process, from exec to exit. **First response** ends when the first request has been answered.
- **Loads** come over loopback from the same machine; each connection sends one request at a time. The beginning does
  not count: a load runs long enough before it is measured that as many transfers settle as are created. Settling is
  part of the figures: each transfer changes its state three times, each change appends an event, and all are kept.
- **The bare peer** is a net/http handler that decodes the same request and encodes the same response with encoding/json.
  It stores nothing, checks nothing and authenticates no client.
- The load generator shares the processors with the server, which draws the ratios of rates toward 1. **Processor time a
  request** is the server's alone.
- **A world of 1,000,000 transfers** is measured inside the service, without connections.

`

// page renders docs/PERFORMANCE.md.
func page(rows []row, notes []string) string {
	var b strings.Builder
	b.WriteString("<!-- Written by make bench. Do not edit. -->\n# Performance\n\n")
	fmt.Fprintf(&b, "Measured on %s with %s on %d cores (%s/%s) by `make bench`, which also writes this page.\n\n",
		time.Now().UTC().Format(time.DateOnly), runtime.Version(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	b.WriteString(howToRead)
	b.WriteString("| what / peer | payctl | peer | ratio | limit | holds |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, r := range rows {
		holds, ratio := "", ""
		if r.limit != "" {
			holds = map[bool]string{true: "yes", false: "no"}[r.holds]
		}
		if r.peer != "" {
			ratio = fmt.Sprintf("%.2g", r.ratio)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", r.what, r.this, r.peer, ratio, r.limit, holds)
	}
	for _, note := range notes {
		fmt.Fprintf(&b, "\n%s\n", note)
	}
	return b.String()
}
