// Command bench measures payctl against peers in the same run, one beside the other, and writes docs/PERFORMANCE.md. Only
// the ratios are worth reading: machines differ, and none of this is asserted in a test. Run it with make bench.
package main

import (
	"context"
	"log"
	"os"
	"os/signal"
)

// A row is one comparison.
type row struct {
	What  string
	This  string
	Peer  string // empty: there is none, and no ratio
	Ratio float64
	Bar   string // in words; empty: none
	Holds bool
	Why   string // it may not hold
}

func main() {
	log.SetFlags(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	built, err := build(ctx)
	if err != nil {
		return err
	}
	defer built.remove()
	var rows []row
	for _, measure := range []func(context.Context, *programs) ([]row, error){
		measureStart, measureServe, measureThroughput, measureData, measureHeld, measureScale, measureWatch, measureBatch,
	} {
		more, err := measure(ctx, built)
		if err != nil {
			return err
		}
		rows = append(rows, more...)
	}
	page := render(rows, built.notes)
	if _, err := os.Stdout.WriteString(page); err != nil {
		return err
	}
	return os.WriteFile("docs/PERFORMANCE.md", []byte(page), 0o644)
}
