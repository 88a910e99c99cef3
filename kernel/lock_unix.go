//go:build unix

package kernel

import (
	"os"
	"syscall"
)

// lockFile waits for the file's lock, which ends when the file is closed.
func lockFile(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if err != syscall.EINTR {
			return err
		}
	}
}
