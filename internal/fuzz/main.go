// Command fuzz runs every fuzz target of the module, one after the other, each for a time. It finds them by their
// declarations, so that none can be forgotten. It goes on after a finding, and fails at the end when there was one. Run it
// with make fuzz, from the module's folder.
//
//	go run ./internal/fuzz [-time 60s] [-parallel N] [-run PATTERN]
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	each := flag.Duration("time", time.Minute, "how long each target runs")
	parallel := flag.Int("parallel", 0, "how many inputs are tried at once; 0: one for each processor")
	pattern := flag.String("run", "", "only the targets whose folder and name, as in internal/term/FuzzSanitize, match this pattern")
	flag.Parse()
	if err := run(ctx, *each, *parallel, *pattern); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, each time.Duration, parallel int, pattern string) error {
	wanted, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	all, err := targets(".")
	if err != nil {
		return err
	}
	var findings []string
	ran := 0
	for _, t := range all {
		name := filepath.ToSlash(t.folder) + "/" + t.name
		if !wanted.MatchString(name) {
			continue
		}
		ran++
		fmt.Fprintln(os.Stdout, "==>", name)
		if err := t.fuzz(ctx, each, parallel); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			findings = append(findings, name)
		}
	}
	if ran == 0 {
		return fmt.Errorf("no fuzz target matches %q", pattern)
	}
	if len(findings) > 0 {
		return fmt.Errorf("%d of %d fuzz targets failed: %s", len(findings), ran, strings.Join(findings, ", "))
	}
	fmt.Fprintf(os.Stdout, "%d fuzz targets ran for %s each without a finding\n", ran, each)
	return nil
}

// fuzz runs a target.
func (t target) fuzz(ctx context.Context, each time.Duration, parallel int) error {
	args := []string{"test", "-run", "^$", "-fuzz", "^" + t.name + "$", "-fuzztime", each.String(), "-timeout", (each + 10*time.Minute).String()}
	if parallel > 0 {
		args = append(args, "-parallel", strconv.Itoa(parallel))
	}
	var output bytes.Buffer
	command := exec.CommandContext(ctx, "go", append(args, "./"+filepath.ToSlash(t.folder))...) //nolint:gosec // the names of our own functions and folders
	command.Stdout, command.Stderr = io.MultiWriter(os.Stdout, &output), os.Stderr
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = time.Minute
	err := command.Run()
	// The end of the time itself can become a failure, without an input (https://go.dev/issue/75804, mended in Go 1.27).
	if err != nil && bytes.Contains(output.Bytes(), []byte("context deadline exceeded")) && !bytes.Contains(output.Bytes(), []byte("Failing input")) {
		return nil
	}
	return err
}
