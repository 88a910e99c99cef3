package kernel

import (
	"os/exec"
	"syscall"
)

// Windows passes no extra descriptors to a child, so there is no worker yet.

func workerAttributes() *syscall.SysProcAttr { return nil }

func spawn(*exec.Cmd) error {
	return errWindows
}

func (p *process) killGroup()      { p.cmd.Process.Kill() }
func (p *process) endedBy() string { return "" }
