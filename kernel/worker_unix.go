//go:build unix

package kernel

import (
	"errors"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// Descriptors of the packet pipes in a worker.
const (
	requestsFD = 3
	eventsFD   = 4
)

// openPipes opens the packet pipes, and hides them from the programs that
// cells start.
func openPipes() (requests, events *os.File, err error) {
	for _, fd := range []int{requestsFD, eventsFD} {
		var st syscall.Stat_t
		if syscall.Fstat(fd, &st) != nil || st.Mode&syscall.S_IFMT != syscall.S_IFIFO {
			return nil, nil, errors.New("kernel: the worker command is for the kernel's own use: there is no pipe to it")
		}
		syscall.CloseOnExec(fd)
		syscall.SetNonblock(fd, true)
	}
	return os.NewFile(requestsFD, "requests"), os.NewFile(eventsFD, "events"), nil
}

// prepareWorker sets the memory limit and makes this process, not the front,
// the one that the system ends when memory runs out.
func prepareWorker(memory int64) {
	debug.SetMaxStack(int(maxStack(memory)))
	if memory > 0 {
		limitData(memory)
		// The collector works harder before that.
		if os.Getenv("GOMEMLIMIT") == "" {
			debug.SetMemoryLimit(memory / 10 * 9)
		}
	}
	os.WriteFile("/proc/self/oom_score_adj", []byte("500"), 0)
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM) // sent when the front dies
	go func() {
		<-terminated
		endWorker()
	}()
	// Interrupts come by packet. The signal is caught, not ignored: programs
	// that cells start would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT)
}

// endWorker ends this process and those that cells have left running.
func endWorker() {
	if syscall.Getpgrp() == os.Getpid() {
		syscall.Kill(0, syscall.SIGKILL)
	}
	os.Exit(0)
}
