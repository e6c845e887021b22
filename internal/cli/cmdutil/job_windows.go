package cmdutil

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A Job is a job object of Windows: a program and everything that it starts, which can be ended together. All of it
// also ends when this program does, however that comes about.
type Job struct{ handle windows.Handle }

// killedCode is the exit code of a program that Terminate ends: what a shell of other systems reports after SIGKILL.
const killedCode = 128 + uint32(syscall.SIGKILL)

// StartJob starts a program in a job of its own. It belongs to the job a moment after its start, before it has run for
// long enough to start others.
func StartJob(cmd *exec.Cmd) (*Job, error) {
	handle, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("a job object cannot be made: %w", err)
	}
	j := &Job{handle}
	if err = j.limit(windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		j.Close()
		return nil, err
	}
	using := cmd.Process.WithHandle(func(process uintptr) {
		err = windows.AssignProcessToJobObject(j.handle, windows.Handle(process))
		if event, _ := windows.WaitForSingleObject(windows.Handle(process), 0); event == windows.WAIT_OBJECT_0 {
			err = nil // a program that has ended cannot be assigned
		}
	})
	if err = errors.Join(using, err); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		j.Close()
		return nil, fmt.Errorf("it cannot be started in a job object: %w", err)
	}
	return j, nil
}

func (j *Job) limit(flags uint32) error {
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = flags
	_, err := windows.SetInformationJobObject(j.handle, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))) //nolint:gosec // the structure of that function
	return err
}

// Terminate ends all programs of the job. It does not wait for that.
func (j *Job) Terminate() { _ = windows.TerminateJobObject(j.handle, killedCode) }

// Close ends all programs of the job.
func (j *Job) Close() { _ = windows.CloseHandle(j.handle) }
