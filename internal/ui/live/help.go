package live

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/payctl/payctl/internal/ui"
)

// A keyHelp is a key and what it does.
type keyHelp struct{ keys, does string }

// helpKeys lists all keys.
func (m *model) helpKeys() []keyHelp {
	config := &m.view.config
	keys := []keyHelp{
		{"up down j k", "move by a row; PgUp PgDn by a screen"},
		{"g G Home End", "first and last row"},
	}
	if config.Details != nil {
		keys = append(keys, keyHelp{"Enter Esc", "to the details and back"},
			keyHelp{"n p", "in the details: next and previous row"})
	}
	if n := len(config.Groups); n > 0 {
		var names []string
		for i, g := range config.Groups {
			names = append(names, strconv.Itoa(i+1)+" "+g.Name)
		}
		does := "only a part of the list: " + strings.Join(names, ", ") + "; 0 all"
		keys = append(keys, keyHelp{"1 to " + strconv.Itoa(n), does})
	}
	keys = append(keys,
		keyHelp{"/", "filter: words, and fields such as " + m.exampleFilter()},
		keyHelp{"", "fields: " + strings.Join(fieldNames(config.Columns), " ")},
		keyHelp{"", "field:text contains, field=text is, field<2d field>2d, -word not"},
		keyHelp{"S", "sort by the next column"},
	)
	keys = append(keys, keyHelp{"Space", "mark the row for an action on several"})
	for _, a := range config.Actions {
		keys = append(keys, keyHelp{a.Key, a.Name})
	}
	keys = append(keys, keyHelp{"c", "copy the identifier"})
	if config.HasPersonal {
		keys = append(keys, keyHelp{"P", "show personal data for a minute"})
	}
	redraw := keyHelp{"Ctrl-L", "draw the screen again"}
	if m.suspends {
		redraw = keyHelp{"Ctrl-L Ctrl-Z", "draw the screen again; suspend, until fg"}
	}
	return append(keys, redraw, keyHelp{"q Ctrl-C", "quit, interrupt"})
}

// exampleFilter shows fields that there are.
func (m *model) exampleFilter() string {
	var examples []string
	for _, c := range m.view.config.Columns {
		switch c.MachineName() {
		case "status", "state":
			examples = append(examples, c.MachineName()+":approved")
		case "age":
			examples = append(examples, "age>2d")
		case "country":
			examples = append(examples, "country:DE")
		}
	}
	return strings.Join(examples, " ")
}

// helpLines is the screen with all keys.
func (m *model) helpLines() []string {
	const keyWidth = 14
	var all []string
	for _, k := range m.helpKeys() {
		head := m.paint(ui.Bold, m.fit(k.keys, min(keyWidth, m.width)))
		for _, text := range m.view.config.Streams.Wrap(k.does, m.width-keyWidth-1, mostWrapped) {
			all = append(all, head+" "+text)
			head = strings.Repeat(" ", min(keyWidth, m.width))
		}
	}
	height := max(m.height-2, 1)
	m.helpTop = max(min(m.helpTop, len(all)-height), 0)
	lines := []string{m.paint(ui.Bold, m.fit("Keys", m.width))}
	lines = append(lines, pad(all[m.helpTop:min(m.helpTop+height, len(all))], height)...)
	last := "any other key: back"
	if len(all) > height {
		last = fmt.Sprintf("up/down: lines %d-%d of %d   ", m.helpTop+1, min(m.helpTop+height, len(all)), len(all)) + last
	}
	lines = append(lines, m.paint(ui.Dim, m.cut(last, m.width)))
	return lines[:min(len(lines), m.height)]
}
