package kernel

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"sync"
	"time"

	"github.com/fathom-kernel/fathom/stdlib/display"
)

// SessionOptions sets up the worker of a Session. The zero value is right for
// a notebook.
type SessionOptions struct {
	// Argv is the worker's command line; empty means this binary with the one
	// argument "worker".
	Argv []string
	// Env is added to this process's environment, as "NAME=value".
	Env []string
	// Dir is the worker's directory; empty means this process's.
	Dir string
	// MemoryLimit of the worker in bytes; 0 means the environment's
	// FATHOM_MEMORY_LIMIT or else 80 % of the machine, negative means none.
	MemoryLimit int64
	// OutputLimit is how many bytes of stream text one cell may show; 0 means
	// the environment's FATHOM_OUTPUT_LIMIT or else 10 MB, negative means no
	// limit.
	OutputLimit int64
	// NoSpare turns off the second, idle worker that takes over after a crash.
	NoSpare bool
	// Grace is how long an interrupted cell may go on before the user is told,
	// 0 means 2 s; Patience how long after that until the worker is replaced,
	// 0 means 5 s.
	Grace, Patience time.Duration
	// Log receives lines that are for nobody's cell; nil means standard error.
	Log func(format string, args ...any)
}

func (o SessionOptions) withDefaults() SessionOptions {
	if o.Log == nil {
		o.Log = log.Printf
	}
	memory := memoryTotal() / 10 * 8
	if memory == 0 {
		memory = -1
	}
	o.MemoryLimit = limit(o.MemoryLimit, "FATHOM_MEMORY_LIMIT", memory, o.Log)
	o.OutputLimit = limit(o.OutputLimit, "FATHOM_OUTPUT_LIMIT", defaultOutput, o.Log)
	if o.Grace == 0 {
		o.Grace = 2 * time.Second
	}
	if o.Patience == 0 {
		o.Patience = 5 * time.Second
	}
	return o
}

// ExecuteOptions belong to one cell.
type ExecuteOptions struct {
	// AllowStdin says that the front end can ask the user for a line. Without
	// it a read of os.Stdin gets EOF and a line on the cell's stderr says so.
	AllowStdin bool
}

// Session is the front's handle on a worker process, in which an Engine runs
// cells. The worker may die at any time: the Session reports that on the cell
// at fault, starts another and restores the declarations. Methods may be
// called from any goroutine; cells run one after the other, in the order of
// the calls.
type Session struct {
	opt  SessionOptions
	turn chan struct{} // held by the running cell

	mu       sync.Mutex
	changed  *sync.Cond // signals replacing and closed
	worker   *process   // nil while there is none
	spare    *process
	warming  bool // a spare is due
	replace  bool // a worker is on its way
	closed   bool
	running  *run
	last     *route // of the newest cell, for words about a late death
	current  *route // where printed text goes
	routes   routes
	snapshot []byte
	crashes  []time.Time // since the last cell that ended well
}

// run is a cell on its way through a worker.
type run struct {
	cell    Cell
	route   *route
	started bool // the worker has said so
	done    chan Result
	stop    sync.Once     // the interrupt
	over    chan struct{} // closed when the cell is over
}

// NewSession starts a worker and returns its Session; it does not wait until
// the worker is ready. The error says why no process could be started.
func NewSession(opt SessionOptions) (*Session, error) {
	s := &Session{opt: opt.withDefaults(), turn: make(chan struct{}, 1)}
	s.changed = sync.NewCond(&s.mu)
	p, err := s.start()
	if err != nil {
		return nil, err
	}
	s.worker = p
	return s, nil
}

// start starts a process and watches over it.
func (s *Session) start() (*process, error) {
	p, err := startProcess(&s.opt, s)
	if err != nil {
		return nil, err
	}
	go func() {
		<-p.gone
		s.died(p)
	}()
	return p, nil
}

// Execute runs a cell to its end and returns its Result; output goes to out
// while it comes, also after the end where the cell left goroutines behind.
// Apart from Input, the Sink is called by one goroutine at a time; it may
// block, and the worker then waits. The end of ctx interrupts the cell.
// Execute returns an Error with one of the names ErrExit, ErrPanic and so on
// where the worker died.
func (s *Session) Execute(ctx context.Context, cell Cell, opt ExecuteOptions, out display.Sink) Result {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return failure(ErrInterrupted, "the cell was interrupted before its turn came")
	}
	r := &run{cell: cell, route: newRoute(cell.ID, out, opt, s.opt.OutputLimit), done: make(chan Result, 1), over: make(chan struct{})}
	p, err := s.take(r)
	if err != nil {
		return failure(ErrCrash, err.Error())
	}
	stop := context.AfterFunc(ctx, func() { s.interrupt(r) })
	defer stop()
	s.submit(p, r)
	result := <-r.done
	close(r.over)
	r.route.ended()
	s.mu.Lock()
	s.running = nil
	s.mu.Unlock()
	return result
}

