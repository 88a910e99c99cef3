package notebook

import (
	"context"
	"strings"
	"sync"

	"github.com/fathom-kernel/fathom/kernel"
	"github.com/fathom-kernel/fathom/stdlib/display"
)

// Recorder turns what running cells show into the outputs of a notebook, the
// way a front end does: neighbouring texts of one stream become one output, an
// update changes every display of that id wherever it stands, and a clear
// takes effect at once or with the next output.
//
// Everything shown is also passed on, as it comes, to the sink given to
// NewRecorder. A Recorder may be used from any goroutine, also for output that
// comes after its cell has ended.
type Recorder struct {
	mu       sync.Mutex
	displays map[string][]*Output
	forward  display.Sink
	closed   bool // the run is over: nothing more is recorded
}

// NewRecorder returns a Recorder that passes everything on to forward, which
// may be nil.
func NewRecorder(forward display.Sink) *Recorder {
	return &Recorder{displays: map[string][]*Output{}, forward: forward}
}

// Sink returns the sink whose output becomes that of the cell.
func (r *Recorder) Sink(c *Cell) display.Sink { return &cellSink{r: r, cell: c} }

// Fail ends the cell's outputs with an error.
func (r *Recorder) Fail(c *Cell, e *kernel.Error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c.Outputs = append(c.Outputs, &Output{
		Kind: ErrorOutput, ErrName: e.Name, ErrValue: e.Value, Traceback: e.Traceback,
	})
}

// Close ends the recording: later output of goroutines that outlive the run
// is still passed on, but the notebook no longer changes.
func (r *Recorder) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
}

// cellSink is one cell's end of a Recorder.
type cellSink struct {
	r     *Recorder
	cell  *Cell
	clear bool // clear with the next output

	// text gathers the stream that is the cell's last output, since adding
	// to a string copies it each time.
	text strings.Builder
}

// add appends the output, after a clear that was waiting for it. The caller
// holds the lock.
func (s *cellSink) add(o *Output) {
	if s.r.closed {
		return
	}
	s.clearWaiting()
	s.cell.Outputs = append(s.cell.Outputs, o)
	if o.displayID != "" {
		s.r.displays[o.displayID] = append(s.r.displays[o.displayID], o)
	}
}

func (s *cellSink) clearWaiting() {
	if s.clear && !s.r.closed {
		s.clear = false
		s.cell.Outputs = nil
	}
}

func (s *cellSink) Display(b display.Bundle, id string) {
	s.r.mu.Lock()
	s.add(&Output{Kind: DisplayData, Data: b.Wire(), Metadata: b.Metadata, displayID: id})
	s.r.mu.Unlock()
	if s.r.forward != nil {
		s.r.forward.Display(b, id)
	}
}

func (s *cellSink) Update(b display.Bundle, id string) {
	s.r.mu.Lock()
	for _, o := range s.r.displays[id] {
		if s.r.closed {
			break
		}
		o.Data, o.Metadata = b.Wire(), b.Metadata
	}
	s.r.mu.Unlock()
	if s.r.forward != nil {
		s.r.forward.Update(b, id)
	}
}

func (s *cellSink) Result(b display.Bundle) {
	s.r.mu.Lock()
	s.add(&Output{Kind: ExecuteResult, Data: b.Wire(), Metadata: b.Metadata, Count: s.cell.Count})
	s.r.mu.Unlock()
	if s.r.forward != nil {
		s.r.forward.Result(b)
	}
}

func (s *cellSink) Clear(wait bool) {
	s.r.mu.Lock()
	if s.clear = wait; !wait && !s.r.closed {
		s.cell.Outputs = nil
	}
	s.r.mu.Unlock()
	if s.r.forward != nil {
		s.r.forward.Clear(wait)
	}
}

func (s *cellSink) Stream(name, text string) {
	if text == "" {
		return
	}
	s.r.mu.Lock()
	s.clearWaiting()
	if n := len(s.cell.Outputs); n > 0 && s.cell.Outputs[n-1].Kind == StreamOutput && s.cell.Outputs[n-1].Name == name && !s.r.closed {
		s.text.WriteString(text)
		s.cell.Outputs[n-1].Text = s.text.String()
	} else {
		s.text.Reset()
		s.text.WriteString(text)
		s.add(&Output{Kind: StreamOutput, Name: name, Text: text})
	}
	s.r.mu.Unlock()
	if s.r.forward != nil {
		s.r.forward.Stream(name, text)
	}
}

func (s *cellSink) Input(ctx context.Context, prompt string, password bool) (string, error) {
	if s.r.forward == nil {
		return "", errNoInput
	}
	return s.r.forward.Input(ctx, prompt, password)
}

// Comm messages are for a live front end; a document keeps none of them.
func (s *cellSink) Comm(m display.CommMessage) {
	if s.r.forward != nil {
		s.r.forward.Comm(m)
	}
}
