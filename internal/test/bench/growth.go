package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	growthTimeout = 4 * time.Minute // of the growth from one size to the next
	readPace      = 10 * time.Millisecond
	bareRequests  = 60_000 // of each stage
	mebibyte      = 1 << 20

	mostGrownMemory = 900 * mebibyte
	longestRequest  = 50 * time.Millisecond
	leastGrownRate  = 0.5 // of the bare peer's
)

// growthSizes are the numbers of transfers at which a growing world is measured.
var growthSizes = []int64{10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 750_000, 1_000_000}

// A stage is what was measured while a world grew to a number of transfers.
type stage struct {
	transfers       int64
	creates, reads  result
	bare, bareReads result // the paced requests of the bare peer read nothing, but are otherwise the same
	resident        int64  // bytes
	collections
}

// measureGrowth fills a world of a service in memory with settled transfers, each with an idempotency key, while
// another client reads. After each stage it loads the bare peer, and at the end both in turn.
func measureGrowth(ctx context.Context, p *programs) ([]row, error) {
	if runtime.GOOS != "linux" {
		p.notes = append(p.notes, "The growth of a world is missing, because memory is read from /proc.")
		return nil, nil
	}
	service, trace, err := p.startTraced(ctx)
	if err != nil {
		return nil, err
	}
	defer service.stop()
	create := createAutoTransfer
	creates, c, body, err := create.at(ctx, service, "bench")
	if err != nil {
		return nil, err
	}
	reads, _, _, err := getKYCStatus.at(ctx, service, "reader")
	if err != nil {
		return nil, err
	}
	reads.connections, reads.pace = 1, readPace
	bare, err := create.startBare(ctx, p, c, body) // which creates the first transfer
	if err != nil {
		return nil, err
	}
	defer bare.stop()
	onBare := create.load(bare, c.token, 200, body)
	pacedOnBare := onBare
	pacedOnBare.connections, pacedOnBare.pace = reads.connections, reads.pace
	onBare.most = bareRequests

	reached := int64(1)
	for _, size := range growthSizes {
		s := stage{transfers: size}
		creates.most = size - reached
		if s.creates, s.reads, err = creates.with(ctx, reads); err != nil {
			return nil, fmt.Errorf("growth to %d transfers: %w", size, err)
		}
		reached = size
		if s.resident, err = processMemory(service.cmd.Process.Pid, "VmRSS"); err != nil {
			return nil, err
		}
		s.collections = trace.take()
		if s.bare, s.bareReads, err = onBare.with(ctx, pacedOnBare); err != nil {
			return nil, err
		}
		p.growth = append(p.growth, s)
	}
	creates.most, onBare.most = 0, 0
	measured, err := loadInTurn(ctx, roundTime/5, creates, onBare)
	if err != nil {
		return nil, err
	}
	return append(growthRows(p.growth),
		measured[0].against(create.String()+", in a world of 1,000,000 settled transfers / bare net/http with encoding/json",
			measured[1]).atLeast(leastGrownRate)), nil
}

// with runs a load of a number of requests together with another load, which ends with it.
func (l load) with(ctx context.Context, other load) (own, others result, err error) {
	window, cancel := context.WithTimeout(ctx, growthTimeout)
	defer cancel()
	var group sync.WaitGroup
	var failed error
	group.Go(func() { others, failed = other.runUntil(ctx, window, 0) })
	own, err = l.runUntil(ctx, window, 0)
	cancel()
	group.Wait()
	return own, others, errors.Join(err, failed)
}

// startTraced starts a service in memory, whose transfers settle at once and whose collections are traced.
func (p *programs) startTraced(ctx context.Context) (*server, *gcTrace, error) {
	cmd := exec.CommandContext(ctx, p.payctl,
		"serve", "--addr", "127.0.0.1:0", "--kyc-delay", "0s", "--settle-delay", "0s")
	cmd.Env = append(os.Environ(), "GODEBUG=gctrace=1")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, nil, err
	}
	s, err := startCommand(cmd)
	if err != nil {
		return nil, nil, err
	}
	trace := &gcTrace{}
	go trace.read(stderr)
	return s, trace, nil
}

// collections are figures of the garbage collections of a while.
type collections struct {
	count          int
	live           int64         // bytes in use after the last one
	pause, longest time.Duration // the longest time that one stopped the program, and that one took
}

// A gcTrace sums up the lines of GODEBUG=gctrace=1, which package runtime documents.
type gcTrace struct {
	mu   sync.Mutex
	seen collections
}

func (t *gcTrace) read(lines io.Reader) {
	for scanner := bufio.NewScanner(lines); scanner.Scan(); {
		t.add(scanner.Text())
	}
}