// take makes r the running cell of the worker that it returns. From then on
// the worker's death is the cell's business.
func (s *Session) take(r *run) (*process, error) {
	for {
		p, err := s.ready(true)
		if err != nil {
			return nil, err
		}
		s.mu.Lock()
		if s.worker == p {
			s.running = r
			s.routes.add(r.route)
			s.mu.Unlock()
			return p, nil
		}
		s.mu.Unlock() // it died in between
	}
}

func failure(name, value string) Result {
	return Result{Err: &Error{Name: name, Value: value, Traceback: []string{red + name + plain + ": " + value}}}
}

// submit sends a cell to a worker. Where that fails the worker is dying, and
// died sees to the cell.
func (s *Session) submit(p *process, r *run) {
	q := newPacket(askExecute, executeBody{r.cell, r.route.allowStdin})
	q.Cell = r.cell.ID
	p.send(q)
}

var (
	errClosed  = errors.New("kernel: the session is closed")
	errStopped = errors.New("kernel: there is no worker; run a cell to start one")
)

// ready returns the worker, after any replacement that is under way. With
// start set it starts one where crashes have left none.
func (s *Session) ready(start bool) (*process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.replace && !s.closed {
		s.changed.Wait()
	}
	switch {
	case s.closed:
		return nil, errClosed
	case s.worker != nil:
		return s.worker, nil
	case !start:
		return nil, errStopped
	}
	p, err := s.start()
	if err != nil {
		return nil, err
	}
	s.worker = p
	return p, nil
}

// processText implements processOwner.
func (s *Session) processText(p *process, fd int, text string) {
	s.mu.Lock()
	r := s.current
	foreign := p != s.worker
	s.mu.Unlock()
	if r == nil || foreign { // of a spare, or before the first cell
		p.early(text)
		s.opt.Log("kernel: worker: %s", strings.TrimRight(text, "\n"))
		return
	}
	r.stream(streamName(fd), text)
}

// processPacket implements processOwner.
func (s *Session) processPacket(p *process, q packet) {
	s.mu.Lock()
	r, route := s.running, s.routes.byID[q.Cell]
	if p != s.worker {
		s.mu.Unlock()
		return
	}
	if q.Kind == tellStarted && route != nil {
		s.current, s.last = route, route
		if r != nil && r.route == route {
			r.started = true
		}
	}
	s.mu.Unlock()

	var err error
	switch q.Kind {
	case tellStarted:
	case tellDone:
		var result Result
		if result, err = unpackResult(q); err == nil && r != nil && r.cell.ID == q.Cell {
			s.ended(r, result)
		}
	case tellInput:
		if route != nil {
			go s.ask(p, route, q)
		}
	default:
		if route != nil {
			err = route.packet(q)
		}
	}
	if err != nil { // user code has written to the pipe
		p.end(endPipe)
	}
}

// ended takes a cell's Result from the worker.
func (s *Session) ended(r *run, result Result) {
	s.mu.Lock()
	if result.Snapshot != nil {
		s.snapshot = result.Snapshot
	}
	s.crashes = nil
	if !s.warming && s.spare == nil && !s.opt.NoSpare {
		s.warming = true
		time.AfterFunc(spareAfter, s.warm)
	}
	s.mu.Unlock()
	select {
	case r.done <- result:
	default:
	}
}

// ask asks the user for the worker.
func (s *Session) ask(p *process, r *route, q packet) {
	var body inputBody
	if q.body(&body) != nil {
		return
	}
	var answer inputBody
	if !r.allowStdin {
		answer.Refused = true
	} else if text, err := r.sink.Input(r.asking, body.Prompt, body.Password); err != nil {
		answer.Err = err.Error()
	} else {
		answer.Text = text
	}
	reply := newPacket(askInput, answer)
	reply.ID, reply.Cell = q.ID, q.Cell
	p.send(reply)
}

