package display

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// page is a front end of either protocol, as far as models go: it keeps the
// state that messages give it, and refuses references to models it has not got.
type page struct {
	t       *testing.T
	classic bool
	models  map[string]map[string]any
}

func newPage(t *testing.T, classic bool) *page {
	return &page{t, classic, map[string]map[string]any{}}
}

// read takes messages of the kernel, as JSON carries them.
func (p *page) read(messages []CommMessage) {
	p.t.Helper()
	for _, m := range messages {
		raw, err := json.Marshal(m.Data)
		if err != nil {
			p.t.Fatalf("no JSON: %v", err)
		}
		var data map[string]any
		json.Unmarshal(raw, &data)
		switch m.Kind {
		case "comm_open":
			state := data
			if !p.classic {
				if v, _ := m.Metadata["version"].(string); !strings.HasPrefix(v, "2.") {
					p.t.Errorf("protocol version %q", v)
				}
				state = data["state"].(map[string]any)
			}
			for _, key := range []string{"_model_name", "_model_module", "_model_module_version"} {
				if s, _ := state[key].(string); s == "" {
					p.t.Errorf("%s of %v is missing", key, state)
				}
			}
			if want := map[bool]string{true: "jupyter-js-widgets", false: "@jupyter-widgets/"}[p.classic]; !strings.HasPrefix(state["_model_module"].(string), want) {
				p.t.Errorf("module %v", state["_model_module"])
			}
			refs := []any{state["layout"], state["style"]}
			if c, ok := state["children"].([]any); ok {
				refs = append(refs, c...)
			}
			for _, r := range refs {
				if id, ok := r.(string); ok && p.models[strings.TrimPrefix(id, "IPY_MODEL_")] == nil {
					p.t.Errorf("%v is opened before %v, which it names", state["_model_name"], id)
				}
			}
			p.models[m.ID] = state
		case "comm_msg":
			if data["method"] != "update" {
				p.t.Errorf("method %v", data["method"])
			}
			for k, v := range data["state"].(map[string]any) {
				p.models[m.ID][k] = v
			}
		case "comm_close":
			delete(p.models, m.ID)
		}
	}
}

// change sends a value as the protocol does.
func (p *page) change(w *Widget, key string, value any, out Sink) {
	data := map[string]any{"method": "update", "state": map[string]any{key: value}, "buffer_paths": []any{}}
	if p.classic {
		data = map[string]any{"method": "backbone", "sync_method": "update", "sync_data": map[string]any{key: value}}
	}
	HandleComm(CommMessage{Kind: "comm_msg", ID: w.ID(), Data: data}, out)
}

func (r *recorder) messages() []CommMessage {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]CommMessage(nil), r.comms...)
}

// eventually waits for what another goroutine does.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s did not happen", what)
		}
	}
}

