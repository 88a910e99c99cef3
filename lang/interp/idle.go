package interp

import "time"

// mayWake are packages whose goroutines, timers or signals can wake a
// goroutine that waits on a channel.
var mayWake = map[string]bool{
	"time": true, "net": true, "net/http": true, "os/signal": true, "os/exec": true,
	"context": true, "testing": true,
}

// finishIdle notes whether a deadlock of the unit can be told: only the unit's
// own goroutines must be able to wake one another.
func (u *unit) finishIdle() {
	u.prog.pure = len(u.Vars) == 0 && len(u.Funcs) == 0
	for _, p := range u.Pkg.Imports() {
		if mayWake[p.Path()] {
			u.prog.pure = false
		}
	}
}

// sleep notes that a goroutine is about to block in a channel operation. When
// all are, and nothing stirs for a second, the run ends as Go's runtime would
// end the process.
func (x *execution) sleep() {
	n := x.asleep.Add(1)
	x.stirs.Add(1)
	if x.prog.pure && n >= x.alive.Load() {
		x.watch(x.stirs.Load(), 20)
	}
}

func (x *execution) watch(stirs int64, times int) {
	time.AfterFunc(50*time.Millisecond, func() {
		switch {
		case x.stirs.Load() != stirs || x.ended.Load() || x.asleep.Load() < x.alive.Load():
		case times > 0:
			x.watch(stirs, times-1)
		default:
			x.finish(&Fatal{Text: "all goroutines are asleep - deadlock!"})
		}
	})
}
