package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/payctl/payctl/internal/ui"
)

// ErrCancelled is the error of a question that the user has closed with Esc.
var ErrCancelled = errors.New("cancelled")

// A Dialog asks the user questions below the list, for an action, one at a time.
type Dialog struct {
	view *View
	// Personal reports whether personal data is shown on the screen.
	Personal bool
}

// An Option is one of several answers. Key, a single character, chooses it at once; it may be empty.
type Option struct{ Key, Label string }

const (
	// longestAnswer bounds a line of text, in bytes: as long as a path may be on Linux.
	longestAnswer = 4 << 10
	// mostKeyed is how many options can be chosen by their keys. More are filtered by typing.
	mostKeyed = 9
	// mostTitleLines is how many lines of the screen a title may take.
	mostTitleLines = 6
	// mostCandidates is how many completions are shown.
	mostCandidates = 50
)

// Choose asks for one of the options and returns its index. Each title is a line; a line break within one is shown as
// \n. The error is ErrCancelled or that of the context.
func (d *Dialog) Choose(ctx context.Context, options []Option, titles ...string) (int, error) {
	q := &question{titles: titles, options: options}
	q.match()
	if err := d.ask(ctx, q); err != nil {
		return 0, err
	}
	return q.matches[q.index], nil
}

// Line asks for a line of text, which is at first as given. Complete, which may be nil, returns what a text can be
// completed to; the view goes on while it is called. Titles and errors are those of Choose.
func (d *Dialog) Line(
	ctx context.Context, initial string, complete func(text string) []string, titles ...string,
) (string, error) {
	q := &question{titles: titles, editor: &editor{}, complete: complete}
	q.editor.insert(initial)
	if err := d.ask(ctx, q); err != nil {
		return "", err
	}
	return q.editor.text, nil
}

// Confirm shows some lines and asks whether to go on. The error is ErrCancelled if the answer is no, or that of the
// context.
func (d *Dialog) Confirm(ctx context.Context, lines ...string) error {
	return d.ask(ctx, &question{titles: lines, confirms: true})
}

// Copy copies a text to the clipboard (OSC 52), which the terminal has to allow.
func (d *Dialog) Copy(text string) {
	if program := d.view.program.Load(); program != nil {
		program.Send(tea.SetClipboard(text)())
	}
}

// ask shows a question until it is answered or the context ends. With an error of the context the loop may still use
// the question.
func (d *Dialog) ask(ctx context.Context, q *question) error {
	q.answered = make(chan error, 1)
	d.view.send(func(m *model) { q.model, m.question = m, q })
	select {
	case err := <-q.answered:
		return err
	case <-ctx.Done():
		d.view.send(func(m *model) {
			if m.question == q {
				m.question = nil
			}
		})
		return context.Cause(ctx)
	}
}

// A question is what a dialog asks at present: to choose an option, to confirm something, or for a line of text. Only
// the program's loop uses it while it is asked.
type question struct {
	model    *model
	answered chan error
	titles   []string // lines
	top      int      // the first line of a confirmation that is shown

	options []Option
	matches []int  // the options that contain the filter
	filter  string // what has been typed, if there are more than mostKeyed options
	index   int    // of the selected option in matches

	confirms bool
	tells    bool // only shows the titles

	editor     *editor // nil: the question is not for a line of text
	complete   func(text string) []string
	candidates []string // what the text can be completed to, as it is shown
	completing bool     // complete is being called
	tabs       int      // calls of complete that were begun or given up
	waiting    []tea.KeyPressMsg
}

// newNotice returns a question that only shows a text until a key is pressed.
func newNotice(m *model, text string) *question {
	return &question{model: m, titles: strings.Split(text, "\n"), tells: true, answered: make(chan error, 1)}
}

// answer ends the question.
func (q *question) answer(err error) {
	q.model.question = nil
	q.answered <- err
}

// press handles a key while there is a question.
func (q *question) press(key tea.KeyPressMsg) {
	switch name := key.String(); {
	case name == "esc":
		q.answer(ErrCancelled)
	case q.editor != nil:
		q.pressInLine(key)
	case q.confirms || q.tells:
		q.pressInLines(name)
	default:
		q.pressInOptions(key)
	}
}

