// Command bench compares payctl with peers that are measured in the same run, and writes docs/PERFORMANCE.md. Only the
// ratios are comparable between machines, so no test asserts any of them. Run it with `make bench`. With arguments, the
// names of parts, it measures only these and prints the page: `go run ./internal/test/bench growth batch`.
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
	if err := run(ctx, os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

// parts are what can be measured, in the order of the page.
var parts = []struct {
	name    string
	measure func(context.Context, *programs) ([]row, error)
}{
	{"start", measureStart},
	{"first-response", measureFirstResponse},
	{"throughput", measureThroughput},
	{"growth", measureGrowth},
	{"data", measureData},
	{"database", measureDatabase},
	{"neighbours", measureNeighbours},
	{"held-requests", measureHeldRequests},
	{"scale", measureScale},
	{"watch", measureWatch},
	{"view", measureView},
	{"batch", measureBatch},
}

// run measures the named parts, or all of them and writes the page.
func run(ctx context.Context, names []string) error {
	p, err := build(ctx)
	if err != nil {
		return err
	}
	defer p.remove()
	var rows []row
	for _, part := range parts {
		if len(names) > 0 && !slices.Contains(names, part.name) {
			continue
		}
		began := time.Now()
		more, err := part.measure(ctx, p)
		if err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		log.Printf("%s: measured in %s", part.name, time.Since(began).Round(time.Second))
		rows = append(rows, more...)
	}
	text := page(rows, p)
	if _, err := os.Stdout.WriteString(text); err != nil || len(names) > 0 {
		return err
	}
	return os.WriteFile("docs/PERFORMANCE.md", []byte(text), 0o644)
}

// A row is one line of the page's table.
type row struct {
	what, this, peer string // peer is empty where payctl is compared with a fixed limit or with nothing
	ratio            float64
	cost, peerCost   time.Duration // processor time a request; zero where it is not known
	limit            string        // in words; empty where there is none
	holds            bool
}

// require is the row with one more limit.
func (r row) require(limit string, holds bool) row {
	if r.limit != "" {
		limit, holds = r.limit+"; "+limit, r.holds && holds
	}
	r.limit, r.holds = limit, holds
	return r
}

// atMost is the row with the largest ratio that is acceptable.
func (r row) atMost(limit float64) row {
	return r.require(fmt.Sprintf("at most %.3g", limit), r.ratio <= limit)
}

// atLeast is the row with the smallest ratio that is acceptable.
func (r row) atLeast(limit float64) row {
	return r.require(fmt.Sprintf("at least %.3g", limit), r.ratio >= limit)
}

// costs is the row with the processor time of a request.
func (r row) costs(this, peer time.Duration) row {
	r.cost, r.peerCost = this, peer
	return r
}

// costsAtMost is the row with the largest ratio of processor times that is acceptable, if they are known.
func (r row) costsAtMost(limit float64) row {
	if r.cost == 0 || r.peerCost == 0 {
		return r
	}
	return r.require(fmt.Sprintf("processor time at most %.3g", limit), float64(r.cost)/float64(r.peerCost) <= limit)
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
	r := row{what: what, this: fmt.Sprintf("%d MiB", bytes/mebibyte)}
	if limit > 0 {
		r.limit, r.holds = fmt.Sprintf("under %d MiB", limit/mebibyte), bytes < limit
	}
	return r
}

func duration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%.1f µs", float64(d)/1e3)
	case d < time.Second:
		return fmt.Sprintf("%.2f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
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

const howToRead = `Read the ratios, payctl / peer. Both sides of a row are measured in one run, in turn, and each figure is a median,
but the longest request is that of all rounds.

- **Start** is a whole process, from exec to exit. **First response** ends when the first request has been answered.
- **Loads** come over loopback from the same machine; each connection sends one request at a time. The beginning does
  not count: a load runs long enough before it is measured that as many transfers settle as are created. Settling is
  part of the figures: each transfer changes its state three times, each change appends an event, and all are kept.
- **The bare peer** is a net/http handler that decodes the same request and encodes the same response with encoding/json.
  It stores nothing, checks nothing and authenticates no client.
- **Rates on a small machine include the load generator**, which shares the processors with the server and draws the
  ratios of rates toward 1. **Processor time a request** does not have this fault. It is what the server used meanwhile,
  without PostgreSQL, which has processes of its own. In rows of a batch it is what the sending program used.
- **The machine's noise**: other programs, the scheduler and a virtual machine's host take processors away at any moment. A
  rate or a time on the clock differs by a tenth from run to run, a p99 by half, and a longest request by more, with the
  bare peer too: its figures show what the machine alone does. Processor time differs by a few hundredths. So a ratio
  near its limit may change sides from run to run.
- **A limit that is not met says no.**
- **A world of 1,000,000 transfers / of 1,000** is measured inside the service, without connections.

`

// page renders docs/PERFORMANCE.md.
func page(rows []row, p *programs) string {
	var b strings.Builder
	b.WriteString("<!-- Written by make bench. Do not edit. -->\n# Performance\n\n")
	fmt.Fprintf(&b, "Measured on %s with %s on %d cores (%s/%s) by `make bench`, which also writes this page.\n\n",
		time.Now().UTC().Format(time.DateOnly), runtime.Version(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	b.WriteString(howToRead)
	b.WriteString("| what / peer | payctl | peer | ratio | processor time a request: payctl / peer | limit | holds |\n" +
		"| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, r := range rows {
		holds, ratio, costs := "", "", ""
		if r.limit != "" {
			holds = map[bool]string{true: "yes", false: "no"}[r.holds]
		}
		if r.peer != "" {
			ratio = fmt.Sprintf("%.2g", r.ratio)
		}
		if r.cost > 0 && r.peerCost > 0 {
			costs = fmt.Sprintf("%s / %s = %.2g", duration(r.cost), duration(r.peerCost), float64(r.cost)/float64(r.peerCost))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", r.what, r.this, r.peer, ratio, costs, r.limit, holds)
	}
	b.WriteString(growthSection(p.growth))
	for _, note := range p.notes {
		fmt.Fprintf(&b, "\n%s\n", note)
	}
	return b.String()
}
