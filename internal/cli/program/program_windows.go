package program

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// splitWords splits a text as programs split their command line: at spaces outside of double quotes. A backslash is part
// of a path.
func splitWords(text string) ([]string, error) { return windows.DecomposeCommandLine(text) }

// errNoProgram is the reason for a file that Windows cannot run, such as a script.
var errNoProgram = errors.New("files of this kind cannot be run by themselves: write the program that runs them before it, " +
	"as in powershell -File hook.ps1")

// checkKind refuses scripts of PowerShell before anything depends on their runs.
func checkKind(path string) error {
	if strings.EqualFold(filepath.Ext(path), ".ps1") {
		return errNoProgram
	}
	return nil
}

// commandCharacters are what cmd.exe reads in the arguments of a batch file as something else than text, even between
// quotation marks, since a quotation mark in an argument ends them for it.
const commandCharacters = "\"%&|<>^\r\n"

// CheckArguments refuses arguments of batch files that cmd.exe, which Windows starts for them, would take for commands
// or variables. Go quotes arguments for other programs, and cmd.exe has no quotes for all of them (see CVE-2024-24576).
// The same goes for the path of the batch file. The path may be without its extension, which os/exec finds when it
// starts the program.
func CheckArguments(path string, args []string) error {
	if found, err := exec.LookPath(path); err == nil || errors.Is(err, exec.ErrDot) {
		path = found
	}
	if !isBatchFile(path) {
		return nil
	}
	// Go quotes a path only if it has a space. To cmd.exe an unquoted one also ends at a comma, a semicolon or an
	// equals sign.
	if strings.Contains(path, "%") || !strings.Contains(path, " ") && strings.ContainsAny(path, "&^,;=") {
		return fmt.Errorf("it is a batch file, and its path %s cannot be quoted: move it to a folder without %% & ^ , ; and =",
			path)
	}
	for _, arg := range args {
		if strings.ContainsAny(arg, commandCharacters) {
			return fmt.Errorf("it is a batch file, for which the argument %q cannot be quoted: leave out \" %% & | < > ^ "+
				"and line breaks, or write another program", arg)
		}
	}
	return nil
}

// CheckVariables refuses variables, of the form NAME=VALUE, that a batch file runs as commands where it writes %NAME%: cmd.exe
// puts the value there before it looks for commands, between quotation marks too.
func CheckVariables(path string, variables []string) error {
	if !isBatchFile(path) && !strings.EqualFold(filepath.Base(path), "cmd.exe") {
		return nil
	}
	for _, variable := range variables {
		if strings.ContainsAny(variable, commandCharacters) {
			return fmt.Errorf("it was not run: a batch file could run a part of %q as a command", variable)
		}
	}
	return nil
}

func isBatchFile(path string) bool {
	switch strings.ToLower(filepath.Ext(strings.TrimRight(path, ". "))) { // Windows ignores dots and spaces at the end
	case ".bat", ".cmd":
		return true
	}
	return false
}

// whyNotFound corrects the reason that os/exec gives for a path.
func whyNotFound(failed *exec.Error) error {
	if !errors.Is(failed.Err, exec.ErrNotFound) || !strings.ContainsAny(failed.Name, `:\/`) {
		return failed.Err
	}
	if _, err := os.Stat(failed.Name); err != nil {
		return fs.ErrNotExist
	}
	return errors.New("its name has no extension of a program: PATHEXT lists them, such as .exe")
}

func whyNotStarted(failed *fs.PathError) error {
	if errors.Is(failed.Err, windows.ERROR_BAD_EXE_FORMAT) {
		return errNoProgram
	}
	return failed.Err
}

// LeaveInterrupts leaves Ctrl-C and Ctrl-Break to a program that was started at the console, which gets them as well and
// decides what they do, as under a shell. They are received and dropped: Windows ends a program that does not handle them.
func LeaveInterrupts() {
	signal.Reset(os.Interrupt)
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
}