// paste handles a text that is pasted while there is a question.
func (q *question) paste(text string) {
	switch {
	case q.editor != nil:
		q.typed()
		q.editor.insert(strings.TrimRight(text, "\r\n"))
	case q.filters():
		q.setFilter(q.filter + strings.TrimSpace(text))
	}
}

// pressInLines handles a key while something is to be confirmed. Enter is no answer, so that it is not given by habit.
func (q *question) pressInLines(name string) {
	switch name {
	case "y", "Y":
		if q.confirms {
			q.answer(nil)
		}
	case "n", "N":
		if q.confirms {
			q.answer(ErrCancelled)
		}
	case "enter", "q":
		if q.tells {
			q.answer(nil)
		}
	case "up", "k":
		q.top-- // lines keeps it in bounds
	case "down", "j":
		q.top++
	case "pgup":
		q.top -= q.model.height / 2
	case "pgdown", "space":
		q.top += q.model.height / 2
	}
}

// filters reports whether typing filters the options.
func (q *question) filters() bool { return len(q.options) > mostKeyed }

func (q *question) setFilter(filter string) {
	q.filter = filter[:min(len(filter), longestFilter)]
	q.match()
}

// match selects the first option that contains the filter.
func (q *question) match() {
	q.matches, q.index = nil, 0
	for i, option := range q.options {
		if strings.Contains(strings.ToLower(option.Label), strings.ToLower(q.filter)) {
			q.matches = append(q.matches, i)
		}
	}
}

// pressInOptions handles a key while an option is to be chosen.
func (q *question) pressInOptions(key tea.KeyPressMsg) {
	name := key.String()
	hasKey := func(o Option) bool { return o.Key != "" && o.Key == name }
	if i := slices.IndexFunc(q.options, hasKey); i >= 0 && !q.filters() {
		q.index = i
		q.answer(nil)
		return
	}
	last := len(q.matches) - 1
	switch name {
	case "enter":
		if last >= 0 {
			q.answer(nil)
		}
	case "up", "ctrl+p":
		q.index--
	case "down", "ctrl+n":
		q.index++
	case "pgup":
		q.index -= q.model.height / 2
	case "pgdown":
		q.index += q.model.height / 2
	case "home":
		q.index = 0
	case "end":
		q.index = last
	case "backspace":
		q.setFilter(withoutLast(q.filter))
	case "ctrl+u", "ctrl+w":
		q.setFilter("")
	default:
		if q.filters() && key.Text != "" {
			q.setFilter(q.filter + key.Text)
		}
	}
	q.index = max(min(q.index, len(q.matches)-1), 0)
}

// pressInLine handles a key while a line of text is asked for. Tab and Enter wait for an earlier Tab; any other key
// puts an end to it.
func (q *question) pressInLine(key tea.KeyPressMsg) {
	name := key.String()
	if q.completing && (name == "tab" || name == "enter") {
		q.waiting = append(q.waiting, key)
		return
	}
	q.typed()
	switch name {
	case "tab":
		q.findCandidates()
	case "enter":
		q.answer(nil)
	default:
		q.editor.press(key)
	}
}

// typed forgets the completions of an earlier text.
func (q *question) typed() {
	q.candidates, q.waiting, q.completing = nil, nil, false
	q.tabs++
}

// findCandidates completes the text before the cursor. Finding out to what may take a while, as on a slow disk.
func (q *question) findCandidates() {
	if q.complete == nil {
		return
	}
	q.completing = true
	m, before, tab := q.model, q.editor.text[:q.editor.at], q.tabs
	go func() {
		candidates := q.complete(before)
		m.view.send(func(m *model) {
			if m.question != q || tab != q.tabs {
				return
			}
			q.completing = false
			q.offer(before, candidates)
			waiting := q.waiting
			q.waiting = nil
			for _, key := range waiting {
				if m.question == q {
					q.pressInLine(key)
				}
			}
		})
	}()
}

