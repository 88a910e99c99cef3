package ring

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/fathom-kernel/fathom/stdlib/display"
)

// watch shows a progress bar for a verb; done ends it.
func (s *settings) watch(ctx context.Context, label string) (done func()) {
	s.bar = display.Progress(ctx, label, barSteps)
	return s.bar.Done
}

const barSteps = 1000

// quiet returns the settings without progress, for work inside other work.
func (s *settings) quiet() *settings {
	q := *s
	q.bar, q.Progress = nil, nil
	return &q
}

// reporter returns a function that tells the bar and Options.Progress how far
// the work is and its best value, the latter at most ten times a second.
func (s *settings) reporter() func(done, best float64) {
	var mu sync.Mutex
	var last time.Time
	return func(done, best float64) {
		done = min(max(done, 0), 1)
		if s.bar != nil {
			s.bar.Set(int(done * barSteps))
			s.bar.Note(fmt.Sprintf("best %.4g", best))
		}
		if s.Progress == nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); done >= 1 || now.Sub(last) > 100*time.Millisecond {
			last = now
			s.Progress(done, best)
		}
	}
}
