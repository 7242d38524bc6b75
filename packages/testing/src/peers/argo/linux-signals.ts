/** How processes are started, signalled and awaited on Linux: Go, for the executor of Argo. */
export const linuxSignals = `package osspecific

import (
	"os"
	"syscall"

	"github.com/argoproj/argo-workflows/v4/util/errors"
)

var Term = syscall.SIGTERM

func CanIgnoreSignal(s os.Signal) bool { return s == syscall.SIGCHLD || s == syscall.SIGURG }

func Setpgid(attributes *syscall.SysProcAttr) { attributes.Setpgid = true }

func Kill(pid int, s syscall.Signal) error {
	if group, err := syscall.Getpgid(pid); err == nil {
		pid = -group
	}
	return syscall.Kill(pid, s)
}

// Wait reaps every child, since the process may be the first of its namespace, until the wanted one has ended.
func Wait(process *os.Process) error {
	for {
		var status syscall.WaitStatus
		ended, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR, err == nil && ended != process.Pid:
		case err != nil:
			return err
		case status.Signaled():
			return errors.NewExitErr(128 + int(status.Signal()))
		default:
			return errors.NewExitErr(status.ExitStatus())
		}
	}
}
`;
