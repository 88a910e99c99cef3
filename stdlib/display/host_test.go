package display

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestHandles(t *testing.T) {
	hosted(t, func(r *recorder) {
		h := Start(1)
		h.Update(2)
		other := Start(3)
		if h.ID() == "" || h.ID() == other.ID() || r.ids[0] != h.ID() {
			t.Errorf("ids %q, %q, shown under %v", h.ID(), other.ID(), r.ids)
		}
		if r.updates[0].Data["text/plain"] != "2" {
			t.Errorf("updated to %v", r.updates[0])
		}
		ShowID("mine", "a")
		Update("mine", "b")
		if r.ids[2] != "mine" || r.updates[1].Data["text/plain"] != `"b"` {
			t.Errorf("shown under %v, updated to %v", r.ids, r.updates[1])
		}
		Clear(true)
		Clear(false)
		if len(r.clears) != 2 || !r.clears[0] || r.clears[1] {
			t.Errorf("clears %v", r.clears)
		}
		if err := Display(Data{Data: MIMEMap{"text/html": "<p>"}, Transient: MIMEMap{"display_id": "named"}}); err != nil || r.ids[3] != "named" {
			t.Errorf("err %v, shown under %v", err, r.ids)
		}
		// A handle keeps the Sink of the cell that began it.
		late := &recorder{}
		SetHost(func() Sink { return late })
		h.Update(9)
		if len(late.updates) != 0 || len(r.updates) != 3 {
			t.Error("an update went to another cell's Sink")
		}
	})
}

func TestInput(t *testing.T) {
	hosted(t, func(r *recorder) {
		r.answer = "42"
		if s, err := Input(context.Background(), "n?"); s != "n? 42 false" || err != nil {
			t.Errorf("%q, %v", s, err)
		}
		if s, err := Password(context.Background(), "key?"); s != "key? 42 true" || err != nil {
			t.Errorf("%q, %v", s, err)
		}
		r.answer = ""
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		if _, err := Input(ctx, "n?"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("an interrupted question gave %v", err)
		}
	})
}

func TestTerminalInput(t *testing.T) {
	var out bytes.Buffer
	term := NewTerminal(&out, &out, strings.NewReader("one\r\ntwo"))
	for _, want := range []string{"one", "two"} {
		if s, err := term.Input(context.Background(), "? ", false); s != want || err != nil {
			t.Errorf("%q, %v", s, err)
		}
	}
	if _, err := term.Input(context.Background(), "? ", false); err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("at the end: %v", err)
	}
	if _, err := term.Input(context.Background(), "? ", true); err == nil {
		t.Error("a password must not be asked in the open")
	}
	term.Result(Text("v"))
	term.Stream("stdout", "s")
	if got := out.String(); got != "? ? ? v\ns" {
		t.Errorf("printed %q", got)
	}
}

func TestHostDecides(t *testing.T) {
	if InNotebook() {
		t.Error("no host is set")
	}
	SetHost(func() Sink { return nil })
	defer SetHost(nil)
	if _, ok := Current().(*Terminal); !ok {
		t.Errorf("without a cell the Sink is %T", Current())
	}
}
