package display

import "fmt"

// HandleComm takes a comm message of the front end and answers on out. A kernel
// calls it for every one; it never blocks: what listens to a widget runs on a
// goroutine of its own. A comm of an unknown target is closed.
func HandleComm(m CommMessage, out Sink) {
	switch m.Kind {
	case "comm_open":
		openComm(m, out)
	case "comm_msg":
		widgets.Lock()
		w, control := widgets.byID[m.ID], widgets.control[m.ID]
		widgets.Unlock()
		switch {
		case w != nil:
			w.handle(m, out)
		case control && m.Data["method"] == "request_states":
			out.Comm(CommMessage{Kind: "comm_msg", ID: m.ID, Data: allStates()})
		}
	case "comm_close":
		widgets.Lock()
		w := widgets.byID[m.ID]
		delete(widgets.control, m.ID)
		widgets.Unlock()
		if w != nil {
			w.Close()
		}
	}
}

func openComm(m CommMessage, out Sink) {
	switch m.Target {
	case versionTarget:
		// The classic extension asks which front-end version the kernel is made
		// for, and warns when that is not its own.
		widgets.Lock()
		widgets.classic = true
		widgets.Unlock()
		out.Comm(CommMessage{Kind: "comm_msg", ID: m.ID, Data: map[string]any{"version": classicVersion}})
	case controlTarget:
		widgets.Lock()
		widgets.classic = false
		widgets.control[m.ID] = true
		widgets.Unlock()
	default:
		out.Comm(CommMessage{Kind: "comm_close", ID: m.ID, Data: map[string]any{
			"error": fmt.Sprintf("display: no comm target %q", m.Target)}})
	}
}

// allStates answers a page that was loaded again.
func allStates() map[string]any {
	widgets.Lock()
	list := make([]*Widget, 0, len(widgets.order))
	for _, id := range widgets.order {
		list = append(list, widgets.byID[id])
	}
	widgets.Unlock()
	states := map[string]any{}
	for _, w := range list {
		states[w.id] = map[string]any{"model_name": w.modern.model, "model_module": w.modern.module,
			"model_module_version": w.modern.version, "state": w.fullState(false)}
	}
	return map[string]any{"method": "update_states", "states": states, "buffer_paths": []any{}}
}

// handle takes a message to a widget: "update" of current front ends and
// "backbone" of the classic one bring values, "custom" a click.
func (w *Widget) handle(m CommMessage, out Sink) {
	switch m.Data["method"] {
	case "update":
		w.take(m.Data["state"])
	case "backbone":
		w.take(m.Data["sync_data"])
	case "custom":
		if c, ok := m.Data["content"].(map[string]any); ok && c["event"] == "click" {
			w.wake()
		}
	case "request_state":
		widgets.Lock()
		classic := widgets.classic
		widgets.Unlock()
		out.Comm(CommMessage{Kind: "comm_msg", ID: w.id,
			Data: map[string]any{"method": "update", "state": w.fullState(classic), "buffer_paths": []any{}}})
	}
}

// take stores the value in a state of the front end, if it is of the widget's
// kind; what a page sends is not to be trusted.
func (w *Widget) take(state any) {
	s, ok := state.(map[string]any)
	if !ok {
		return
	}
	value, ok := s["value"]
	if i, is := s["index"].(float64); is && w.labels != nil && i >= 0 && int(i) < len(w.labels) {
		value, ok = w.labels[int(i)], true
	}
	if !ok {
		return
	}
	if v, ok := w.accept(value); ok {
		w.change(v)
	}
}
