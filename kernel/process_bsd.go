//go:build unix && !linux

package kernel

import "syscall"

// workerAttributes puts the worker in a process group of its own. It ends with
// the front because its request pipe closes.
func workerAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
