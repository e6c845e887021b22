package ui

import (
	"context"
	"errors"
	"strings"
)

// Confirm asks a question on Err whose default is No. The answers y and yes, in any letter case, mean yes. Anything
// else, also the end of the input, means no. Errors: ErrNoTTY, ctx's error.
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
