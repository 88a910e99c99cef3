package display

import (
	"fmt"
	"math"
	"strings"
	"sync"
)

// A Widget is a control in the page whose value the program reads and sets: a
// slider, a field, a button. It works over Jupyter comms, in the protocol that
// current front ends speak (2.x: JupyterLab, Notebook 7, VS Code) and in the
// one of the classic notebook's older extension; which of them is there cannot
// be asked beforehand, so what is sent carries both forms.
//
// Methods may be called from any goroutine. What OnChange was given runs on one
// goroutine for each widget, begun by the caller of OnChange, so its output goes
// to the caller's cell; when values come faster than it returns, it sees the
// latest.
type Widget struct {
	id       string
	sink     Sink
	kind     string // for the text form: "slider"
	modern   modelForm
	classic  modelForm
	children []*Widget
	labels   []string // of a select

	mu        sync.Mutex
	value     any           // float64, int, string, bool; nil where there is none
	dirty     chan struct{} // the value has changed since the listeners saw it
	done      chan struct{} // closed by Close
	listeners []func(value any)
	closed    bool
}

// A modelForm is a widget as one protocol has it: the model's name and keys,
// apart from the value.
type modelForm struct {
	model, view string
	module      string
	version     string
	state       map[string]any
	viewModule  string // "" where it is module
}

// Module names and versions of the two protocols: ipywidgets 8's, and those of
// the classic extension (jupyter-js-widgets 2.1).
const (
	modernProtocol  = "2.1.0"
	controlsModule  = "@jupyter-widgets/controls"
	baseModule      = "@jupyter-widgets/base"
	outputModule    = "@jupyter-widgets/output"
	modernVersion   = "2.0.0"
	classicModule   = "jupyter-js-widgets"
	classicVersion  = "~2.1.4"
	widgetTarget    = "jupyter.widget"
	versionTarget   = "jupyter.widget.version"
	controlTarget   = "jupyter.widget.control"
	widgetViewMIME  = "application/vnd.jupyter.widget-view+json"
	modelReferences = "IPY_MODEL_"
)

// widgets are the open ones, by comm id, in the order of their opening: the
// states sent after a reload must name children before what holds them.
var widgets = struct {
	sync.Mutex
	byID    map[string]*Widget
	order   []string
	control map[string]bool // comms of the control target
	classic bool            // the classic extension has announced itself
}{byID: map[string]*Widget{}, control: map[string]bool{}}

// open registers the widget and tells the front end.
func (w *Widget) open() *Widget {
	w.id, w.sink = strings.ReplaceAll(newID(), "-", ""), Current()
	w.dirty, w.done = make(chan struct{}, 1), make(chan struct{})
	widgets.Lock()
	widgets.byID[w.id] = w
	widgets.order = append(widgets.order, w.id)
	widgets.Unlock()
	// The classic extension reads the state at the top of the data, current ones
	// under "state". Each ignores what is the other's.
	data := w.fullState(true)
	data["state"], data["buffer_paths"] = w.fullState(false), []any{}
	w.sink.Comm(CommMessage{Kind: "comm_open", ID: w.id, Target: widgetTarget, Data: data,
		Metadata: map[string]any{"version": modernProtocol}})
	return w
}

// fullState is everything that a front end needs to make the model, in the form
// of the classic protocol or of the current one.
func (w *Widget) fullState(classic bool) map[string]any {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.modern
	if classic {
		f = w.classic
	}
	s := map[string]any{
		"_model_name": f.model, "_model_module": f.module, "_model_module_version": f.version,
	}
	if f.view != "" {
		s["_view_name"], s["_view_module"], s["_view_module_version"] = f.view, f.module, f.version
		if f.viewModule != "" {
			s["_view_module"] = f.viewModule
		}
	}
	for k, v := range f.state {
		s[k] = v
	}
	for k, v := range w.valueState() {
		s[k] = v
	}
	return s
}

// valueState is the value in the keys of both protocols. The caller holds mu.
func (w *Widget) valueState() map[string]any {
	if w.value == nil {
		return nil
	}
	s := map[string]any{"value": w.value}
	if text, ok := w.value.(string); ok {
		s["value"] = strings.ToValidUTF8(text, "\uFFFD")
	}
	if w.labels != nil {
		s["index"] = nil
		for i, l := range w.labels {
			if l == w.value {
				s["index"] = i
			}
		}
	}
	return s
}

// ID returns the id of the widget's comm.
func (w *Widget) ID() string { return w.id }

