package e2e

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// shellPrograms are programs that the scenarios run and that Windows lacks. Other systems have them.
func shellPrograms() map[string]func() {
	return map[string]func(){
		"sh":   func() { os.Exit(runShell(context.Background(), os.Args[1:])) },
		"true": func() {},
	}
}

// runShell is `sh FILE [ARG…]` and `sh -c TEXT [NAME [ARG…]]`. A script that a scenario starts ends with its scenario.
func runShell(ctx context.Context, args []string) int {
	err := func() error {
		var script io.Reader
		var name string
		switch {
		case len(args) > 1 && args[0] == "-c":
			script, name, args = strings.NewReader(args[1]), "sh", args[min(3, len(args)):]
		case len(args) > 0:
			file, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer file.Close()
			script, name, args = file, args[0], args[1:]
		default:
			return errors.New("usage: sh FILE [ARG…] or sh -c TEXT [NAME [ARG…]]")
		}
		program, err := syntax.NewParser().Parse(script, name)
		if err != nil {
			return err
		}
		shell, err := interp.New(interp.StdIO(os.Stdin, os.Stdout, os.Stderr), interp.ExecHandlers(runTool),
			interp.Params(append([]string{"--"}, args...)...))
		if err != nil {
			return err
		}
		return shell.Run(ctx, program)
	}()
	if status, ok := errors.AsType[interp.ExitStatus](err); ok {
		return int(status)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sh:", err)
		return 1
	}
	return 0
}

// runTool runs the few system tools that scripts of the scenarios use, and leaves every other program to next. The
// tools know only the flags that these scripts use.
func runTool(next interp.ExecHandlerFunc) interp.ExecHandlerFunc {
	return func(ctx context.Context, args []string) error {
		tool := tools()[args[0]]
		if tool == nil {
			return next(ctx, args)
		}
		call := interp.HandlerCtx(ctx)
		err := tool(call, args[1:])
		if _, ok := errors.AsType[interp.ExitStatus](err); err != nil && !ok {
			fmt.Fprintf(call.Stderr, "%s: %v\n", args[0], err)
			return interp.ExitStatus(2)
		}
		return err
	}
}

// A tool runs with the files and the folder of a shell's call.
type tool func(call interp.HandlerContext, args []string) error

func tools() map[string]tool {
	return map[string]tool{
		"cat":   cat,
		"env":   env,
		"grep":  grep,
		"rmdir": rmdir,
		"sleep": sleep,
		"touch": touch,
	}
}

// input opens a file of a shell's call. Without a file it returns the call's standard input.
func input(call interp.HandlerContext, files []string) (io.ReadCloser, error) {
	if len(files) == 0 {
		return io.NopCloser(call.Stdin), nil
	}
	return os.Open(within(call, files[0]))
}

func within(call interp.HandlerContext, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(call.Dir, path)
}

func cat(call interp.HandlerContext, files []string) error {
	in, err := input(call, files)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = io.Copy(call.Stdout, in)
	return err
}

func env(call interp.HandlerContext, _ []string) error {
	for name, value := range call.Env.Each {
		if value.Exported {
			fmt.Fprintf(call.Stdout, "%s=%s\n", name, value.String())
		}
	}
	return nil
}

// grep is `grep [-c | -o | -v] PATTERN [FILE]`. Patterns have the syntax of Go.
func grep(call interp.HandlerContext, args []string) error {
	flag := ""
	if strings.HasPrefix(args[0], "-") {
		flag, args = args[0], args[1:]
	}
	pattern, err := regexp.Compile(args[0])
	if err != nil {
		return err
	}
	in, err := input(call, args[1:])
	if err != nil {
		return err
	}
	defer in.Close()
	found := 0
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if pattern.MatchString(lines.Text()) == (flag == "-v") {
			continue
		}
		found++
		switch flag {
		case "-c":
		case "-o":
			fmt.Fprintln(call.Stdout, pattern.FindString(lines.Text()))
		default:
			fmt.Fprintln(call.Stdout, lines.Text())
		}
	}
	if flag == "-c" {
		fmt.Fprintln(call.Stdout, found)
	}
	if found == 0 && lines.Err() == nil {
		return interp.ExitStatus(1)
	}
	return lines.Err()
}

func rmdir(call interp.HandlerContext, args []string) error { return os.Remove(within(call, args[0])) }

func sleep(_ interp.HandlerContext, args []string) error {
	pause, err := time.ParseDuration(args[0] + "s")
	<-time.After(pause)
	return err
}

func touch(call interp.HandlerContext, args []string) error {
	file, err := os.OpenFile(within(call, args[0]), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}
