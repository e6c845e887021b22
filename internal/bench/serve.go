package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"time"
)

const (
	serveRounds = 31
	mockRounds  = 5
	mockTimeout = 30 * time.Second
	// mockPause is how long lies between two questions whether stripe-mock answers, which does not say when it does. It
	// has to be short beside what it takes, and to leave it the processor.
	mockPause = time.Millisecond
)

// measureServe times a server from exec to its first answer.
func measureServe(ctx context.Context, p *programs) ([]row, error) {
	payctl := func() (time.Duration, error) { return firstAnswer(ctx, p.payctl, "serve", "--addr", "127.0.0.1:0") }
	this, bare, err := inTurn(serveRounds, payctl, func() (time.Duration, error) { return firstAnswer(ctx, p.hello) })
	if err != nil {
		return nil, err
	}
	rows := []row{atMost("exec to first answer: payctl serve / bare net/http", this, bare, 6)}
	if p.stripeMock == "" {
		return rows, nil
	}
	this, mock, err := inTurn(mockRounds, payctl, func() (time.Duration, error) { return firstAnswerOfMock(ctx, p.stripeMock) })
	if err != nil {
		return nil, err
	}
	return append(rows, atMost("exec to first answer: payctl serve / stripe-mock", this, mock, 1.0/25)), nil
}

// firstAnswer is how long a program takes from exec to its answer; how it ends is not timed.
func firstAnswer(ctx context.Context, path string, args ...string) (time.Duration, error) {
	began := time.Now()
	s, err := start(ctx, path, args...)
	if err != nil {
		return 0, err
	}
	defer s.stop()
	status, err := get(ctx, s.url()+"/healthz")
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("GET /healthz: %d", status)
	}
	return time.Since(began), err
}

// url is where a server says that it listens: its first line, or the member url of it.
func (s *server) url() string {
	var ready struct{ URL string }
	if json.Unmarshal([]byte(s.line), &ready) == nil {
		return ready.URL
	}
	return s.line
}

func get(ctx context.Context, url string) (status int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, err
}

// firstAnswerOfMock is how long stripe-mock takes until it answers.
func firstAnswerOfMock(ctx context.Context, path string) (time.Duration, error) {
	began := time.Now()
	s, err := startMock(ctx, path)
	if err != nil {
		return 0, err
	}
	defer s.stop()
	return time.Since(began), nil
}

// startMock starts stripe-mock and asks until it is answered, whatever the answer is.
func startMock(ctx context.Context, path string) (*server, error) {
	addr, err := freeAddr(ctx)
	if err != nil {
		return nil, err
	}
	s := &server{cmd: exec.CommandContext(ctx, path, "-http-addr", addr), line: "http://" + addr}
	waiting, cancel := context.WithTimeout(ctx, mockTimeout)
	defer cancel()
	pause := time.NewTicker(mockPause)
	defer pause.Stop()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	for {
		if _, err := get(waiting, s.line+"/"); err == nil {
			return s, nil
		}
		select {
		case <-pause.C:
		case <-waiting.Done():
			s.stop()
			return nil, fmt.Errorf("stripe-mock does not answer: %w", waiting.Err())
		}
	}
}

// freeAddr is an address that nobody listens at.
func freeAddr(ctx context.Context) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}