// offer completes the text before the cursor as far as all candidates are alike, and shows them if that adds nothing.
func (q *question) offer(before string, candidates []string) {
	common := commonPrefix(candidates)
	if len(candidates) == 0 || !strings.HasPrefix(common, before) {
		q.candidates = []string{"nothing begins like this"}
		return
	}
	if len(common) > len(before) {
		q.editor.insert(common[len(before):])
	}
	if len(candidates) == 1 || len(common) > len(before) {
		return
	}
	q.candidates = nil
	folder := strings.LastIndexAny(common, `/\`) + 1
	for _, candidate := range candidates[:min(len(candidates), mostCandidates)] {
		q.candidates = append(q.candidates, candidate[folder:])
	}
	if more := len(candidates) - mostCandidates; more > 0 {
		q.candidates = append(q.candidates, fmt.Sprintf("and %d more", more))
	}
}

func commonPrefix(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	first, last := slices.Min(texts), slices.Max(texts)
	end := 0
	for i, r := range first {
		if !strings.HasPrefix(last[i:], string(r)) {
			break
		}
		end = i + len(string(r))
	}
	return first[:end]
}

// keys names the keys of the question, those that matter most first.
func (q *question) keys() string {
	switch {
	case q.editor != nil && q.complete != nil:
		return "enter go on  esc cancel  tab complete  ctrl-u delete all"
	case q.editor != nil:
		return "enter go on  esc cancel  ctrl-u delete all"
	case q.confirms:
		return "y yes  n no"
	case q.tells:
		return "enter back"
	case q.filters():
		return "enter choose  esc cancel  up/down move  type to filter"
	}
	return "enter choose  esc cancel  up/down move"
}

// lines draws the question within so many lines and the columns of the screen.
func (q *question) lines(m *model, height int) []string {
	height = max(height, 1)
	title := q.titleLines(m)
	switch {
	case q.editor != nil:
		return q.drawLine(m, title, height)
	case q.confirms || q.tells:
		return q.drawConfirmation(m, title, height)
	}
	return q.drawOptions(m, title, height)
}

// drawConfirmation draws what is to be confirmed, or as much of it as there is room for.
func (q *question) drawConfirmation(m *model, lines []string, height int) []string {
	if len(lines) <= height {
		return lines
	}
	body := max(height-1, 1)
	q.top = max(min(q.top, len(lines)-body), 0)
	place := fmt.Sprintf("lines %d-%d of %d  up/down scroll", q.top+1, q.top+body, len(lines))
	return append(slices.Clone(lines[q.top:q.top+body]), m.paint(ui.Dim, m.fit(place, m.width)))[:height]
}

// titleLines breaks the titles into the lines of the screen.
func (q *question) titleLines(m *model) (lines []string) {
	for _, line := range q.titles {
		for _, part := range m.view.config.Streams.Wrap(line, m.width, mostTitleLines) {
			lines = append(lines, m.paint(ui.Bold, part))
		}
	}
	return lines
}

// drawOptions draws the options around the selected one, with as much of the title as there is room for.
func (q *question) drawOptions(m *model, title []string, height int) []string {
	if q.filters() {
		title = append(title, m.fit("/"+q.filter+"_", m.width))
	}
	body := max(min(len(q.options), height-len(title)), 1)
	if least := min(len(q.options), 3); body < least {
		body = max(min(least, height-1), 1)
	}
	title = title[max(len(title)-(height-body), 0):]
	top := max(min(q.index-body/2, len(q.matches)-body), 0)
	for i := top; i < min(top+body, len(q.matches)); i++ {
		option := q.options[q.matches[i]]
		mark, tone, label := "  ", ui.Plain, option.Label
		if i == q.index {
			mark, tone = m.symbol(">", "▸")+" ", ui.Bold
		}
		if option.Key != "" && !q.filters() {
			label = option.Key + "  " + label
		}
		if i == top+body-1 && body < len(q.matches) {
			label += fmt.Sprintf("   (%d of %d)", q.index+1, len(q.matches))
		}
		title = append(title, m.paint(tone, m.fit(mark+label, m.width)))
	}
	if len(q.matches) == 0 {
		title = append(title, m.fit("  nothing matches", m.width))
	}
	return title
}

// drawLine draws the line of text with as much of the title and of the candidates as there is room for.
func (q *question) drawLine(m *model, title []string, height int) []string {
	var below []string
	if len(q.candidates) > 0 {
		below = m.view.config.Streams.Wrap(strings.Join(q.candidates, "  "), m.width, max(height-2, 1))
	}
	room := max(height-1-len(below), 0)
	if len(title) > room { // the end of a title asks for the text
		title = title[len(title)-room:]
	}
	lines := append(title, q.editor.draw(m))
	for _, line := range below {
		lines = append(lines, m.paint(ui.Dim, line))
	}
	return lines[:min(len(lines), height)]
}

// An editor is a line of text with a cursor.
type editor struct {
	text string
	at   int // the cursor, in bytes; between two characters as a person sees them
}

// insert inserts a text at the cursor, without what no line has.
func (e *editor) insert(text string) {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\r', r == '\t':
			return ' '
		case unicode.IsControl(r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, text)
	if room := longestAnswer - len(e.text); len(text) > room {
		text = strings.ToValidUTF8(text[:room], "")
	}
	e.text = e.text[:e.at] + text + e.text[e.at:]
	e.at += len(text)
}

// press handles a key.
func (e *editor) press(key tea.KeyPressMsg) {
	switch key.String() {
	case "left", "ctrl+b":
		e.at = e.before()
	case "right", "ctrl+f":
		e.at = e.behind()
	case "home", "ctrl+a":
		e.at = 0
	case "end", "ctrl+e":
		e.at = len(e.text)
	case "backspace", "ctrl+h":
		e.delete(e.before(), e.at)
	case "delete", "ctrl+d":
		e.delete(e.at, e.behind())
	case "ctrl+u":
		e.delete(0, e.at)
	case "ctrl+k":
		e.delete(e.at, len(e.text))
	case "ctrl+w", "alt+backspace":
		words := strings.TrimRight(e.text[:e.at], " /")
		e.delete(strings.LastIndexAny(words, " /")+1, e.at)
	default:
		e.insert(key.Text)
	}
}

// delete deletes the bytes between two positions, at one of which the cursor is.
func (e *editor) delete(from, to int) {
	e.text = e.text[:from] + e.text[to:]
	e.at = from
}

// before returns the beginning of the character before the cursor.
func (e *editor) before() (start int) {
	for next := 0; next < e.at; {
		start = next
		next += len(firstCharacter(e.text[next:]))
	}
	return start
}

// behind returns the end of the character at the cursor.
func (e *editor) behind() int { return e.at + len(firstCharacter(e.text[e.at:])) }

// firstCharacter returns the first character of a text as a person sees it, with its accents.
func firstCharacter(text string) string {
	if text == "" {
		return ""
	}
	character, _ := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
	return character
}

// withoutLast returns a text without its last character.
func withoutLast(text string) string {
	e := editor{text: text, at: len(text)}
	return text[:e.before()]
}

// The cursor is drawn in reverse video, which is no colour.
const reverse, upright = "\x1b[7m", "\x1b[27m"

// draw draws the part of the text around the cursor that fits the screen.
func (e *editor) draw(m *model) string {
	const prompt = "> "
	width := m.width - len(prompt)
	if width < 2 {
		return m.fit(prompt, m.width)
	}
	var parts []string // of the text
	cursor := 0        // its index in parts
	for rest := e.text; rest != ""; {
		character := firstCharacter(rest)
		if len(e.text)-len(rest) < e.at {
			cursor++
		}
		parts = append(parts, m.view.config.Streams.Cut(character, width)) // sanitised, it may be wide
		rest = rest[len(character):]
	}
	parts = append(parts, " ") // where the cursor is behind the text
	// Characters are taken in on both sides of the cursor, as long as there is room, the left side first.
	first, last := cursor, cursor
	left := width - ui.CellWidth(parts[cursor])
	for grows := true; grows; {
		grows = false
		if first > 0 && ui.CellWidth(parts[first-1]) <= left {
			first--
			left -= ui.CellWidth(parts[first])
			grows = true
		}
		if last < len(parts)-1 && (last-cursor < width/4 || first == 0) && ui.CellWidth(parts[last+1]) <= left {
			last++
			left -= ui.CellWidth(parts[last])
			grows = true
		}
	}
	mark := prompt
	if first > 0 {
		mark = "< "
	}
	before, behind := strings.Join(parts[first:cursor], ""), strings.Join(parts[cursor+1:last+1], "")
	return mark + before + reverse + parts[cursor] + upright + behind
}