func TestControlsInBothProtocols(t *testing.T) {
	for _, classic := range []bool{false, true} {
		hosted(t, func(r *recorder) {
			slider, whole := Slider("x <i>", 0, 10, 2.5), IntSlider("n", 1, 5, 9)
			number, text := Number("v", 1e6), TextField("t", "a")
			choice, check := Select("c", "one", "two", "three"), Checkbox("b", true)
			clicks := make(chan bool, 10)
			button := Button("go", func() { clicks <- true })
			area := Output()
			all := Box(HBox(slider, whole), number, text, choice, check, button, area.Widget, nil)
			p := newPage(t, classic)
			p.read(r.messages())
			for w, want := range map[*Widget]any{slider: 2.5, whole: 5.0, number: 1e6, text: "a", check: true} {
				if got := p.models[w.ID()]["value"]; got != want {
					t.Errorf("classic %v: a %s has the value %v, want %v", classic, w.kind, got, want)
				}
			}
			if m := p.models[choice.ID()]; fmt.Sprint(m["_options_labels"]) != "[one two three]" || m["index"] != 0.0 || m["value"] != "one" {
				t.Errorf("the choice is %v", m)
			}
			if m := p.models[all.ID()]; len(m["children"].([]any)) != 7 {
				t.Errorf("the box holds %v", m["children"])
			}

			p.change(slider, "value", 7.25, r)
			p.change(whole, "value", 3.0, r)
			p.change(text, "value", "bcd", r)
			p.change(check, "value", false, r)
			if classic {
				p.change(choice, "value", "three", r)
			} else {
				p.change(choice, "index", 2.0, r)
			}
			if slider.Float() != 7.25 || whole.Int() != 3 || text.Value() != "bcd" || check.Bool() || choice.Value() != "three" {
				t.Errorf("values are %v %v %v %v %v", slider.Value(), whole.Value(), text.Value(), check.Value(), choice.Value())
			}
			// What is of another kind, or no option, changes nothing.
			p.change(slider, "value", "7", r)
			p.change(whole, "value", 2.5, r)
			p.change(choice, "value", "four", r)
			p.change(choice, "index", 9.0, r)
			p.change(choice, "index", -1.0, r)
			HandleComm(CommMessage{Kind: "comm_msg", ID: slider.ID(), Data: map[string]any{"method": "update", "state": 3}}, r)
			HandleComm(CommMessage{Kind: "comm_msg", ID: slider.ID()}, r)
			HandleComm(CommMessage{Kind: "comm_msg", ID: "unknown"}, r)
			if slider.Value() != 7.25 || whole.Value() != 3 || choice.Value() != "three" {
				t.Errorf("values became %v %v %v", slider.Value(), whole.Value(), choice.Value())
			}

			HandleComm(CommMessage{Kind: "comm_msg", ID: button.ID(), Data: map[string]any{"method": "custom", "content": map[string]any{"event": "click"}}}, r)
			select {
			case <-clicks:
			case <-time.After(10 * time.Second):
				t.Error("the click did not arrive")
			}

			if err := choice.Set("two"); err != nil {
				t.Error(err)
			}
			if err := slider.Set(4); err != nil {
				t.Error(err)
			}
			if slider.Set("x") == nil || choice.Set("four") == nil || button.Set(1) == nil {
				t.Error("a value of another kind must be refused")
			}
			area.Show(HTML("<b>shown</b>"), 3)
			p = newPage(t, classic)
			p.read(r.messages())
			if p.models[choice.ID()]["value"] != "two" || p.models[choice.ID()]["index"] != 1.0 || p.models[slider.ID()]["value"] != 4.0 {
				t.Error("what the program set is not in the page")
			}
			shown := fmt.Sprint(p.models[area.ID()]["outputs"])
			if classic {
				shown = fmt.Sprint(p.models[area.ID()]["value"])
			}
			if !strings.Contains(shown, "<b>shown</b>") || !strings.Contains(shown, "3") {
				t.Errorf("the area shows %s", shown)
			}

			b := Render(all)
			view := b.Data[widgetViewMIME].(map[string]any)
			if view["model_id"] != all.ID() || b.Data[MIMETypeHTML] != nil || !strings.Contains(b.Data[MIMETypeText].(string), "slider x <i> = 4") {
				t.Errorf("the view is %v", b.Data)
			}
			all.Close()
			all.Close()
			if last := r.messages(); last[len(last)-1].Kind != "comm_close" {
				t.Error("closing says nothing")
			}
		})
	}
}

