package display

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Bounds of what a progress bar writes.
const (
	barEvery = 100 * time.Millisecond // between two updates
	barDelay = 300 * time.Millisecond // before the first: short work shows no bar
)

// A Bar shows how far a piece of work is. Its methods may be called from any
// goroutine, also on a nil Bar, where they do nothing.
type Bar struct{ s *barState }

// barState is the Bar as its drawing goroutine sees it. It is apart from the
// Bar so that a Bar that was dropped without Done can be noticed.
type barState struct {
	count   atomic.Int64
	total   atomic.Int64
	stopped atomic.Bool
	note    atomic.Pointer[string]

	label string
	begun time.Time
	ctx   context.Context
	root  *barRoot
	level int

	end    sync.Once
	ended  chan struct{}
	ending time.Time // set before ended is closed
	rate   meter
}

// barRoot is a display and the bars in it: the outermost, and those begun under
// its context while they last. One goroutine draws them all.
type barRoot struct {
	mu    sync.Mutex
	bars  []*barState // the outermost first
	sink  Sink
	id    string // of the display, "" before the first draw
	last  string // what was drawn
	drawn chan struct{}
}

type barKey struct{}

// Progress starts a progress bar over total steps (0 where the number is not
// known) and returns it:
//
//	bar := display.Progress(ctx, "fold", len(items))
//	defer bar.Done()
//	for _, item := range items {
//		work(item)
//		if !bar.Tick() {
//			return bar.Err()
//		}
//	}
//
// Tick costs some nanoseconds; the bar is drawn at most ten times a second
// whatever the loop does, with its rate and the time that is left, and not at
// all for work of less than 0.3 s. Bars begun with bar.Context() are drawn
// under it, and leave when they are done.
//
// In a notebook the bar is one display that ends as one line. In a terminal it
// is a line that is written over; where the output is a file, a line a minute.
func Progress(ctx context.Context, label string, total int) *Bar {
	if ctx == nil {
		ctx = context.Background()
	}
	s := &barState{label: oneLine(label, 60), ctx: ctx, begun: time.Now(), ended: make(chan struct{})}
	s.total.Store(int64(total))
	if parent, ok := ctx.Value(barKey{}).(*barState); ok && parent.live() {
		s.root, s.level = parent.root, parent.level+1
		s.root.add(s)
	} else {
		s.root = &barRoot{bars: []*barState{s}, sink: Current(), drawn: make(chan struct{})}
		go s.root.run(s)
	}
	b := &Bar{s}
	runtime.AddCleanup(b, func(s *barState) { s.finish() }, s)
	return b
}

// Tick counts one step. It reports false once the context has ended: the loop
// should then stop.
func (b *Bar) Tick() bool {
	if b == nil {
		return true
	}
	b.s.count.Add(1)
	return !b.s.stopped.Load()
}

// Add counts n steps, and reports what Tick does.
func (b *Bar) Add(n int) bool {
	if b == nil {
		return true
	}
	b.s.count.Add(int64(n))
	return !b.s.stopped.Load()
}

// Set sets the number of steps done.
func (b *Bar) Set(n int) {
	if b != nil {
		b.s.count.Store(int64(n))
	}
}

// SetTotal changes the number of steps in all.
func (b *Bar) SetTotal(n int) {
	if b != nil {
		b.s.total.Store(int64(n))
	}
}

// Note puts a short text behind the figures, such as the best value so far.
func (b *Bar) Note(text string) {
	if b != nil {
		text = oneLine(text, 80)
		b.s.note.Store(&text)
	}
}

// Err returns why the work was told to stop, nil if it was not.
func (b *Bar) Err() error {
	if b == nil {
		return nil
	}
	return b.s.ctx.Err()
}

// Context returns a context under which other bars become part of this one.
func (b *Bar) Context() context.Context {
	if b == nil {
		return context.Background()
	}
	return context.WithValue(b.s.ctx, barKey{}, b.s)
}

// Done ends the bar and draws it a last time. More calls do nothing.
func (b *Bar) Done() {
	if b == nil {
		return
	}
	b.s.finish()
	if b.s.level == 0 {
		<-b.s.root.drawn
	}
}

func (s *barState) finish() {
	s.end.Do(func() {
		s.ending = time.Now()
		close(s.ended)
		if s.level > 0 {
			s.root.remove(s)
		}
	})
}

func (s *barState) live() bool {
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// complete reports whether all steps are done, Done called or not.
func (s *barState) complete() bool {
	total := s.total.Load()
	return total > 0 && s.count.Load() >= total
}

func (r *barRoot) add(s *barState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bars = append(r.bars, s)
}

func (r *barRoot) remove(s *barState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, x := range r.bars {
		if x == s {
			r.bars = append(r.bars[:i:i], r.bars[i+1:]...)
			return
		}
	}
}

// run draws until the outermost bar has ended.
func (r *barRoot) run(outer *barState) {
	defer close(r.drawn)
	timer := time.NewTimer(barDelay)
	defer timer.Stop()
	for {
		select {
		case <-outer.ended:
			r.close(outer)
			return
		case <-outer.ctx.Done():
			r.mu.Lock()
			for _, s := range r.bars {
				s.stopped.Store(true)
			}
			r.mu.Unlock()
			outer.finish()
		case <-timer.C:
			r.draw()
			if outer.complete() && r.alone() {
				outer.finish()
			}
			timer.Reset(barEvery)
		}
	}
}

func (r *barRoot) alone() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.bars) == 1
}

// draw shows the bars that are there now, if they differ from what was drawn.
func (r *barRoot) draw() {
	now := time.Now()
	r.mu.Lock()
	lines := make([]barLine, len(r.bars))
	for i, s := range r.bars {
		if s.ctx.Err() != nil {
			s.stopped.Store(true)
		}
		s.rate.at(now.Sub(s.begun), s.count.Load())
		lines[i] = s.line(now, false)
	}
	r.mu.Unlock()
	r.show(lines, false)
}

// close draws the outermost bar a last time, as one line. Work that was over
// before the first draw is not shown at all.
func (r *barRoot) close(outer *barState) {
	if r.id == "" && outer.ending.Sub(outer.begun) < barDelay {
		return
	}
	r.show([]barLine{outer.line(outer.ending, true)}, true)
}

func (r *barRoot) show(lines []barLine, done bool) {
	text := barText(lines)
	if t, ok := r.sink.(interface {
		Progress(line string, done bool)
	}); ok {
		r.id = "line"
		t.Progress(text, done)
		return
	}
	page := barHTML(lines)
	if page == r.last {
		return
	}
	r.last = page
	b := Bundle{Data: map[string]any{MIMETypeText: text, MIMETypeHTML: page}}
	if r.id == "" {
		r.id = newID()
		r.sink.Display(b, r.id)
		return
	}
	r.sink.Update(b, r.id)
}
