package ui

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Confirm asks a question whose default is No, on Err, and reads the answer from In: y or yes, in any
// letter case, is yes; anything else, the end of the input too, is no. Errors: ErrNoTTY, ctx's error.
func (s *Streams) Confirm(ctx context.Context, question string) (bool, error) {
	answer, err := s.ask(ctx, question+" [y/N]")
	if errors.Is(err, ErrNoAnswer) {
		return false, nil
	}
	return err == nil && (strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes")), err
}

// Ask asks for a text; an empty answer is def, which is shown where there is one. Blanks around the
// answer are dropped. Errors: ErrNoTTY, ErrNoAnswer, ErrAnswerTooLong, ctx's error.
func (s *Streams) Ask(ctx context.Context, label, def string) (string, error) {
	prompt := label + ":"
	if def != "" {
		prompt = label + " [" + def + "]:"
	}
	answer, err := s.ask(ctx, prompt)
	if err == nil && answer == "" {
		return def, nil
	}
	return answer, err
}

// Choose lists the options with numbers from 1 and asks for one until it gets one. It returns the index
// from 0. No cursor movement, so that it reads well aloud. Errors as Ask.
func (s *Streams) Choose(ctx context.Context, label string, options []string) (int, error) {
	if len(options) == 0 {
		return 0, fmt.Errorf("nothing to choose from for %q", Sanitize(label))
	}
	if err := s.canAsk(ctx); err != nil {
		return 0, err
	}
	var list strings.Builder
	list.WriteString(Sanitize(label) + "\n")
	digits := len(strconv.Itoa(len(options)))
	for i, option := range options {
		fmt.Fprintf(&list, "  %*d) %s\n", digits, i+1, Sanitize(option))
	}
	s.writeErr(list.String())
	for {
		answer, err := s.ask(ctx, fmt.Sprintf("Number [1-%d]:", len(options)))
		if err != nil {
			return 0, err
		}
		if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= len(options) {
			return n - 1, nil
		}
		s.writeErr(fmt.Sprintf("Type a number from 1 to %d.\n", len(options)))
	}
}

// ask writes a prompt and reads one line.
func (s *Streams) ask(ctx context.Context, prompt string) (string, error) {
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