func (t *gcTrace) add(line string) {
	var n, percent, began, ended, live int64
	var at, stop, mark, end, ignored float64
	const format = "gc %d @%fs %d%%: %f+%f+%f ms clock, %f+%f/%f/%f+%f ms cpu, %d->%d->%d MB"
	if _, err := fmt.Sscanf(line, format, &n, &at, &percent, &stop, &mark, &end,
		&ignored, &ignored, &ignored, &ignored, &ignored, &began, &ended, &live); err != nil {
		return // another line of standard error
	}
	millis := func(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen.count++
	t.seen.live = live * mebibyte
	t.seen.pause = max(t.seen.pause, millis(stop), millis(end))
	t.seen.longest = max(t.seen.longest, millis(stop+mark+end))
}

// take returns what was seen since the last call; the memory in use stays known.
func (t *gcTrace) take() collections {
	t.mu.Lock()
	defer t.mu.Unlock()
	taken := t.seen
	t.seen = collections{live: taken.live}
	return taken
}

// growthRows compares the stages with their limits.
func growthRows(stages []stage) []row {
	var creates, reads, bare, bareReads time.Duration
	for _, s := range stages {
		creates, reads = max(creates, s.creates.longest), max(reads, s.reads.longest)
		bare, bareReads = max(bare, s.bare.longest), max(bareReads, s.bareReads.longest)
	}
	last := stages[len(stages)-1]
	longest := row{
		what:  "longest request while a world grows to 1,000,000 transfers / bare net/http under the same load",
		this:  fmt.Sprintf("create %s, read of another client %s", duration(creates), duration(reads)),
		peer:  fmt.Sprintf("create %s, paced request %s", duration(bare), duration(bareReads)),
		ratio: float64(max(creates, reads)) / float64(max(bare, bareReads)),
	}
	return []row{
		memory("resident memory with 1,000,000 settled transfers and their idempotency keys", last.resident, mostGrownMemory),
		longest.require("at most "+duration(longestRequest), max(creates, reads) <= longestRequest),
	}
}

const howToReadGrowth = `
## Growth

A service in memory grows to 1,000,000 transfers, over 32 connections and as fast as it can. Each transfer settles at
once, and has an idempotency key. Another client reads the status of an account 100 times a second, each time when it is
due, so that whatever holds up requests delays a read. A point is about all requests since the point before it. After
each, the bare peer gets the same load for a while: what its requests are held up is what the machine alone does.

`

// growthSection renders the stages as charts and a table.
func growthSection(stages []stage) string {
	if len(stages) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(howToReadGrowth)
	figures := func(of func(stage) float64) (values []float64) {
		for _, s := range stages {
			values = append(values, of(s))
		}
		return values
	}
	millis := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	var sizes []string
	for _, s := range stages {
		sizes = append(sizes, thousands(s.transfers))
	}
	for _, c := range []chart{
		{
			"A level line means that a create costs the same in a large world as in a small one.",
			"Processor time of a create and its settlement", "µs", [][]float64{
				figures(func(s stage) float64 { return float64(s.creates.each) / 1e3 }),
			},
		},
		{
			"The upper line is the resident memory of the process. The lower one is what Go found in use at its last " +
				"collection.",
			"Memory", "MiB", [][]float64{
				figures(func(s stage) float64 { return float64(s.resident) / mebibyte }),
				figures(func(s stage) float64 { return float64(s.live) / mebibyte }),
			},
		},
		{
			"The first line is the longest read of the other client. The second one is the longest paced request to the bare " +
				"peer. Where the first one rises alone, the size of the world holds up requests.",
			"Longest paced request: payctl, bare net/http", "ms", [][]float64{
				figures(func(s stage) float64 { return millis(s.reads.longest) }),
				figures(func(s stage) float64 { return millis(s.bareReads.longest) }),
			},
		},
	} {
		c.render(&b, sizes)
	}
	b.WriteString("| transfers | creates | processor time of a create and its settlement | resident memory | in use |" +
		" read of another client | collections: number, longest, longest pause | bare net/http | its paced requests |\n" +
		"| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for i, s := range stages {
		fmt.Fprintf(&b, "| %s | %s | %s | %d MiB | %d MiB | p99 %s, longest %s | %d, %s, %s | %s | p99 %s, longest %s |\n",
			sizes[i], s.creates, duration(s.creates.each), s.resident/mebibyte, s.live/mebibyte,
			duration(s.reads.p99), duration(s.reads.longest), s.count, duration(s.longest), duration(s.pause),
			s.bare, duration(s.bareReads.p99), duration(s.bareReads.longest))
	}
	return b.String()
}

// thousands writes a number of thousands with the sign of its unit.
func thousands(n int64) string {
	if n%1_000_000 == 0 {
		return strconv.FormatInt(n/1_000_000, 10) + "M"
	}
	return strconv.FormatInt(n/1_000, 10) + "k"
}

// A chart is lines over the sizes of a world.
type chart struct {
	reading, title, unit string
	lines                [][]float64
}

// render writes the chart in the language of Mermaid, which GitHub shows as a picture.
func (c chart) render(b *strings.Builder, sizes []string) {
	most := 0.0
	for _, line := range c.lines {
		most = max(most, slices.Max(line))
	}
	fmt.Fprintf(b, "%s\n\n```mermaid\nxychart-beta\n    title \"%s, in %s\"\n", c.reading, c.title, c.unit)
	fmt.Fprintf(b, "    x-axis \"transfers\" [%s]\n", strings.Join(sizes, ", "))
	fmt.Fprintf(b, "    y-axis \"%s\" 0 --> %.0f\n", c.unit, most*1.1+1)
	for _, line := range c.lines {
		var values []string
		for _, value := range line {
			values = append(values, strconv.FormatFloat(value, 'f', 1, 64))
		}
		fmt.Fprintf(b, "    line [%s]\n", strings.Join(values, ", "))
	}
	b.WriteString("```\n\n")
}