// MIME shows the widget: its view where a front end has widgets, its text
// elsewhere. The classic extension draws a view when it is told to on the comm,
// under the cell that tells it, and shows the text as well, which is left out.
func (w *Widget) MIME() Bundle {
	b := Text(w.String())
	widgets.Lock()
	classic := widgets.classic
	widgets.Unlock()
	if classic {
		b.Data[MIMETypeText] = ""
		Current().Comm(CommMessage{Kind: "comm_msg", ID: w.id, Data: map[string]any{"method": "display"}})
	}
	b.Data[widgetViewMIME] = map[string]any{"version_major": 2, "version_minor": 0, "model_id": w.id}
	return b
}

// String returns the widget and its value in a line.
func (w *Widget) String() string {
	if w.kind == "output" {
		return w.kind // what it shows is markup
	}
	name, _ := w.modern.state["description"].(string)
	s := strings.TrimSpace(w.kind + " " + name)
	if v := w.Value(); v != nil {
		s += fmt.Sprintf(" = %v", v)
	}
	for _, c := range w.children {
		s += "\n" + c.String()
	}
	return s
}

// Value returns the widget's value: float64, int, string or bool by its kind,
// nil where it has none.
func (w *Widget) Value() any {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.value
}

// Float returns the value of a number, 0 where it is none.
func (w *Widget) Float() float64 {
	switch v := w.Value().(type) {
	case float64:
		return v
	case int:
		return float64(v)
	}
	return 0
}

// Int returns the value of a number, rounded, 0 where it is none.
func (w *Widget) Int() int { return int(math.Round(w.Float())) }

// Bool returns the value of a checkbox, false for anything else.
func (w *Widget) Bool() bool { v, _ := w.Value().(bool); return v }

// Set changes the value, in the page too, and calls what OnChange was given. A
// value of another kind is an error.
func (w *Widget) Set(value any) error {
	v, ok := w.accept(value)
	if !ok {
		return fmt.Errorf("display: a %s takes no %T (%v); give a value like %v", w.kind, value, value, w.Value())
	}
	w.change(v)
	w.mu.Lock()
	state := w.valueState()
	w.mu.Unlock()
	w.send(map[string]any{"method": "update", "state": state, "buffer_paths": []any{}})
	return nil
}

// accept turns what a program or a front end gives into the widget's kind.
func (w *Widget) accept(value any) (any, bool) {
	switch w.Value().(type) {
	case float64:
		switch v := value.(type) {
		case float64:
			return v, !math.IsNaN(v)
		case int:
			return float64(v), true
		}
	case int:
		switch v := value.(type) {
		case int:
			return v, true
		case float64:
			if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
				return int(v), true
			}
		}
	case string:
		s, ok := value.(string)
		if ok && w.labels != nil {
			ok = false
			for _, l := range w.labels {
				ok = ok || l == s
			}
		}
		return s, ok
	case bool:
		b, ok := value.(bool)
		return b, ok
	}
	return nil, false
}

// change stores a value and wakes the listeners.
func (w *Widget) change(v any) {
	w.mu.Lock()
	same := w.value == v
	w.value = v
	w.mu.Unlock()
	if !same {
		w.wake()
	}
}

func (w *Widget) wake() {
	select {
	case w.dirty <- struct{}{}:
	default: // the listeners have not seen the last change yet; they will see this
	}
}

// OnChange has f called with each new value, one call at a time; for a button,
// with nil at each click.
func (w *Widget) OnChange(f func(value any)) {
	w.mu.Lock()
	first := len(w.listeners) == 0
	w.listeners = append(w.listeners, f)
	w.mu.Unlock()
	if first {
		go w.listen()
	}
}

// listen calls the listeners until the widget is closed. A panic in one is
// shown on stderr of the cell and does not end the program.
func (w *Widget) listen() {
	for {
		select {
		case <-w.done:
			return
		case <-w.dirty:
		}
		w.mu.Lock()
		value, list := w.value, append([]func(any){}, w.listeners...)
		w.mu.Unlock()
		for _, f := range list {
			func() {
				defer func() {
					if p := recover(); p != nil {
						w.sink.Stream("stderr", fmt.Sprintf("panic in OnChange of %s: %s\n", w.kind, panicText(p)))
					}
				}()
				f(value)
			}()
		}
	}
}

// Close takes the widget out of the page and ends its listeners.
func (w *Widget) Close() {
	w.mu.Lock()
	closed := w.closed
	w.closed = true
	w.mu.Unlock()
	if closed {
		return
	}
	close(w.done)
	widgets.Lock()
	delete(widgets.byID, w.id)
	for i, id := range widgets.order {
		if id == w.id {
			widgets.order = append(widgets.order[:i:i], widgets.order[i+1:]...)
			break
		}
	}
	widgets.Unlock()
	w.sink.Comm(CommMessage{Kind: "comm_close", ID: w.id, Data: map[string]any{}})
}

func (w *Widget) send(data map[string]any) {
	w.sink.Comm(CommMessage{Kind: "comm_msg", ID: w.id, Data: data})
}
