package kernel

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// workerAttributes puts the worker in a process group of its own, so that ^C
// in a terminal does not reach it, and ends it with the front: SIGTERM makes
// it take its own children along.
func workerAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// widen makes pipes hold a megabyte, if the system lets it: fewer switches
// between a worker that prints much and the front.
func widen(files ...*os.File) {
	for _, f := range files {
		if c, err := f.SyscallConn(); err == nil {
			c.Control(func(fd uintptr) { unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
		}
	}
}

// oomKills returns how many processes the system has killed for want of
// memory since it started.
func oomKills() int {
	return procNumber("/proc/vmstat", "oom_kill ")
}

// memoryTotal returns the bytes of memory that this process may count on: the
// machine's, or the control group's limit.
func memoryTotal() int64 {
	total := int64(procNumber("/proc/meminfo", "MemTotal:")) << 10
	if b, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if n, err := strconv.ParseInt(string(bytes.TrimSpace(b)), 10, 64); err == nil && n > 0 && n < total {
			total = n
		}
	}
	return total
}

// memoryAvailable returns the bytes that could be taken without swapping.
func memoryAvailable() int64 {
	return int64(procNumber("/proc/meminfo", "MemAvailable:")) << 10
}

// procNumber returns the number after a label at the start of a line.
func procNumber(file, label string) int {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(b) {
		if rest, ok := bytes.CutPrefix(line, []byte(label)); ok {
			if fields := bytes.Fields(rest); len(fields) > 0 {
				n, _ := strconv.Atoi(string(fields[0]))
				return n
			}
		}
	}
	return 0
}

// processUsage returns the bytes of memory that only a process and its like
// hold (its proportional share) and the CPU time that it has used.
func processUsage(pid int) (memory int64, cpu time.Duration) {
	dir := "/proc/" + strconv.Itoa(pid)
	memory = int64(procNumber(dir+"/smaps_rollup", "Pss:")) << 10
	b, _ := os.ReadFile(dir + "/stat")
	if i := bytes.LastIndexByte(b, ')'); i >= 0 {
		if f := bytes.Fields(b[i+1:]); len(f) > 12 {
			user, _ := strconv.Atoi(string(f[11]))
			system, _ := strconv.Atoi(string(f[12]))
			cpu = time.Duration(user+system) * (time.Second / 100) // USER_HZ is 100 everywhere
		}
	}
	return memory, cpu
}
