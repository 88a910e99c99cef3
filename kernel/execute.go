package kernel

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/fathom-kernel/fathom/kernel/wire"
)

// subshell is a queue of cells (JEP 91); the one with the empty id is the
// main shell. The Engine runs one cell at a time, so the cells of different
// subshells take turns; what else their clients ask is answered meanwhile.
type subshell struct {
	id   string
	done chan struct{} // closed when the last cell is over

	mu      sync.Mutex
	changed *sync.Cond
	cells   []*request
	bytes   int
	busy    bool
	closed  bool
	failed  time.Time // when the client was last told of an error that stops
}

// A cell that was sent before its client could know of an error must not run.
// Some of those have not arrived when the error is known, so the reply waits
// for errorPause, and what then arrives within errorWindow is judged by the
// date in its header. A client whose clock is behind could only be hurt if it
// sent another cell within errorWindow.
const (
	errorPause  = 10 * time.Millisecond
	errorWindow = 500 * time.Millisecond
)

// late reports whether a cell was sent before the error that was told last.
// The lock is held.
func (s *subshell) late(r *request) bool {
	if time.Since(s.failed) > errorWindow {
		return false
	}
	sent, err := time.Parse(time.RFC3339Nano, r.Header.Date)
	return err == nil && sent.Before(s.failed)
}

// maxQueued bounds the cells that wait, in bytes: beyond, the client's next
// messages stay in its socket.
const maxQueued = 64 << 20

func (k *front) newSubshell(id string) *subshell {
	s := &subshell{id: id, done: make(chan struct{})}
	s.changed = sync.NewCond(&s.mu)
	go func() {
		defer close(s.done)
		for {
			r := s.next()
			if r == nil {
				return
			}
			var aborted []*request
			k.bracket(r, func() { aborted = k.execute(s, r) })
			k.abort(aborted)
			s.mu.Lock()
			s.busy = false
			s.mu.Unlock()
		}
	}()
	return s
}

// queue puts a cell into the queue of its subshell.
func (k *front) queue(r *request) {
	k.mu.Lock()
	s := k.subshells[r.Header.SubshellID]
	k.mu.Unlock()
	if s == nil {
		k.bracket(r, func() {
			k.replyError(r, "NoSuchSubshell", fmt.Sprintf("there is no subshell %q", r.Header.SubshellID))
		})
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.late(r) {
		go k.abort([]*request{r})
		return
	}
	for s.bytes > maxQueued && !s.closed {
		s.changed.Wait()
	}
	s.cells = append(s.cells, r)
	s.bytes += len(r.Content)
	s.changed.Broadcast()
}

// next waits for a cell; nil means that the subshell is closed.
func (s *subshell) next() *request {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.cells) == 0 && !s.closed {
		s.changed.Wait()
	}
	if s.closed {
		return nil
	}
	r := s.cells[0]
	s.cells = s.cells[1:]
	s.bytes -= len(r.Content)
	s.busy = true
	s.changed.Broadcast()
	return r
}

// drain takes all cells that wait out of the queue.
func (s *subshell) drain() []*request {
	s.mu.Lock()
	defer s.mu.Unlock()
	cells := s.cells
	s.cells, s.bytes = nil, 0
	s.changed.Broadcast()
	return cells
}

func (s *subshell) close() {
	s.mu.Lock()
	s.closed = true
	s.changed.Broadcast()
	s.mu.Unlock()
}

// executeRequest is the content of an execute_request.
type executeRequest struct {
	Code            *string           `json:"code"`
	Silent          bool              `json:"silent"`
	StoreHistory    *bool             `json:"store_history"`
	UserExpressions map[string]string `json:"user_expressions"`
	AllowStdin      bool              `json:"allow_stdin"`
	StopOnError     *bool             `json:"stop_on_error"`
}

func isSet(b *bool) bool { return b == nil || *b }

// execute runs one cell and replies. It is called between busy and idle, and
// returns the cells that must not run after this one.
func (k *front) execute(s *subshell, r *request) (aborted []*request) {
	var q executeRequest
	if !k.content(r, &q) {
		return nil
	}
	if q.Code == nil {
		k.replyError(r, "BadRequest", "execute_request without code")
		return nil
	}
	store := isSet(q.StoreHistory) && !q.Silent
	k.mu.Lock()
	count := k.count + 1
	if store {
		k.count = count
	}
	k.mu.Unlock()
	code := newSource(*q.Code).engine
	if !q.Silent {
		k.publish(r, "execute_input", encode(object{"code": *q.Code, "execution_count": count}))
	}
	out := &output{k: k, r: r, count: count, quiet: q.Silent}
	id := r.Header.MsgID
	if id == "" { // outputs are told apart by it
		id = wire.NewID()
	}
	cell := Cell{ID: id, Count: count, Code: code, Silent: q.Silent, Expressions: q.UserExpressions}
	result := k.session.Execute(context.Background(), cell, ExecuteOptions{AllowStdin: q.AllowStdin}, out)
	if store && code != "" {
		out.mu.Lock()
		k.history().add(count, *q.Code, out.result)
		out.mu.Unlock()
	}
	if result.Err == nil {
		k.reply(r, encode(object{
			"status": "ok", "execution_count": count, "user_expressions": expressions(result.Expressions), "payload": orNone(result.Payload),
		}))
		return nil
	}
	e := result.Err
	content := object{"ename": e.Name, "evalue": e.Value, "traceback": orNone(e.Traceback)}
	if !q.Silent {
		k.publish(r, "error", encode(content))
	}
	content["status"], content["execution_count"] = "error", count
	content["user_expressions"], content["payload"] = expressions(result.Expressions), orNone(result.Payload)
	if isSet(q.StopOnError) {
		time.Sleep(errorPause)
		s.mu.Lock()
		s.failed = time.Now()
		s.mu.Unlock()
		aborted = s.drain()
	}
	k.reply(r, encode(content))
	return aborted
}

// abort answers cells that will not run.
func (k *front) abort(cells []*request) {
	for _, r := range cells {
		k.bracket(r, func() {
			k.mu.Lock()
			count := k.count
			k.mu.Unlock()
			k.reply(r, encode(object{"status": "aborted", "execution_count": count}))
		})
	}
}

func expressions(results map[string]ExpressionResult) object {
	all := object{}
	for name, e := range results {
		if e.Err != nil {
			all[name] = object{"status": "error", "ename": e.Err.Name, "evalue": e.Err.Value, "traceback": orNone(e.Err.Traceback)}
			continue
		}
		all[name] = object{"status": "ok", "data": e.Value.Wire(), "metadata": orEmptyObject(e.Value.Metadata)}
	}
	return all
}

// orNone makes an empty list of nil: clients do not expect null.
func orNone[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// interrupt stops the cell that runs, and with it those that wait.
func (k *front) interrupt() {
	k.mu.Lock()
	shells := make([]*subshell, 0, len(k.subshells))
	for _, s := range k.subshells {
		shells = append(shells, s)
	}
	k.mu.Unlock()
	slices.SortFunc(shells, func(a, b *subshell) int { return len(a.id) - len(b.id) })
	for _, s := range shells {
		s.mu.Lock()
		busy := s.busy
		s.mu.Unlock()
		if busy {
			k.abort(s.drain())
		}
	}
	k.session.Interrupt()
}
