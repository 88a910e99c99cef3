//go:build unix

package kernel

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// spawner starts processes from one thread that never ends: on Linux the
// parent-death signal is tied to the thread that forked.
var spawner = sync.OnceValue(func() chan<- func() {
	c := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range c {
			f()
		}
	}()
	return c
})

func spawn(cmd *exec.Cmd) error {
	err := make(chan error)
	spawner() <- func() { err <- cmd.Start() }
	return <-err
}

// killGroup kills the worker and every process in its group. It is called
// before the worker is waited for, or right after, so the group's number
// cannot have been given to another.
func (p *process) killGroup() {
	syscall.Kill(-p.pid(), syscall.SIGKILL)
}

// endedBy names the signal that ended a process, "" where none did.
func (p *process) endedBy() string {
	if ws, ok := p.state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return ws.Signal().String()
	}
	return ""
}
