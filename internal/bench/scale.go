package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// The sizes of the worlds that are compared.
const (
	smallWorld = "1000"
	largeWorld = "1000000"
)

// measureScale does the same in a world of a thousand transfers and in one of a million, with a benchmark of the service.
func measureScale(ctx context.Context, _ *programs) ([]row, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^BenchmarkScale$", "-benchtime", "3000x", "-count", "1", "-timeout", "20m", "./internal/reference")
	cmd.Env = append(os.Environ(), "GOGC=50") // millions of records are much to collect, and not what is measured
	output, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, output)
	}
	figures := benchmarkFigures(string(output))
	var rows []row
	for _, action := range []struct{ name, what string }{{"get", "get a transfer"}, {"page", "list a page of transfers"}, {"create", "create a transfer"}} {
		large, small := median(figures[largeWorld+"/"+action.name+" ns/op"]), median(figures[smallWorld+"/"+action.name+" ns/op"])
		if large == 0 || small == 0 {
			return nil, fmt.Errorf("the benchmark has no figures of %s:\n%s", action.name, output)
		}
		r := atMost(action.what+": in a world of 1,000,000 transfers / of 1,000", time.Duration(large), time.Duration(small), 1.5)
		r.This, r.Peer = microseconds(time.Duration(large)), microseconds(time.Duration(small))
		rows = append(rows, r)
	}
	each := median(figures[largeWorld+"/get B/transfer"])
	return append(rows, row{What: "memory of a transfer, in a world of 1,000,000", This: fmt.Sprintf("%.0f bytes", each)}), nil
}

// benchmarkFigures reads the figures that go test prints, by "size/action unit", of each run of an action.
func benchmarkFigures(output string) map[string][]float64 {
	figures := map[string][]float64{}
	for line := range strings.Lines(output) {
		line, ok := strings.CutPrefix(line, "BenchmarkScale/")
		fields := strings.Fields(line)
		if !ok || len(fields) == 0 {
			continue
		}
		name := fields[0]
		if at := strings.LastIndexByte(name, '-'); at >= 0 {
			name = name[:at] // what follows is the number of processors
		}
		name, _, _ = strings.Cut(name, "#") // and here the number of the run
		for i := 2; i+1 < len(fields); i += 2 {
			if figure, err := strconv.ParseFloat(fields[i], 64); err == nil {
				of := name + " " + fields[i+1]
				figures[of] = append(figures[of], figure)
			}
		}
	}
	return figures
}
