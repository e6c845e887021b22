package e2e

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// A consoleBlock is what a reader types at a terminal, with the comment in front of it.
type consoleBlock struct {
	setup    []string // shell lines
	answers  [][2]string
	apart    bool // at another terminal
	commands []consoleCommand
}

// A consoleCommand is a command of a page, and the lines below that it is to print.
type consoleCommand struct {
	line     int // of the page, from 1
	text     string
	from, to int // the lines of its output, from 0
	output   []string
}

// consoleBlocks reads the blocks of a page.
func consoleBlocks(lines []string) (blocks []consoleBlock, err error) {
	var next consoleBlock
	for i := 0; i < len(lines); i++ {
		switch line := lines[i]; {
		case line == "<!-- test":
			for i++; i < len(lines) && lines[i] != "-->"; i++ {
				next.prepare(lines[i])
			}
		case strings.HasPrefix(line, "<!-- test: "):
			next.prepare(strings.TrimSuffix(strings.TrimPrefix(line, "<!-- test: "), " -->"))
		case line == "```console":
			begin := i + 1
			for i++; i < len(lines) && lines[i] != "```"; i++ {
			}
			if next.commands, err = consoleCommands(lines[:i], begin); err != nil {
				return nil, err
			}
			blocks, next = append(blocks, next), consoleBlock{}
		case strings.HasPrefix(line, "```"):
			for i++; i < len(lines) && lines[i] != "```"; i++ {
				if strings.HasPrefix(lines[i], "$ ") {
					return nil, fmt.Errorf("line %d has a prompt, but is not in a block of console", i+1)
				}
			}
		case strings.HasPrefix(line, "    $ "):
			return nil, fmt.Errorf("line %d has a prompt, but is not in a block of console", i+1)
		}
	}
	if next.setup != nil || next.answers != nil || next.apart {
		return nil, errors.New("a comment <!-- test has no block of console below")
	}
	return blocks, nil
}

// prepare reads a line of the comment in front of a block.
func (b *consoleBlock) prepare(line string) {
	if answer, ok := strings.CutPrefix(line, "@type "); ok {
		text, question, _ := strings.Cut(answer, " after ")
		b.answers = append(b.answers, [2]string{question, text})
	} else if line == "@another terminal" {
		b.apart = true
	} else {
		b.setup = append(b.setup, line)
	}
}

var hereDocument = regexp.MustCompile(`<<'?(\w+)'?`)

// consoleCommands reads the commands from a line of a page up to the last one.
func consoleCommands(lines []string, i int) (commands []consoleCommand, err error) {
	for i < len(lines) {
		first, ok := strings.CutPrefix(lines[i], "$ ")
		if !ok {
			return nil, fmt.Errorf("line %d is below no command", i+1)
		}
		command := consoleCommand{line: i + 1, text: first}
		more := func() {
			i++
			if i < len(lines) {
				command.text += "\n" + lines[i]
			}
		}
		for strings.HasSuffix(lines[min(i, len(lines)-1)], `\`) && i < len(lines) {
			more()
		}
		if here := hereDocument.FindStringSubmatch(first); here != nil {
			for more(); i < len(lines) && lines[i] != here[1]; {
				more()
			}
		}
		i++
		command.from = i
		for i < len(lines) && !strings.HasPrefix(lines[i], "$ ") {
			i++
		}
		for command.to = i; command.to > command.from && lines[command.to-1] == ""; {
			command.to--
		}
		command.output = lines[command.from:command.to]
		commands = append(commands, command)
	}
	return commands, nil
}
