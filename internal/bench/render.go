package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"
)

const howToRead = `Read the ratios, payctl / peer: both sides of a row were measured in one run, in turn, and the figures are medians.

- **start** is a whole process, from exec to exit. **exec to first answer** ends when the first request is answered.
- **Loads** go over loopback from the same machine, each connection one request at a time. The bare peer decodes the same
  request and encodes the same answer with encoding/json, and does nothing else: it keeps nothing, checks nothing and
  authenticates nobody. It runs with Go's defaults; payctl serve sets its garbage collector to run less often.
- The sender takes its part of the same processors, as much for one side as for the other, which draws the ratios of rates
  toward 1. **Processor time a request** is the server's alone, less is better; it has no bar.
- The transfers of a load also settle while it lasts, and all are kept; that is part of the figures.

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
		fmt.Fprintf(&b, "| %s | %s | %s | %.2g | %s | %s |\n", r.What, r.This, r.Peer, r.Ratio, r.Bar, holds)
	}
	for _, note := range notes {
		fmt.Fprintf(&b, "\n%s\n", note)
	}
	return b.String()
}
