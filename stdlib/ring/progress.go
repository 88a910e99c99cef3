package ring

import (
	"sync"
	"time"
)

// reporter returns a function that passes progress on, at most ten times a
// second, to Options.Progress.
func (s *settings) reporter() func(done, best float64) {
	if s.Progress == nil {
		return func(float64, float64) {}
	}
	var mu sync.Mutex
	var last time.Time
	return func(done, best float64) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); done >= 1 || now.Sub(last) > 100*time.Millisecond {
			last = now
			s.Progress(min(done, 1), best)
		}
	}
}
