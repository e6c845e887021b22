package live

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/payctl/payctl/internal/ui"
)

// A question is what a dialog asks at present: to choose an option, to confirm something, or for a line of text. Only
// the program's loop uses it while it is asked.
type question struct {
	model    *model
	answered chan error
	titles   []string // lines
	top      int      // the first line of a confirmation that is shown

	options []Option
	matches []int  // indexes of the options that the filter finds
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

// answer ends the question. The loop uses it no more, since the dialog reads the answer.
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
	q.filter = shortened(filter)
	q.match()
}

// match selects the first option that the filter finds.
func (q *question) match() {
	labels := make([]string, len(q.options))
	for i, option := range q.options {
		labels[i] = option.Label
	}
	q.matches, q.index = matching(labels, q.filter), 0
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
		return
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
	default:
		if filter := typed(q.filter, key); q.filters() && filter != q.filter {
			q.setFilter(filter)
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