func TestReloadedPageGetsItsStates(t *testing.T) {
	hosted(t, func(r *recorder) {
		s := Slider("x", 0, 1, 0.5)
		defer s.Close()
		s.Set(0.75)
		back := &recorder{}
		HandleComm(CommMessage{Kind: "comm_open", ID: "ctl", Target: controlTarget}, back)
		HandleComm(CommMessage{Kind: "comm_msg", ID: "ctl", Data: map[string]any{"method": "request_states"}}, back)
		states := back.messages()[0].Data["states"].(map[string]any)
		m := states[s.ID()].(map[string]any)
		if m["model_name"] != "FloatSliderModel" || m["state"].(map[string]any)["value"] != 0.75 {
			t.Errorf("the state is %v", m)
		}
		HandleComm(CommMessage{Kind: "comm_close", ID: "ctl"}, back)
		HandleComm(CommMessage{Kind: "comm_msg", ID: "ctl", Data: map[string]any{"method": "request_states"}}, back)
		if len(back.messages()) != 1 {
			t.Error("a closed comm was answered")
		}

		HandleComm(CommMessage{Kind: "comm_open", ID: "v", Target: versionTarget}, back)
		if got := back.messages()[1].Data["version"]; got != classicVersion {
			t.Errorf("version %v", got)
		}
		HandleComm(CommMessage{Kind: "comm_msg", ID: s.ID(), Data: map[string]any{"method": "request_state"}}, back)
		if got := back.messages()[2].Data["state"].(map[string]any)["_model_module"]; got != classicModule {
			t.Errorf("after the classic extension announced itself it gets %v", got)
		}
		HandleComm(CommMessage{Kind: "comm_open", ID: "z", Target: "unknown"}, back)
		if last := back.messages()[3]; last.Kind != "comm_close" || last.ID != "z" {
			t.Errorf("an unknown target got %v", last)
		}
		HandleComm(CommMessage{Kind: "comm_open", ID: "c2", Target: controlTarget}, back) // leave it current
	})
}

func TestInteract(t *testing.T) {
	hosted(t, func(r *recorder) {
		x := Slider("x", 0, 10, 2)
		err := Interact(func(x float64, n int, name string, ok bool) (any, error) {
			if x == 9 {
				panic("nine")
			}
			if !ok {
				return fmt.Sprintf("%v %v %q", x, n, name), nil
			}
			return nil, fmt.Errorf("not ok")
		}, x)
		if err != nil {
			t.Fatal(err)
		}
		shown, _ := r.snapshot()
		if len(shown) != 2 || shown[0].Data[widgetViewMIME] == nil || shown[1].Data["text/plain"] != `"2 1 \"\""` {
			t.Fatalf("shown %v", shown)
		}
		latest := func() string {
			_, u := r.snapshot()
			if len(u) == 0 {
				return ""
			}
			return u[len(u)-1].Data["text/plain"].(string)
		}
		p := newPage(t, false)
		p.change(x, "value", 3.5, r)
		eventually(t, "an update", func() bool { return latest() == `"3.5 1 \"\""` })
		p.change(x, "value", 9.0, r)
		eventually(t, "the panic", func() bool { return latest() == "panic: nine" })
		for i := range 100 {
			p.change(x, "value", float64(i)/20, r)
		}
		eventually(t, "the last of many", func() bool { return latest() == `"4.95 1 \"\""` })
		if _, u := r.snapshot(); len(u) > 103 {
			t.Errorf("%d updates for 102 changes", len(u))
		}
	})
	for i, err := range []error{
		Interact(3), Interact(nil), Interact(func(...int) {}), Interact(func() {}, Checkbox("", true)),
		Interact(func(int) {}, Checkbox("", true)), Interact(func([]int) {}), Interact((func())(nil)),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "display: ") {
			t.Errorf("case %d: %v", i, err)
		}
	}
}

func TestListenersSeeTheLatestAndSurvivePanics(t *testing.T) {
	hosted(t, func(r *recorder) {
		s := IntSlider("n", 0, 1000, 0)
		defer s.Close()
		seen := make(chan any, 2000)
		s.OnChange(func(v any) {
			if v == 1 {
				panic("one")
			}
			time.Sleep(2 * time.Millisecond)
			seen <- v
		})
		s.Set(1)
		for i := 2; i <= 500; i++ {
			s.Set(i)
		}
		eventually(t, "the last value", func() bool {
			for {
				select {
				case v := <-seen:
					if v == 500 {
						return true
					}
				default:
					return false
				}
			}
		})
	})
}