// Complete lists what could stand at the cursor (a byte offset), also while a
// cell runs.
func (s *Session) Complete(ctx context.Context, code string, cursor int) (Completion, error) {
	var c Completion
	_, err := s.question(ctx, newPacket(askComplete, cursorBody{Code: code, Cursor: cursor}), &c)
	return c, err
}

// Inspect describes what stands at the cursor, also while a cell runs; a zero
// Bundle says that nothing was found.
func (s *Session) Inspect(ctx context.Context, code string, cursor, detail int) (display.Bundle, error) {
	var body bundleBody
	q, err := s.question(ctx, newPacket(askInspect, cursorBody{code, cursor, detail}), &body)
	if err != nil {
		return display.Bundle{}, err
	}
	return unpackBundle(body, q.buffers)
}

// IsComplete says whether Enter should run the code, also while a cell runs.
func (s *Session) IsComplete(ctx context.Context, code string) (Completeness, error) {
	var c Completeness
	_, err := s.question(ctx, newPacket(askComplEnd, cursorBody{Code: code}), &c)
	return c, err
}

func (s *Session) question(ctx context.Context, q packet, answer any) (packet, error) {
	p, err := s.ready(false)
	if err != nil {
		return packet{}, err
	}
	a, err := p.call(ctx, q)
	if err != nil {
		return packet{}, err
	}
	return a, a.body(answer)
}

// Comm hands a comm message of the front end to the engine; id names the
// request and out receives what the engine says in answer.
func (s *Session) Comm(id string, m display.CommMessage, out display.Sink) error {
	p, err := s.ready(false)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.routes.add(newRoute(id, out, ExecuteOptions{}, s.opt.OutputLimit))
	s.mu.Unlock()
	q := newComm(askComm, m)
	q.Cell = id
	return p.send(q)
}

// Interrupt stops the running cell: first by its context, after Grace with a
// word to the user, after Patience by replacing the worker. It does nothing
// where no cell runs.
func (s *Session) Interrupt() {
	s.mu.Lock()
	r := s.running
	s.mu.Unlock()
	if r != nil {
		s.interrupt(r)
	}
}

func (s *Session) interrupt(r *run) {
	r.stop.Do(func() { go s.insist(r) })
}

func (s *Session) insist(r *run) {
	r.route.ended() // nobody waits for input any more
	p, err := s.ready(false)
	if err != nil {
		return
	}
	q := newPacket(askInterrupt, nil)
	q.Cell = r.cell.ID
	go p.send(q) // a worker that is stopped does not read
	if r.wait(s.opt.Grace) {
		return
	}
	r.route.note(fmt.Sprintf("[interrupt: the cell has not stopped yet; if it does not within %v its process is replaced, and the variables are lost]\n", s.opt.Patience))
	if r.wait(s.opt.Patience) {
		return
	}
	p.end(endInterrupt)
}

// wait reports whether the cell was over within d.
func (r *run) wait(d time.Duration) bool {
	select {
	case <-r.over:
		return true
	case <-time.After(d):
		return false
	}
}

// Restart throws the session's state away and starts a fresh worker. A cell
// that runs ends with an error.
func (s *Session) Restart() error {
	s.mu.Lock()
	s.snapshot, s.crashes = nil, nil
	p := s.worker
	s.mu.Unlock()
	if p != nil {
		p.end(endRestart)
		<-p.gone
	}
	for {
		q, err := s.ready(true)
		if err != nil {
			return err
		}
		if q != p {
			return nil
		}
		time.Sleep(time.Millisecond) // died has not got to it yet
	}
}

// Close ends the worker and every process it started. A cell that runs ends
// with an error.
func (s *Session) Close() error {
	s.mu.Lock()
	s.closed = true
	workers := []*process{s.worker, s.spare}
	running := s.running != nil
	s.changed.Broadcast()
	s.mu.Unlock()
	for _, p := range workers {
		if p == nil {
			continue
		}
		p.mu.Lock()
		p.reason = endClose
		p.mu.Unlock()
		if !running {
			go p.send(newPacket(askClose, nil))
			select { // Engine.Close may have temporary files to remove
			case <-p.gone:
			case <-time.After(500 * time.Millisecond):
			}
		}
		p.end(endClose)
		<-p.gone
	}
	return nil
}

// PIDs returns the process ids of the workers, the active one first.
func (s *Session) PIDs() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	var pids []int
	for _, p := range []*process{s.worker, s.spare} {
		if p != nil {
			pids = append(pids, p.pid())
		}
	}
	return pids
}
