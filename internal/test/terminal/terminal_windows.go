package terminal

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unicode/utf16"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"
)

// A device is a pseudo console. The console host of Windows draws what the program writes, and writes other escape
// sequences to the terminal than the program does: compare screens, and not what was written.
type device struct {
	console          windows.Handle
	keyboard, output *os.File
	direct           *directOutput // nil: not under Wine
	endConsole       func()        // ends the programs that are left in it, too
}

// longestRun is how long a program may run at a terminal.
const longestRun = 2 * time.Minute

func (s *Terminal) open(columns, rows int) {
	s.t.Helper()
	if err := windows.NewLazySystemDLL("kernel32.dll").NewProc("CreatePseudoConsole").Find(); err != nil {
		s.t.Skipf("no pseudo console to be had: %v", err)
	}
	typed, keyboard, err := os.Pipe()
	require.NoError(s.t, err)
	output, drawn, err := os.Pipe()
	require.NoError(s.t, err)
	size := windows.Coord{X: int16(columns), Y: int16(rows)}
	require.NoError(s.t, windows.CreatePseudoConsole(size, windows.Handle(typed.Fd()), windows.Handle(drawn.Fd()), 0, &s.console))
	_, _ = typed.Close(), drawn.Close() // the console host has its own handles
	s.keyboard, s.output = keyboard, output

	var readers sync.WaitGroup
	if isWine() {
		s.direct, err = newDirectOutput()
		require.NoError(s.t, err)
		readers.Go(func() { s.direct.serve(s) })
	}
	readers.Go(func() { s.showAll(output) })
	go func() {
		readers.Wait()
		close(s.closed)
	}()
	s.endConsole = sync.OnceFunc(func() {
		windows.ClosePseudoConsole(s.console)
		if s.direct != nil {
			s.direct.stop()
		}
	})
	s.t.Cleanup(func() {
		s.endConsole()
		<-s.closed
		_, _ = keyboard.Close(), output.Close()
		if s.direct != nil {
			_ = windows.CloseHandle(s.direct.interrupts)
		}
	})
}

// Start starts a program in the terminal, which is all of its standard streams: a redirection is for cmd.exe to make. A
// context that it has does not end it.
func (s *Terminal) Start(cmd *exec.Cmd) {
	s.t.Helper()
	require.NoError(s.t, cmd.Err)
	require.True(s.t, cmd.Stdin == nil && cmd.Stdout == nil && cmd.Stderr == nil, "the console is all streams")
	environment := cmd.Environ()
	if s.direct != nil {
		environment = append(environment, directVariable+"="+s.direct.name)
	}
	var block []uint16
	for _, variable := range environment {
		block = append(append(block, utf16.Encode([]rune(variable))...), 0)
	}
	block = append(block, 0)
	var folder *uint16
	var err error
	if cmd.Dir != "" {
		folder, err = windows.UTF16PtrFromString(cmd.Dir)
		require.NoError(s.t, err)
	}
	path, err := windows.UTF16PtrFromString(cmd.Path)
	require.NoError(s.t, err)
	line, err := windows.UTF16PtrFromString(windows.ComposeCommandLine(cmd.Args))
	require.NoError(s.t, err)

	attributes, err := windows.NewProcThreadAttributeList(1)
	require.NoError(s.t, err)
	defer attributes.Delete()
	require.NoError(s.t, attributes.Update(windows.PROC_THREAD_ATTRIBUTE_PSEUDOCONSOLE,
		*(*unsafe.Pointer)(unsafe.Pointer(&s.console)), unsafe.Sizeof(s.console))) //nolint:gosec // the value is the handle
	// Without this flag the program would get the standard streams of the test. With it, and without handles, it gets those
	// of its console.
	startup := windows.StartupInfoEx{ProcThreadAttributeList: attributes.List()}
	startup.Cb, startup.Flags = uint32(unsafe.Sizeof(startup)), windows.STARTF_USESTDHANDLES
	var started windows.ProcessInformation
	require.NoError(s.t, windows.CreateProcess(path, line, nil, nil, false,
		windows.CREATE_UNICODE_ENVIRONMENT|windows.EXTENDED_STARTUPINFO_PRESENT, &block[0], folder, &startup.StartupInfo, &started))
	defer windows.CloseHandle(started.Thread)
	defer windows.CloseHandle(started.Process) // after FindProcess has one of its own
	cmd.Process, err = os.FindProcess(int(started.ProcessId))
	require.NoError(s.t, err)
	tooLong := time.AfterFunc(longestRun, func() { _ = cmd.Process.Kill() })
	go func() {
		defer tooLong.Stop()
		cmd.ProcessState, err = cmd.Process.Wait()
		if err != nil {
			s.t.Error(err)
		}
		s.endConsole()
	}()
}

