package kernel

import "golang.org/x/sys/unix"

// limitData bounds the private writable memory of this process, in bytes.
// When it is reached the Go runtime says "out of memory" and ends.
func limitData(n int64) {
	unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: uint64(n), Max: uint64(n)})
}
