package watchui

import (
	"context"
	"errors"
	"strings"

	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// A Part is a text about a row that can be copied. What follows a comma in its label is not repeated once it is copied.
type Part struct {
	live.Option
	Text func() (string, error)
}

// CopyPart copies the part that the user chooses.
func CopyPart(ctx context.Context, dialog Dialog, title string, parts []Part) (done string, err error) {
	options := make([]live.Option, len(parts))
	for i, part := range parts {
		options[i] = part.Option
	}
	chosen, err := dialog.Choose(ctx, options, title)
	if err != nil {
		return "", err
	}
	text, err := parts[chosen].Text()
	if err != nil {
		return "", err
	}
	dialog.Copy(text)
	what, _, _ := strings.Cut(parts[chosen].Label, ",")
	return "Copied: " + what + ", if the terminal allows it.", nil
}

// ShellWord returns a text as a word that a shell, into which it is pasted, does not run.
func ShellWord(text string) (string, error) {
	word, ok := shell.Word(ui.Sanitize(text))
	if !ok {
		return "", errors.New("it has characters that cannot be pasted into a shell")
	}
	return word, nil
}

// copy copies a part of a subject or, of several subjects, their identifiers or the commands that show them.
func (a *actions) copy(ctx context.Context, dialog Dialog, rows []live.Row) (string, error) {
	joined := func(of func(id string) (string, error)) func() (string, error) {
		return func() (text string, err error) {
			lines := make([]string, len(rows))
			for i, row := range rows {
				if lines[i], err = of(row.ID); err != nil {
					return "", err
				}
			}
			return strings.Join(lines, "\n"), nil
		}
	}
	identifiers := Part{live.Option{Key: "i", Label: "identifier"}, joined(ShellWord)}
	commands := Part{
		live.Option{Key: "c", Label: "command that shows it"},
		joined(func(id string) (string, error) { return a.deps.WithServiceFlags(a.Command(id)), nil }),
	}
	what, parts := a.count(len(rows)), []Part{identifiers, commands}
	if len(rows) == 1 {
		what, parts = rows[0].ID, append(parts, a.partsOf(ctx, dialog, rows[0].ID)...)
	}
	return CopyPart(ctx, dialog, "Copy what of "+what+"?", parts)
}

// partsOf are the parts of a single subject that have to be read.
func (a *actions) partsOf(ctx context.Context, dialog Dialog, id string) (parts []Part) {
	add := func(key, label string, text func() (string, error)) {
		parts = append(parts, Part{live.Option{Key: key, Label: label}, text})
	}
	if a.Email != nil {
		label := "e-mail address"
		if !dialog.Personal() {
			label += " (first show personal data with P)"
		}
		add("e", label, func() (string, error) { return a.email(ctx, dialog, id) })
	}
	if a.Link != nil {
		add("l", "link", func() (string, error) {
			link, _, err := a.link(ctx, id)
			return link, err
		})
	}
	add("j", "JSON", func() (string, error) {
		subject, err := a.Read(ctx, id)
		if err != nil {
			return "", err
		}
		lines, err := ui.JSONLines(subject)
		return strings.Join(lines, "\n"), err
	})
	add("r", "reply to the person, for a ticket", func() (string, error) { return a.Reply(ctx, id, dialog.Personal()) })
	return parts
}

// email reads the e-mail address of a subject, which is not copied while personal data is not shown.
func (a *actions) email(ctx context.Context, dialog Dialog, id string) (string, error) {
	if !dialog.Personal() {
		return "", errors.New("the e-mail address is personal data: press P first")
	}
	email, err := a.Email(ctx, id)
	return ui.Sanitize(email), err
}
