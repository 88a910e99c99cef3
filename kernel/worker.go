package kernel

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/fathom-kernel/fathom/stdlib/display"
)

// ServeWorker runs the engine for the front that started this process with
// the pipes of a Session, and ends the process when the front is gone or says
// so. The binary's "worker" command calls it with a new Engine. It returns
// only an error: of a process that no Session has started.
func ServeWorker(engine Engine) error {
	w := &worker{engine: engine, inputs: map[uint64]chan inputBody{}}
	w.commsCond = sync.NewCond(&w.mu)
	requests, events, err := openPipes()
	if err != nil {
		return err
	}
	w.events = &pipeWriter{w: events}
	r := bufio.NewReaderSize(requests, flushBytes)
	q, err := readPacket(r)
	var hello helloBody
	if err == nil && q.Kind == askHello {
		err = q.body(&hello)
	}
	if err != nil || hello.Token == "" {
		return fmt.Errorf("kernel: the worker command is for the kernel's own use; try \"fathom help\" (%v)", err)
	}
	if w.stdio, err = takeStdio(hello.Token); err != nil {
		return err
	}
	prepareWorker(hello.Memory)
	w.events.write(newPacket(tellReady, nil))
	go w.serveComms()
	for {
		q, err := readPacket(r)
		if err != nil {
			endWorker() // the front is gone: take our children along
		}
		w.handle(q)
	}
}

// worker is the state of a worker process.
type worker struct {
	engine Engine
	events *pipeWriter
	stdio  *stdio

	mu        sync.Mutex
	cell      string             // the newest cell
	cancel    context.CancelFunc // of the running one, else nil
	inputs    map[uint64]chan inputBody
	lastInput uint64
	comms     []packet
	commsCond *sync.Cond
}

func (w *worker) handle(q packet) {
	switch q.Kind {
	case askExecute:
		var body executeBody
		if q.body(&body) == nil {
			ctx, cancel := context.WithCancel(context.Background())
			w.mu.Lock() // here, so that an interrupt right behind finds it
			w.cell, w.cancel = body.Cell.ID, cancel
			w.mu.Unlock()
			go w.execute(ctx, body)
		}
	case askInterrupt:
		w.mu.Lock()
		if w.cancel != nil && w.cell == q.Cell {
			w.cancel()
		}
		w.mu.Unlock()
	case askComplete, askInspect, askComplEnd, askRestore:
		go w.answer(q)
	case askComm:
		w.mu.Lock()
		w.comms = append(w.comms, q)
		w.commsCond.Signal()
		w.mu.Unlock()
	case askInput:
		var body inputBody
		q.body(&body)
		w.mu.Lock()
		c := w.inputs[q.ID]
		delete(w.inputs, q.ID)
		w.mu.Unlock()
		if c != nil {
			c <- body // has room for it
		}
	case askClose:
		go func() {
			w.engine.Close()
			endWorker()
		}()
	}
}

// execute runs one cell. The front sends the next when this one is done.
func (w *worker) execute(ctx context.Context, body executeBody) {
	cell := body.Cell
	w.stdio.restore()
	sink := &workerSink{w, cell.ID}
	w.tell(cell.ID, newPacket(tellStarted, nil))
	stopWatch := w.stdio.watchInput(ctx, sink.read, func(text string) { sink.Stream("stderr", text) })

	result := Result{Err: &Error{Name: ErrExit, Value: "the cell ended its own goroutine (runtime.Goexit)", Traceback: []string{"the cell ended its own goroutine (runtime.Goexit)"}}}
	defer func() { // deferred, because of Goexit
		stopWatch()
		w.mu.Lock()
		w.cancel()
		w.cancel = nil
		w.mu.Unlock()
		w.tell(cell.ID, packResult(result))
	}()
	result = w.run(ctx, cell, sink)
}

// run calls the Engine. A panic that gets here is the Engine's fault or comes
// from a cell that the Engine does not guard; either way the session goes on.
func (w *worker) run(ctx context.Context, cell Cell, sink display.Sink) (result Result) {
	defer func() {
		if v := recover(); v != nil {
			trace := "panic: " + fmt.Sprint(v) + "\n\n" + string(debug.Stack())
			result = Result{Err: &Error{Name: ErrPanic, Value: fmt.Sprint(v), Traceback: []string{red + ErrPanic + plain + ": " + fmt.Sprint(v)}}}
			for _, f := range userFrames(trace) {
				result.Err.Traceback = append(result.Err.Traceback, "  at "+f)
			}
		}
	}()
	return w.engine.Execute(ctx, cell, sink)
}

// tell sends a packet that has its place among the printed text.
func (w *worker) tell(cell string, q packet) {
	q.Cell = cell
	if q.size() > maxPacket-1<<20 {
		(&workerSink{w, cell}).Stream("stderr", fmt.Sprintf("[kernel: a %s of %s is more than the %s that can be sent]\n", q.Kind, byteText(int64(q.size())), byteText(maxPacket)))
		if q.Kind != tellDone {
			return
		}
		q = packResult(Result{Err: &Error{Name: "TooLarge", Value: "the cell's result cannot be sent", Traceback: []string{"the cell's result cannot be sent"}}})
		q.Cell = cell
	}
	// One lock for the fence and its packet keeps fences in order.
	w.events.mu.Lock()
	defer w.events.mu.Unlock()
	q.Fence = w.stdio.fence()
	writePacket(w.events.w, q)
}

