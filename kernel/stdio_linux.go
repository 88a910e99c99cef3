package kernel

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// readPoll is how often a running cell's threads are looked at; readPollLong
// after readPollFor, when a prompt that comes a little later does not matter
// and the processor does. (Measured with 8 threads: 2.4 % and 0.8 % of a core.)
const (
	readPoll     = 20 * time.Millisecond
	readPollLong = 80 * time.Millisecond
	readPollFor  = 2 * time.Second
)

// blockedRead is how /proc shows a thread that waits in read(0, …).
var blockedRead = fmt.Appendf(nil, "%d 0x0 ", unix.SYS_READ)

// canSeeReaders reports whether the system shows what threads wait for.
var canSeeReaders = func() bool {
	_, err := os.ReadFile("/proc/thread-self/syscall")
	return err == nil
}()

// readersWait reports whether a thread of this process waits for bytes on
// fd 0.
func readersWait() bool {
	if n, err := unix.IoctlGetInt(0, unix.TIOCINQ); err != nil || n > 0 {
		return false // what was typed is not all read yet
	}
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return false
	}
	for _, t := range tasks {
		b, err := os.ReadFile("/proc/self/task/" + t.Name() + "/syscall")
		if err == nil && bytes.HasPrefix(b, blockedRead) {
			return true
		}
	}
	return false
}

// waitForReader returns true as soon as a thread waits on fd 0, false when
// ctx has ended.
func waitForReader(ctx context.Context) bool {
	begun := time.Now()
	tick := time.NewTicker(readPoll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case now := <-tick.C:
			if readersWait() {
				return true
			}
			if now.Sub(begun) > readPollFor {
				tick.Reset(readPollLong)
			}
		}
	}
}

func waitWritable(fd int) {
	unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, 100)
}

func dup2(from, to int) error { return unix.Dup3(from, to, 0) }
