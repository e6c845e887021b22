package main

import (
	"context"
	"net/http"
	"os/exec"
	"strings"
	"time"
)

const (
	startRounds         = 41
	firstResponseRounds = 31

	// mostStart is how many times as long as an empty program a command may take. Most of its time is what the libraries
	// of one program for client and service initialise: those of --jq, SQLite, settings, the live view and PostgreSQL,
	// which has tables for passwords.
	mostStart = 3.5
	// mostOfCurl is how many times as long as `curl --version` a command may take.
	mostOfCurl = 0.6
)

// measureStart times whole processes from exec to exit.
func measureStart(ctx context.Context, p *programs) ([]row, error) {
	process := func(path string, args ...string) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			began := time.Now()
			err := exec.CommandContext(ctx, path, args...).Run()
			return time.Since(began), err
		}
	}
	_, noCurl := exec.LookPath("curl")
	if noCurl != nil {
		p.notes = append(p.notes, "The rows of curl are missing, because it is not installed.")
	}
	var rows []row
	for _, command := range [][]string{{"version"}, {"routes", "list", "--help"}} {
		name := "start: payctl " + strings.Join(command, " ")
		this, empty, err := alternate(startRounds, process(p.payctl, command...), process(p.empty))
		if err != nil {
			return nil, err
		}
		rows = append(rows, durations(name+" / an empty Go program", this, empty).atMost(mostStart))
		if noCurl != nil {
			continue
		}
		this, curl, err := alternate(startRounds, process(p.payctl, command...), process("curl", "--version"))
		if err != nil {
			return nil, err
		}
		rows = append(rows, durations(name+" / curl --version", this, curl).atMost(mostOfCurl))
	}
	return rows, nil
}

// measureFirstResponse times a server from exec to its first response.
func measureFirstResponse(ctx context.Context, p *programs) ([]row, error) {
	first := func(path string, args ...string) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			began := time.Now()
			s, err := start(ctx, path, args...)
			if err != nil {
				return 0, err
			}
			defer s.stop()
			_, err = (&session{url: s.url}).call(ctx, http.MethodGet, "/healthz", "")
			return time.Since(began), err
		}
	}
	this, bare, err := alternate(firstResponseRounds, first(p.payctl, "serve", "--addr", "127.0.0.1:0"), first(p.bare))
	if err != nil {
		return nil, err
	}
	return []row{durations("first response: payctl serve / bare net/http", this, bare).atMost(6)}, nil
}
