package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"
)

const howToRead = `Read the ratios, payctl / peer: both sides of a row were measured in one run, in turn, and the figures are medians.

- **start** is a whole process, from exec to exit. **exec to first answer** ends when the first request is answered.
- **Loads** go over loopback from the same machine, each connection one request at a time, and begin before they are
  measured, for long enough that as many transfers settle as are created. Settling is part of the figures: each transfer
  changes its state three times, which every change tells the feed of events, and all are kept. Creates have idempotency keys.
- **The bare peer** decodes the same request and encodes the same answer with encoding/json, and does nothing else: it keeps
  nothing, checks nothing and authenticates nobody. It runs with Go's defaults; payctl serve sets its garbage collector to
  run less often. **stripe-mock** answers the create that is most like ours, of about the same size, from a
  fixture, and keeps nothing either.
- The sender takes its part of the same processors, as much for one side as for the other, which draws the ratios of rates
  toward 1. **Processor time a request** is the server's alone, less is better; it has no bar.
- **Resident** is the memory of the whole process, held answers and their connections included. **A world of 1,000,000** is
  measured inside the service, without connections, after the small one, which has the colder start; its bytes are of a settled transfer
  with the record of its idempotency key.

`

// render writes the page.
func render(rows []row, notes []string) string {
	var b strings.Builder
	b.WriteString("<!-- Written by make bench. Do not edit. -->\n# Performance\n\n")
	fmt.Fprintf(&b, "Measured on %s with %s on %d cores (%s/%s) by `make bench`, which also writes this page.\n\n",
		time.Now().UTC().Format(time.DateOnly), runtime.Version(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	b.WriteString(howToRead)
	b.WriteString("| what / against what | payctl | peer | ratio | bar | holds |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, r := range rows {
		holds := ""
		if r.Bar != "" {
			holds = map[bool]string{true: "yes", false: "no"}[r.Holds]
		}
		ratio := ""
		if r.Peer != "" {
			ratio = fmt.Sprintf("%.2g", r.Ratio)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", r.What, r.This, r.Peer, ratio, r.Bar, holds)
	}
	b.WriteString(missed(rows))
	for _, note := range notes {
		fmt.Fprintf(&b, "\n%s\n", note)
	}
	return b.String()
}

// missed tells why the bars are not held that are not.
func missed(rows []row) string {
	var b strings.Builder
	for _, r := range rows {
		if r.Bar == "" || r.Holds || r.Why == "" {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("\n## Bars that are not held\n\n")
		}
		fmt.Fprintf(&b, "- **%s**: %s\n", r.What, r.Why)
	}
	return b.String()
}
