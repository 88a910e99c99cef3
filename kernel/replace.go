package kernel

import (
	"context"
	"fmt"
	"strings"
	"time"
)

const (
	// spareAfter a cell's good end the spare worker is started: not at once,
	// so that it does not compete with the start of a session.
	spareAfter = time.Second
	// spareMemory must be available for a spare to be worth its place.
	spareMemory = 1 << 30
	// maxCrashes within crashWindow without a cell that ends well: then no
	// worker is started until somebody runs a cell.
	maxCrashes  = 5
	crashWindow = time.Minute
	// restoreFor bounds Engine.Restore.
	restoreFor = 30 * time.Second
)

// warm starts the spare worker.
func (s *Session) warm() {
	s.mu.Lock()
	s.warming = false
	if s.closed || s.spare != nil || memoryAvailable() < spareMemory {
		s.mu.Unlock()
		return
	}
	s.mu.Unlock()
	p, err := s.start()
	if err != nil {
		s.opt.Log("kernel: no spare worker: %v", err)
		return
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		p.end(endSpare)
		return
	}
	s.spare = p
	s.mu.Unlock()
}

// died replaces a worker that has ended, and tells the cell at fault.
func (s *Session) died(p *process) {
	s.mu.Lock()
	if p == s.spare {
		s.spare = nil
	}
	if p != s.worker {
		s.mu.Unlock()
		return
	}
	s.worker, s.current = nil, nil
	r, last := s.running, s.last
	closed := s.closed
	reason := p.endReason()
	again := false
	if !closed {
		again = s.mayStart(reason)
		s.replace = again
	}
	snapshot := s.snapshot
	s.mu.Unlock()

	d := autopsy(p, &s.opt)
	var after string
	switch {
	case closed:
		after = "The session is closed."
	case !again:
		after = fmt.Sprintf("The Go process has ended %d times in a row, so it is not started again by itself. Run a cell to start a fresh one: declarations and variables are gone.", maxCrashes)
		s.mu.Lock()
		s.snapshot, s.crashes = nil, nil
		s.mu.Unlock()
	default:
		var next *process
		next, after = s.successor(snapshot)
		s.mu.Lock()
		if s.closed && next != nil {
			go next.end(endClose)
			next = nil
		}
		s.worker, s.replace = next, false
		resubmit := next != nil && r != nil && !r.started && reason == ""
		if resubmit {
			defer s.submit(next, r)
		}
		s.changed.Broadcast()
		s.mu.Unlock()
		if next != nil {
			select {
			case <-next.gone: // before it was the worker: nobody else will see to it
				go s.died(next)
			default:
			}
		}
		if reason == endRestart {
			after = "The session starts afresh."
		}
		if resubmit { // the death is not this cell's fault
			r = nil
		}
	}
	s.report(d, reason, r, last, after)
}

// report tells the running cell r or, where none runs, the last one.
func (s *Session) report(d death, reason string, r *run, last *route, after string) {
	e := d.error(after)
	switch {
	case r != nil:
		select {
		case r.done <- Result{Err: e}:
		default:
		}
	case reason == endRestart || reason == endClose:
	case last != nil:
		last.note(strings.Join(append(e.Traceback, ""), "\n"))
	default:
		s.opt.Log("kernel: the worker ended: %s: %s", e.Name, e.Value)
	}
}

// mayStart counts a crash and reports whether a worker may follow. The lock is
// held.
func (s *Session) mayStart(reason string) bool {
	if reason == endRestart || reason == endInterrupt {
		return true
	}
	now := time.Now()
	for len(s.crashes) > 0 && now.Sub(s.crashes[0]) > crashWindow {
		s.crashes = s.crashes[1:]
	}
	s.crashes = append(s.crashes, now)
	return len(s.crashes) < maxCrashes
}

// successor returns a worker with the declarations of the session restored,
// and a sentence for the user. The worker is nil where none can be started.
func (s *Session) successor(snapshot []byte) (*process, string) {
	p, err := s.fresh()
	if err != nil {
		return nil, fmt.Sprintf("No new Go process could be started (%v). Run a cell to try again.", err)
	}
	if snapshot == nil {
		return p, "A new Go process has taken over; the variables are lost."
	}
	ctx, cancel := context.WithTimeout(context.Background(), restoreFor)
	defer cancel()
	q := newPacket(askRestore, nil)
	q.buffers = [][]byte{snapshot}
	answer, err := p.call(ctx, q)
	var body restoredBody
	if err == nil {
		err = answer.body(&body)
	}
	if err != nil { // the snapshot itself does harm
		p.end(endSpare)
		s.mu.Lock()
		s.snapshot = nil
		s.mu.Unlock()
		p, again := s.fresh()
		if again != nil {
			return nil, fmt.Sprintf("No new Go process could be started (%v). Run a cell to try again.", again)
		}
		return p, fmt.Sprintf("A new Go process has taken over, but the declarations could not be restored (%v): run the cells again from the top.", err)
	}
	after := "A new Go process has taken over; imports, types, functions and constants have been declared again."
	switch {
	case body.Err != "":
		after = fmt.Sprintf("A new Go process has taken over; not all declarations could be restored (%s).", body.Err)
	case len(body.Lost) == 0:
		after += " No variable was lost."
	}
	if len(body.Lost) > 0 {
		after += " Lost variables: " + strings.Join(body.Lost, ", ") + "."
	}
	return p, after
}

// fresh returns the spare, or starts a process.
func (s *Session) fresh() (*process, error) {
	s.mu.Lock()
	p := s.spare
	s.spare = nil
	s.mu.Unlock()
	if p != nil {
		select {
		case <-p.gone:
		default:
			return p, nil
		}
	}
	return s.start()
}
