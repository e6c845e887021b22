package main

import (
	"context"
	"os/exec"
	"strings"
	"time"
)

const startRounds = 41

// measureStart times whole processes from exec to exit.
func measureStart(ctx context.Context, p *programs) ([]row, error) {
	_, noCurl := exec.LookPath("curl")
	if noCurl != nil {
		p.notes = append(p.notes, "Without its rows: curl, which is not installed.")
	}
	var rows []row
	for _, command := range [][]string{{"version"}, {"routes", "list", "--help"}} {
		payctl := func() (time.Duration, error) { return whole(ctx, p.payctl, command...) }
		name := "start: payctl " + strings.Join(command, " ")
		this, empty, err := inTurn(startRounds, payctl, func() (time.Duration, error) { return whole(ctx, p.empty) })
		if err != nil {
			return nil, err
		}
		rows = append(rows, atMost(name+" / an empty Go program", this, empty, 4))
		if noCurl != nil {
			continue
		}
		this, curl, err := inTurn(startRounds, payctl, func() (time.Duration, error) { return whole(ctx, "curl", "--version") })
		if err != nil {
			return nil, err
		}
		rows = append(rows, atMost(name+" / curl --version", this, curl, 0.75))
	}
	return rows, nil
}

// whole is how long a program takes from exec to exit.
func whole(ctx context.Context, path string, args ...string) (time.Duration, error) {
	began := time.Now()
	err := exec.CommandContext(ctx, path, args...).Run()
	return time.Since(began), err
}
