package ui

import (
	"context"
	"errors"
	"strings"
)

// Confirm asks a question whose default is No, on Err, and reads the answer from In: y or yes, in any
// letter case, is yes; anything else, the end of the input too, is no. Errors: ErrNoTTY, ctx's error.
func (s *Streams) Confirm(ctx context.Context, question string) (bool, error) {
	answer, err := s.Ask(ctx, question+" [y/N]")
	if errors.Is(err, ErrNoAnswer) {
		return false, nil
	}
	return err == nil && (strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes")), err
}

// Ask writes a prompt and reads one line, without the blanks around it. Errors: ErrNoTTY, ErrNoAnswer,
// ErrAnswerTooLong, ctx's error.
func (s *Streams) Ask(ctx context.Context, prompt string) (string, error) {
	if err := s.canAsk(ctx); err != nil {
		return "", err
	}
	s.writeErr(Sanitize(prompt) + " ")
	line, err := s.readLine(ctx)
	if err != nil {
		s.writeErr("\n") // the cursor still stands behind the prompt
		return "", err
	}
	return strings.TrimSpace(line), nil
}

func (s *Streams) canAsk(ctx context.Context) error {
	if !s.InTTY || !s.ErrTTY {
		return ErrNoTTY
	}
	return ctx.Err()
}
