package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os/exec"
	"time"
)

const serveRounds = 15

// measureServe times a server from exec to its first answer.
func measureServe(ctx context.Context, p *programs) ([]row, error) {
	payctl := func() error { return firstAnswer(ctx, p.payctl, "serve", "--addr", "127.0.0.1:0") }
	this, bare, err := inTurn(serveRounds, payctl, func() error { return firstAnswer(ctx, p.hello) })
	if err != nil {
		return nil, err
	}
	rows := []row{atMost("exec to first answer: payctl serve / bare net/http", this, bare, 6)}
	if p.stripeMock == "" {
		return rows, nil
	}
	this, mock, err := inTurn(3, payctl, func() error { return firstAnswerOfMock(ctx, p.stripeMock) })
	if err != nil {
		return nil, err
	}
	return append(rows, atMost("exec to first answer: payctl serve / stripe-mock", this, mock, 1.0/25)), nil
}

func firstAnswer(ctx context.Context, path string, args ...string) error {
	s, err := start(ctx, path, args...)
	if err != nil {
		return err
	}
	defer s.stop()
	return get(ctx, s.url()+"/healthz")
}

// url is where a server says that it listens: its first line, or the member url of it.
func (s *server) url() string {
	var ready struct{ URL string }
	if json.Unmarshal([]byte(s.line), &ready) == nil {
		return ready.URL
	}
	return s.line
}

func get(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

// firstAnswerOfMock asks until it is answered: stripe-mock does not say when it is ready.
func firstAnswerOfMock(ctx context.Context, path string) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	addr := listener.Addr().String()
	if err := listener.Close(); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, path, "-http-addr", addr)
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); {
		if get(ctx, "http://"+addr+"/") == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return errors.New("stripe-mock does not answer at " + addr)
}
