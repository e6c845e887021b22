package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"
)

// render writes the page.
func render(rows []row, notes []string) string {
	var b strings.Builder
	b.WriteString("<!-- Written by make bench. Do not edit. -->\n# Performance\n\n")
	fmt.Fprintf(&b, "Measured on %s with %s on %d cores (%s/%s) by `make bench`, which also writes this page.\n\n",
		time.Now().UTC().Format(time.DateOnly), runtime.Version(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	b.WriteString("Read the ratios: both sides of a row were measured in one run, in turn, and the figures are medians. Times are of\n" +
		"whole processes. Loads go over loopback from the same machine, each connection one request at a time, and the bare peer\n" +
		"decodes the same request and encodes the same answer with encoding/json, and does nothing else: it keeps nothing, checks\n" +
		"nothing and authenticates nobody.\n\n")
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
