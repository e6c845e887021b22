package e2e

import (
	"flag"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/payctl/payctl/internal/test/testkit"
)

// TestNothingIsLostAtAnyCall kills the program before each system call that changes something, one call in each run.
// Random moments seldom hit some of these calls.
func TestNothingIsLostAtAnyCall(t *testing.T) {
	if os.Getenv(asksFirst) != "" {
		askFirst(t)
		return
	}
	t.Parallel()
	url := serve(t)
	t.Run("a transfer", func(t *testing.T) {
		t.Parallel()
		p := newPayer(t, url)
		p.pay("before")
		p.killAtEach(func(n int) []string {
			return withFlags(p.line, "--timeout", "10s", "--reference", strconv.Itoa(n))
		}, func(n int) {
			p.requireOne(strconv.Itoa(n), p.pay(strconv.Itoa(n)))
		})
		p.must("transfer", "resolve")
	})
	t.Run("a login that is renewed", func(t *testing.T) {
		t.Parallel()
		config := quick
		config.TokenLifetime = time.Second
		p := newPayer(t, serveAs(t, config))
		p.must("auth", "login")
		stored := p.machine
		isClient := func(variable string) bool { return strings.HasPrefix(variable, "PAYCTL_CLIENT_") }
		stored.env = slices.DeleteFunc(slices.Clone(p.env), isClient)
		stored.killAtEach(func(int) []string { return []string{"auth", "token"} }, func(int) {
			require.Equal(t, "ok", stored.must("auth", "status", "--jq", ".state"))
			stored.must("auth", "logout")
			require.Empty(t, stored.filesWith("secret-of-"), "the secret outlived its login")
			p.must("auth", "login")
		})
	})
}

// killAtEach kills a command at its first call that changes something, then at its second and so on, until a run ends
// by itself. It calls then after each run. With -short or the race detector it leaves out most calls.
func (m machine) killAtEach(command func(n int) []string, then func(n int)) {
	step := 1
	if testing.Short() || testkit.Raced {
		step = 7
	}
	const enough = 1000
	for n := 1; n < enough; n += step {
		count := 0
		killed := m.eachCall(func(uint32) bool { count++; return count == n }, command(n)...)
		then(n)
		if !killed {
			require.Greater(m.t, n, step, "it changed nothing")
			return
		}
	}
	m.t.Fatal("the command never ends by itself")
}

// asksFirst is the variable for a test in its own process, which becomes the program and asks before it changes
// anything.
const asksFirst = "PAYCTL_TEST_ASKS_FIRST"

// asked are the system calls that ask first. The next of them shows what other calls in between have left.
var asked = []uint32{
	unix.SYS_WRITE, unix.SYS_PWRITE64, unix.SYS_FSYNC, unix.SYS_FTRUNCATE, unix.SYS_UNLINKAT, unix.SYS_MKDIRAT,
	unix.SYS_CONNECT, unix.SYS_RENAMEAT,
}

// A question is a system call that waits for an answer: struct seccomp_notif of linux/seccomp.h.
type question struct {
	id   uint64
	_    [8]byte // pid and flags
	call uint32  // its number
	_    [60]byte
}

// A reply is struct seccomp_notif_resp.
type reply struct {
	id    uint64
	_     [12]byte // the result of a call that is not made
	flags uint32
}

// askerFD is the socket on which the process that becomes the program sends the file to read its questions from.
const askerFD = 3

// askFirst becomes the program, with a system call filter (seccomp_unotify(2)).
func askFirst(t *testing.T) {
	program, err := exec.LookPath("payctl")
	require.NoError(t, err)
	unix.CloseOnExec(askerFD)
	runtime.LockOSThread() // the filter is this thread's, and the program inherits it
	questions, err := filterCalls(asked, unix.SECCOMP_RET_USER_NOTIF, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER)
	if err != nil {
		require.NoError(t, unix.Sendmsg(askerFD, []byte(err.Error()), nil, nil, 0))
		return
	}
	require.NoError(t, unix.Sendmsg(askerFD, []byte("asks"), unix.UnixRights(questions), nil, 0))
	require.NoError(t, unix.Exec(program, append([]string{"payctl"}, flag.Args()...), os.Environ()))
}

// filterCalls applies an action to some system calls of this thread (seccomp(2)). With the listener flag, it returns
// the file descriptor to read their questions from.
func filterCalls(calls []uint32, action uint32, flag uintptr) (listener int, err error) {
	filter := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}} // the number of the system call
	for i, call := range calls {
		isFiltered := unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: call, Jt: uint8(len(calls) - i)}
		filter = append(filter, isFiltered)
	}
	filter = append(filter, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action})
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return 0, err
	}
	fd, _, failed := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flag,
		uintptr(unsafe.Pointer(&program)))
	runtime.KeepAlive(&program)
	if failed != 0 {
		return 0, failed
	}
	return int(fd), nil
}

// eachCall runs a command and calls kill before each selected system call. If kill returns true, it kills the command.
// It reports whether the command was killed.
func (m machine) eachCall(kill func(call uint32) bool, args ...string) (killed bool) {
	m.t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	require.NoError(m.t, err)
	theirs := os.NewFile(uintptr(pair[1]), "asker")
	name, _, _ := strings.Cut(m.t.Name(), "/")
	args = append([]string{"-test.run=^" + name + "$", "--"}, args...)
	cmd := exec.CommandContext(m.t.Context(), os.Args[0], args...)
	cmd.Env = slices.Concat(m.env, []string{asksFirst + "=1", "TMPDIR=" + m.t.TempDir()})
	cmd.ExtraFiles = []*os.File{theirs}
	require.NoError(m.t, cmd.Start())
	require.NoError(m.t, theirs.Close())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	questions, reason := receiveFile(m.t, pair[0])
	if questions < 0 {
		<-ended
		m.t.Skipf("system calls cannot be made to ask here: %s", reason)
	}
	defer func() { require.NoError(m.t, unix.Close(questions)) }()
	for {
		const wait = 20 // milliseconds
		waiting := []unix.PollFd{{Fd: int32(questions), Events: unix.POLLIN}}
		_, err := unix.Poll(waiting, wait)
		select {
		case <-ended:
			return false
		default:
		}
		if err != nil || waiting[0].Revents&unix.POLLIN == 0 {
			continue
		}
		var q question
		if !control(questions, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&q)) {
			continue // the thread that waited for the answer is gone
		}
		if kill(q.call) {
			require.NoError(m.t, cmd.Process.Kill())
			<-ended
			return true
		}
		goOn := reply{id: q.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
		control(questions, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&goOn))
	}
}

func control(fd int, request uint, about unsafe.Pointer) bool {
	_, _, failed := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), uintptr(request), uintptr(about))
	return failed == 0
}

// receiveFile reads a message with a file, or with the reason why there is none, and closes the socket.
func receiveFile(t *testing.T, socket int) (fd int, reason string) {
	t.Helper()
	defer func() { require.NoError(t, unix.Close(socket)) }()
	text, rights := make([]byte, 256), make([]byte, unix.CmsgSpace(4))
	n, size, _, _, err := unix.Recvmsg(socket, text, rights, unix.MSG_CMSG_CLOEXEC)
	require.NoError(t, err)
	messages, err := unix.ParseSocketControlMessage(rights[:size])
	require.NoError(t, err)
	if len(messages) == 0 {
		return -1, string(text[:n])
	}
	files, err := unix.ParseUnixRights(&messages[0])
	require.NoError(t, err)
	return files[0], ""
}
