//go:build unix && !linux

package kernel

// limitData does nothing: these systems do not count mapped memory there.
func limitData(int64) {}
