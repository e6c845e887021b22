package main

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

const startRounds = 41

// measureStart times whole processes from exec to exit.
func measureStart(ctx context.Context, p *programs) ([]row, error) {
	var rows []row
	for _, command := range [][]string{{"version"}, {"routes", "list", "--help"}} {
		this, empty, err := inTurn(startRounds,
			func() error { return exec.CommandContext(ctx, p.payctl, command...).Run() },
			func() error { return exec.CommandContext(ctx, p.empty).Run() })
		if err != nil {
			return nil, err
		}
		name := "start: payctl " + strings.Join(command, " ")
		rows = append(rows, atMost(name+" / an empty Go program", this, empty, 4))
		if _, err := exec.LookPath("curl"); err != nil {
			p.notes = append(p.notes, "curl is not installed; its row is left out.")
			continue
		}
		this, curl, err := inTurn(startRounds,
			func() error { return exec.CommandContext(ctx, p.payctl, command...).Run() },
			func() error { return exec.CommandContext(ctx, "curl", "--version").Run() })
		if err != nil {
			return nil, err
		}
		rows = append(rows, atMost(name+" / curl --version", this, curl, 0.75))
	}
	return rows, nil
}

// inTurn times a and b one after the other, so that both meet the same machine, and returns their medians.
func inTurn(rounds int, a, b func() error) (medianA, medianB time.Duration, err error) {
	var timesA, timesB []time.Duration
	for range rounds {
		for _, side := range []struct {
			run   func() error
			times *[]time.Duration
		}{{a, &timesA}, {b, &timesB}} {
			began := time.Now()
			if err := side.run(); err != nil {
				return 0, 0, err
			}
			*side.times = append(*side.times, time.Since(began))
		}
	}
	return median(timesA), median(timesB), nil
}

func median[T interface{ ~int64 | ~float64 }](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// atMost compares two durations; less is better.
func atMost(what string, this, peer time.Duration, bar float64) row {
	ratio := float64(this) / float64(peer)
	return row{
		What: what, This: milliseconds(this), Peer: milliseconds(peer), Ratio: ratio,
		Bar: fmt.Sprintf("at most %.3g", bar), Holds: ratio <= bar,
	}
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d)/1e6) }
