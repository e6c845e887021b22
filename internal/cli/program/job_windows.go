package program

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A Job is a job object of Windows: a program and everything that it starts, which can be ended together. All of it also
// ends when this program does, however that comes about, unless Release was called.
type Job struct{ handle windows.Handle }

// killedCode is the exit code of a program that Terminate ends: what a shell of other systems reports after SIGKILL.
const killedCode = 128 + uint32(syscall.SIGKILL)

// NewJob returns a job without a program.
func NewJob() (*Job, error) {
	handle, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("a job object cannot be made: %w", err)
	}
	j := &Job{handle}
	if err := j.limit(windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE); err != nil {
		j.Close()
		return nil, fmt.Errorf("a job object cannot be made: %w", err)
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

// Start starts a program in the job. The program is suspended until it belongs to the job, so that nothing which it
// starts is outside. If this program is killed in between, one stays behind that has done nothing yet: os/exec cannot
// start a program in a job (PROC_THREAD_ATTRIBUTE_JOB_LIST).
func (j *Job) Start(cmd *exec.Cmd) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_SUSPENDED
	if err := cmd.Start(); err != nil {
		return err
	}
	var err error
	using := cmd.Process.WithHandle(func(process uintptr) {
		err = windows.AssignProcessToJobObject(j.handle, windows.Handle(process))
	})
	if err = errors.Join(using, err); err == nil {
		err = resume(uint32(cmd.Process.Pid))
	}
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return fmt.Errorf("it cannot be started in a job object: %w", err)
	}
	return nil
}

// resume lets the threads of a program run that was started suspended. os/exec does not keep the handle of its thread.
func resume(process uint32) error {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(snapshot)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(snapshot, &entry); err == nil; err = windows.Thread32Next(snapshot, &entry) {
		if entry.OwnerProcessID != process {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return err
		}
		_, err = windows.ResumeThread(thread)
		if err := errors.Join(err, windows.CloseHandle(thread)); err != nil {
			return err
		}
	}
	if errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		return nil
	}
	return err
}

// Empty reports whether all programs of the job have ended.
func (j *Job) Empty() bool {
	var job struct { // JOBOBJECT_BASIC_ACCOUNTING_INFORMATION
		userTime, kernelTime, periodUserTime, periodKernelTime int64
		pageFaults, all, active, terminated                    uint32
	}
	err := windows.QueryInformationJobObject(j.handle, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&job)), uint32(unsafe.Sizeof(job)), nil) //nolint:gosec // the structure of that function
	return err == nil && job.active == 0
}

// Terminate ends all programs of the job. It does not wait for that.
func (j *Job) Terminate() { _ = windows.TerminateJobObject(j.handle, killedCode) }

// Release lets the programs of the job outlive it, and closes it.
func (j *Job) Release() {
	_ = j.limit(0)
	j.Close()
}

// Close ends all programs of the job.
func (j *Job) Close() { _ = windows.CloseHandle(j.handle) }
