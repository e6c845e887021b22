package cmdutil

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/windows"
)

// splitWords splits a text as programs split their command line: at spaces outside of double quotes. A backslash is
// part of a path.
func splitWords(text string) ([]string, error) { return windows.DecomposeCommandLine(text) }

// commandCharacters are what cmd.exe reads in the arguments of a batch file as something else than text, even between
// quotation marks, since a quotation mark in an argument ends them for it.
const commandCharacters = "\"%&|<>^\r\n"

// CheckArguments refuses arguments of batch files that cmd.exe, which Windows starts for them, would take for commands
// or variables. Go quotes arguments for other programs, and cmd.exe has no quotes for all of them (see CVE-2024-24576).
// The same goes for the path of the batch file, of which Go quotes none without a space. The path may be without its
// extension, which os/exec finds when it starts the program.
func CheckArguments(path string, args []string) error {
	if found, err := exec.LookPath(path); err == nil || errors.Is(err, exec.ErrDot) {
		path = found
	}
	if !isBatchFile(path) {
		return nil
	}
	if strings.Contains(path, "%") || !strings.Contains(path, " ") && strings.ContainsAny(path, "&^,;=") {
		return fmt.Errorf("it is a batch file, and its path %s cannot be quoted: move it to a folder without %% & ^ , ; and =",
			path)
	}
	for _, arg := range args {
		if strings.ContainsAny(arg, commandCharacters) {
			return fmt.Errorf("it is a batch file, for which the argument %q cannot be quoted", arg)
		}
	}
	return nil
}

// checkVariables refuses variables, of the form NAME=VALUE, that a batch file runs as commands where it writes %NAME%:
// cmd.exe puts the value there before it looks for commands, between quotation marks too.
func checkVariables(path string, variables []string) error {
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

// LeaveInterrupts leaves Ctrl-C and Ctrl-Break to a program that was started at the console, which gets them as well
// and decides what they do, as under a shell. They are received and dropped: Windows ends a program that does not
// handle them.
func LeaveInterrupts() {
	signal.Reset(os.Interrupt)
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
}

// startRun starts a run in a process group and a job object of its own: Ctrl-C at the console does not interrupt it,
// and it can be ended with all processes that it started. end is called after the run; it ends what is left if that is
// wanted.
func startRun(cmd *exec.Cmd) (end func(kill bool), err error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	job, err := StartJob(cmd)
	if err != nil {
		return nil, err
	}
	cmd.Cancel = func() error {
		pid := uint32(cmd.Process.Pid)
		if err := windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, pid); err != nil { // there is no console
			job.Terminate()
		}
		return nil
	}
	return func(kill bool) {
		if !kill {
			_ = job.limit(0) // what is left may outlive the job
		}
		job.Close()
	}, nil
}
