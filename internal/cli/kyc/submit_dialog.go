package kyc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// A submitDialog asks for what an identity check requires, and submits it.
type submitDialog struct {
	deps    *cmdutil.Deps
	service payments.Service
	ask     watchui.Dialog
	account string // ID
	check   payments.KYC
	open    []payments.KYCRequirement
	typed   []string // what was entered for each of them; empty: nothing is submitted for it
	answers []answer
}

// An answer is one to a requirement, with how a person recognises it.
type answer struct {
	payments.KYCAnswer
	shown string
	path  string // of a document
	of    int    // in open
}

// run asks until the answers are accepted, or the user gives up. What was entered stays.
func (s *submitDialog) run(ctx context.Context) (string, error) {
	if !s.check.Status.TakesSubmission() {
		return "", errors.New("nothing can be submitted: " + whyClosed(s.check))
	}
	s.open = s.check.Open()
	if len(s.open) == 0 {
		return "", errors.New("nothing can be submitted: the service asks for nothing")
	}
	s.typed = make([]string, len(s.open))
	problems := make([]string, len(s.open))
	for {
		if err := s.askAll(ctx, problems); err != nil {
			return "", err
		}
		if len(s.answers) == 0 {
			return "", errors.New("nothing was entered, so nothing was sent")
		}
		if err := s.ask.Confirm(ctx, s.summary()...); err != nil {
			return "", err
		}
		check, err := s.send(ctx)
		if err == nil {
			return fmt.Sprintf("Submitted; %s is %s now.", s.account, brief(string(check.Status))), nil
		}
		if problems, err = s.problems(err); err != nil {
			return "", err
		}
	}
}

// whyClosed says why a check takes no submission.
func whyClosed(check payments.KYC) string {
	if steps := nextSteps(check); len(steps) > 0 {
		return strings.TrimPrefix(steps[0], "nothing: ")
	}
	return "its status is " + string(check.Status)
}

// askAll asks for an answer to each requirement whose answer is missing or has a problem, and else to all. It checks
// files at once.
func (s *submitDialog) askAll(ctx context.Context, problems []string) error {
	hasProblems := slices.ContainsFunc(problems, func(p string) bool { return p != "" })
	before := s.answers
	s.answers = nil
	for i, r := range s.open {
		at := slices.IndexFunc(before, func(a answer) bool { return a.of == i })
		if hasProblems && problems[i] == "" && at >= 0 {
			s.answers = append(s.answers, before[at])
			continue
		}
		for problem := problems[i]; ; {
			var err error
			if s.typed[i], err = s.ask.Line(ctx, s.typed[i], completion(r), s.titles(i, problem)...); err != nil {
				return err
			}
			if strings.TrimSpace(s.typed[i]) == "" {
				break
			}
			given, err := s.answer(ctx, i)
			if err == nil {
				s.answers = append(s.answers, given)
				break
			}
			if ctx.Err() != nil {
				return err
			}
			problem = payments.Sentence(err.Error())
		}
	}
	return nil
}

// titles ask for the answer to a requirement, below what is wrong with the last one.
func (s *submitDialog) titles(i int, problem string) []string {
	r := s.open[i]
	what := "a value"
	if isDocument(r) {
		what = "a file"
	}
	title := fmt.Sprintf("%s: %s for %s (%d of %d; empty: leave it out)", brief(r.Name), what, s.account, i+1, len(s.open))
	if r.Deadline != nil {
		title += ", by " + cmdutil.Time(*r.Deadline)
	}
	if problem != "" {
		return []string{problem, title}
	}
	return []string{title}
}

// brief is a name that the service chooses, as a part of a sentence.
func brief(name string) string {
	const most = 60
	shown := []rune(ui.Sanitize(name))
	if len(shown) > most {
		shown = append(shown[:most], []rune("...")...)
	}
	return string(shown)
}

func completion(r payments.KYCRequirement) func(string) []string {
	if isDocument(r) {
		return watchui.CompletePath
	}
	return nil
}

// answer makes the answer to a requirement of what was entered.
func (s *submitDialog) answer(ctx context.Context, i int) (answer, error) {
	r := s.open[i]
	if !isDocument(r) {
		value := strings.TrimSpace(s.typed[i])
		return answer{KYCAnswer: payments.KYCAnswer{Name: r.Name, Value: value}, shown: value, of: i}, nil
	}
	path := filepath.Clean(watchui.EnteredPath(s.typed[i]))
	if path == "-" { // standard input has the keys
		path = "." + string(os.PathSeparator) + path
	}
	given, err := document(ctx, s.deps, r.Name, path)
	if err != nil {
		return answer{}, err
	}
	size := len(given.Document)/4*3 - strings.Count(given.Document, "=")
	shown := fmt.Sprintf("%s, %s, %s", path, bytesInWords(size), cmp.Or(given.ContentType, "of unknown type"))
	return answer{KYCAnswer: given, shown: shown, path: path, of: i}, nil
}

