package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
)

// bare starts the bare peer of an operation, with the service's own answer as its answer. It is an error when the peer's
// JSON is not the same: then it would be given another task.
func (a *api) bare(ctx context.Context, p *programs, method, path, body string) (*server, error) {
	answer, err := a.call(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(p.dir, "answer.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	s, err := start(ctx, p.echo, file)
	if err != nil {
		return nil, err
	}
	echoed, err := (&api{url: s.url(), token: a.token}).call(ctx, method, path, body)
	if err == nil && !reflect.DeepEqual(answer, echoed) {
		err = errors.New("the bare peer answers other JSON than the service; its structs lack a member")
	}
	if err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}
