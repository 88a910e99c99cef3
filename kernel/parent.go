package kernel

import (
	"os"
	"time"
)

// watchParent returns a channel that is closed when the process that started
// this one has ended. Only a kernel that a Jupyter client started looks: by
// hand, it may well outlive its shell. A change of parent tells, not the
// number 1: in a container that may be the parent from the start.
func watchParent() <-chan struct{} {
	gone := make(chan struct{})
	if os.Getenv("JPY_PARENT_PID") == "" {
		return gone
	}
	parent := os.Getppid()
	go func() {
		for os.Getppid() == parent {
			time.Sleep(time.Second)
		}
		close(gone)
	}()
	return gone
}