// bytesInWords is a size as file managers show it.
func bytesInWords(n int) string {
	const kilo = 1000
	switch {
	case n < kilo:
		return cmdutil.Count(n, "byte(s)")
	case n < kilo*kilo:
		return fmt.Sprintf("%.1f kB", float64(n)/kilo)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(kilo*kilo))
}

// summary says what will be sent, and to where.
func (s *submitDialog) summary() []string {
	lines := []string{"Submit this for " + s.account + "?"}
	if resolved, err := s.deps.Settings(); err == nil {
		lines[0] = "Submit this for " + s.account + " to " + resolved.Origin + "?"
	}
	for _, a := range s.answers {
		lines = append(lines, brief(a.Name)+": "+a.shown)
	}
	for i, r := range s.open {
		if !slices.ContainsFunc(s.answers, func(a answer) bool { return a.of == i }) {
			lines = append(lines, brief(r.Name)+": left out, it stays open")
		}
	}
	return lines
}

// send submits the answers. If the outcome is unknown, or the service was not reached, the same write can be tried
// again.
func (s *submitDialog) send(ctx context.Context) (payments.KYC, error) {
	var submission payments.KYCSubmission
	for _, a := range s.answers {
		submission.Requirements = append(submission.Requirements, a.KYCAnswer)
	}
	key := (&cmdutil.Key{}).Idempotency(s.deps)
	for {
		check, err := sendSubmission(ctx, s.service, s.account, submission, key)
		problem, ok := errors.AsType[*payments.ProblemError](err)
		if err == nil || ok && problem.Status >= 400 && problem.Status < 500 {
			return check, err
		}
		command := s.deps.WithServiceFlags(s.command(key.Key))
		if ok {
			problem.Next = command // not the line of the watch again, which sends nothing
		}
		if ctx.Err() != nil {
			return check, err
		}
		// What the error says to do next is for a command line.
		titles := append(watchui.Explain(s.deps, &cmdutil.Error{Cause: err}), "Try again, now or later with: "+command)
		options := []live.Option{
			{Key: "t", Label: "try again; it has its effect once"},
			{Key: "c", Label: "copy the command and go back to the list"},
			{Key: "b", Label: "back to the list"},
		}
		chosen, failed := s.ask.Choose(ctx, options, titles...)
		switch {
		case failed != nil && ctx.Err() != nil:
			return check, err // the outcome stays unknown
		case failed != nil:
			return check, failed
		case chosen == 1:
			s.ask.Copy(command)
		}
		if chosen > 0 {
			return check, live.ErrCancelled
		}
	}
}

// command is the line that submits the same answers again with the same key.
func (s *submitDialog) command(key string) string {
	first := s.answers[0]
	switch account := s.account; {
	case len(s.answers) > 1:
		return shell.Hint("payctl kyc submit --idempotency-key KEY --file NAME=PATH --field NAME=VALUE -- ACCOUNT",
			shell.Values{"KEY": key, "ACCOUNT": account})
	case first.Document != "":
		return shell.Hint("payctl kyc submit --idempotency-key KEY --file NAME=PATH -- ACCOUNT",
			shell.Values{"KEY": key, "NAME=PATH": first.Name + "=" + first.path, "ACCOUNT": account})
	default:
		return shell.Hint("payctl kyc submit --idempotency-key KEY --field NAME=VALUE -- ACCOUNT",
			shell.Values{"KEY": key, "NAME=VALUE": first.Name + "=" + first.Value, "ACCOUNT": account})
	}
}

// problems returns what is wrong with the answer to each requirement, or the error if it is about nothing of that.
func (s *submitDialog) problems(err error) ([]string, error) {
	problem, ok := errors.AsType[*payments.ProblemError](err)
	if !ok {
		return nil, err
	}
	problems, found := make([]string, len(s.open)), false
	for i, a := range s.answers {
		at := fmt.Sprintf("requirements[%d].", i)
		for _, field := range problem.Errors.Names() {
			if strings.HasPrefix(field, at) {
				text := strings.ReplaceAll(strings.Join(problem.Errors[field], " "), "The "+field+" field", a.Name)
				problems[a.of], found = text, true
			}
		}
	}
	if !found {
		return nil, err
	}
	return problems, nil
}