// answer serves a question that may come while a cell runs.
func (w *worker) answer(q packet) {
	reply := packet{Kind: tellAnswer}
	defer func() {
		if recover() != nil { // the Engine's fault; an empty answer is better than none
			reply = newPacket(tellAnswer, struct{}{})
		}
		reply.ID = q.ID
		w.events.write(reply)
	}()
	var at cursorBody
	if q.Kind != askRestore {
		q.body(&at)
		at.Cursor = min(max(at.Cursor, 0), len(at.Code))
	}
	switch q.Kind {
	case askComplete:
		reply = newPacket(tellAnswer, w.engine.Complete(context.Background(), at.Code, at.Cursor))
	case askInspect:
		body := packBundle(w.engine.Inspect(context.Background(), at.Code, at.Cursor, at.Detail), &reply)
		reply.Body = newPacket("", body).Body
	case askComplEnd:
		reply = newPacket(tellAnswer, w.engine.IsComplete(at.Code))
	case askRestore:
		var snapshot []byte
		if len(q.buffers) > 0 {
			snapshot = q.buffers[0]
		}
		lost, err := w.engine.Restore(context.Background(), snapshot)
		body := restoredBody{Lost: lost}
		if err != nil {
			body.Err = err.Error()
		}
		reply = newPacket(tellAnswer, body)
	}
}

// serveComms hands comm messages to the Engine one by one, in order.
func (w *worker) serveComms() {
	for {
		w.mu.Lock()
		for len(w.comms) == 0 {
			w.commsCond.Wait()
		}
		q := w.comms[0]
		w.comms = w.comms[1:]
		w.mu.Unlock()
		var body commBody
		if q.body(&body) != nil {
			continue
		}
		sink := &workerSink{w, q.Cell}
		func() {
			defer func() {
				if v := recover(); v != nil {
					sink.Stream("stderr", fmt.Sprintf("panic in a comm's handler: %v\n%s", v, strings.Join(userFrames("\n"+string(debug.Stack())), "\n")))
				}
			}()
			w.engine.Comm(body.message(q.buffers), sink)
		}()
	}
}

// workerSink is the display.Sink of one cell, or of one comm message.
type workerSink struct {
	w    *worker
	cell string
}

func (s *workerSink) Display(b display.Bundle, id string) { s.show(tellDisplay, b, id) }
func (s *workerSink) Update(b display.Bundle, id string)  { s.show(tellUpdate, b, id) }
func (s *workerSink) Result(b display.Bundle)             { s.show(tellResult, b, "") }

func (s *workerSink) show(kind string, b display.Bundle, id string) {
	q := packet{Kind: kind}
	body := displayBody{ID: id, Bundle: packBundle(b, &q)}
	q.Body = newPacket(kind, body).Body
	s.w.tell(s.cell, q)
}

func (s *workerSink) Clear(wait bool) { s.w.tell(s.cell, newPacket(tellClear, clearBody{wait})) }

func (s *workerSink) Comm(m display.CommMessage) { s.w.tell(s.cell, newComm(tellComm, m)) }

// Stream prints to the file descriptor where the cell is the newest, so that
// its order with everything else printed there is kept; the text of an older
// cell goes by packet, with its name on it.
func (s *workerSink) Stream(name, text string) {
	s.w.mu.Lock()
	newest := s.w.cell == s.cell
	s.w.mu.Unlock()
	if newest {
		fd := stdout
		if name == "stderr" {
			fd = stderr
		}
		if s.w.stdio.print(fd, text) == nil {
			return
		}
	}
	for len(text) > 0 {
		n := min(len(text), 1<<20)
		q := newPacket(tellStream, streamBody{name})
		q.Cell = s.cell
		q.buffers = [][]byte{[]byte(text[:n])}
		s.w.events.write(q)
		text = text[n:]
	}
}

var errNoInput = errors.New("kernel: this front end cannot ask for input")

func (s *workerSink) Input(ctx context.Context, prompt string, password bool) (string, error) {
	w := s.w
	c := make(chan inputBody, 1)
	w.mu.Lock()
	w.lastInput++
	id := w.lastInput
	w.inputs[id] = c
	w.mu.Unlock()
	q := newPacket(tellInput, inputBody{Prompt: prompt, Password: password})
	q.ID = id
	w.tell(s.cell, q)
	select {
	case answer := <-c:
		switch {
		case answer.Refused:
			return "", errNoInput
		case answer.Err != "":
			return "", errors.New(answer.Err)
		}
		return answer.Text, nil
	case <-ctx.Done():
		w.mu.Lock()
		delete(w.inputs, id)
		w.mu.Unlock()
		return "", ctx.Err()
	}
}

// read asks for a line because somebody reads os.Stdin.
func (s *workerSink) read(ctx context.Context) (string, error) { return s.Input(ctx, "", false) }