// Finish waits for the end of a started program and of what it has written, and returns its exit code.
func (s *Terminal) Finish(cmd *exec.Cmd) int {
	s.t.Helper()
	<-s.closed
	return cmd.ProcessState.ExitCode()
}

func (s *Terminal) setSize(columns, rows int) {
	s.t.Helper()
	err := windows.ResizePseudoConsole(s.console, windows.Coord{X: int16(columns), Y: int16(rows)})
	if errors.Is(err, syscall.Errno(windows.E_NOTIMPL)) {
		s.t.Skip("the size of Wine's pseudo consoles cannot be changed")
	}
	require.NoError(s.t, err)
}

// typeKeys writes to the console what a user types.
func (d *device) typeKeys(keys string) error {
	if d.direct != nil && keys == ctrlC {
		return windows.SetEvent(d.direct.interrupts)
	}
	_, err := d.keyboard.WriteString(keys)
	return err
}

const ctrlC = "\x03"

// answer does nothing: programs ask the console host.
func (d *device) answer(string) {}

// isWine reports whether the test runs under Wine.
func isWine() bool {
	return windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil
}

// directVariable names the pipe to which programs write their escape sequences under Wine. The console host of Wine 8
// shows them as they are: it does not know ENABLE_VIRTUAL_TERMINAL_PROCESSING. So the library that stands in for what
// Wine lacks passes by the console host what a program writes in this mode, as a terminal would get it.
const directVariable = "PAYCTL_TEST_CONSOLE"

// A directOutput is the pipe of directVariable.
type directOutput struct {
	name    string
	path    *uint16
	next    windows.Handle // the instance of the pipe to which the next program connects
	stopped atomic.Bool
	// interrupts has the programs get Ctrl-C: Wine's console host ends if it is typed.
	interrupts windows.Handle
}

var terminals atomic.Int64

func newDirectOutput() (*directOutput, error) {
	name := "payctl-test-" + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatInt(terminals.Add(1), 10)
	event, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	d := &directOutput{name: `\\.\pipe\` + name}
	if d.path, err = windows.UTF16PtrFromString(d.name); err != nil {
		return nil, err
	}
	if d.interrupts, err = windows.CreateEvent(nil, 0, 0, event); err != nil {
		return nil, fmt.Errorf("cannot create the event of Ctrl-C: %w", err)
	}
	return d, d.listen()
}

// listen makes an instance of the pipe.
func (d *directOutput) listen() (err error) {
	d.next, err = windows.CreateNamedPipe(d.path, windows.PIPE_ACCESS_INBOUND, windows.PIPE_TYPE_BYTE|windows.PIPE_WAIT,
		windows.PIPE_UNLIMITED_INSTANCES, 0, 64<<10, 0, nil)
	if err != nil {
		err = fmt.Errorf("cannot create the pipe %s: %w", d.name, err)
	}
	return err
}

// serve shows what programs write to the pipe, until stop.
func (d *directOutput) serve(s *Terminal) {
	var programs sync.WaitGroup
	defer programs.Wait()
	for {
		err := windows.ConnectNamedPipe(d.next, nil)
		pipe := os.NewFile(uintptr(d.next), d.name)
		if err != nil && !errors.Is(err, windows.ERROR_PIPE_CONNECTED) && !errors.Is(err, windows.ERROR_NO_DATA) || d.stopped.Load() {
			_ = pipe.Close()
			return
		}
		programs.Go(func() {
			s.showAll(pipe)
			_ = pipe.Close()
		})
		if err := d.listen(); err != nil {
			s.t.Error(err)
			return
		}
	}
}

// stop ends serve: it connects like a program.
func (d *directOutput) stop() {
	d.stopped.Store(true)
	if pipe, err := os.OpenFile(d.name, os.O_WRONLY, 0); err == nil {
		_ = pipe.Close()
	}
}
