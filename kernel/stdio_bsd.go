//go:build unix && !linux

package kernel

import (
	"context"
	"syscall"
	"time"
)

// These systems do not show what a thread waits for: os.Stdin is at its end,
// and a cell asks by display.Input.
const canSeeReaders = false

func readersWait() bool                  { return false }
func waitForReader(context.Context) bool { return false }
func waitWritable(int)                   { time.Sleep(10 * time.Millisecond) }
func dup2(from, to int) error            { return syscall.Dup2(from, to) }
