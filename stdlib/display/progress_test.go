package display

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func BenchmarkTick(b *testing.B) {
	r := &recorder{}
	SetHost(func() Sink { return r })
	defer SetHost(nil)
	bar := Progress(context.Background(), "loop", b.N)
	for b.Loop() {
		bar.Tick()
	}
	bar.Done()
}

func TestProgressDrawsAndEnds(t *testing.T) {
	hosted(t, func(r *recorder) {
		begun := time.Now()
		bar := Progress(context.Background(), "fold <b>", 1_000_000)
		for time.Since(begun) < 900*time.Millisecond {
			bar.Tick()
			time.Sleep(100 * time.Microsecond)
		}
		bar.Note("best 3")
		bar.Set(1_000_000)
		bar.Done()
		bar.Done()
		elapsed := time.Since(begun)
		shown, updates := r.snapshot()
		if len(shown) != 1 || r.ids[0] == "" {
			t.Fatalf("%d displays, ids %v", len(shown), r.ids)
		}
		if most := int(elapsed/(100*time.Millisecond)) + 1; len(updates) == 0 || len(updates) > most {
			t.Errorf("%d updates in %v", len(updates), elapsed)
		}
		last := updates[len(updates)-1]
		text, html := last.Data["text/plain"].(string), last.Data["text/html"].(string)
		for _, want := range []string{"100%", "1,000,000 of 1,000,000", "best 3", "/s"} {
			if !strings.Contains(text, want) {
				t.Errorf("the last line lacks %q: %s", want, text)
			}
		}
		if strings.Contains(text, "\n") || strings.Contains(text, "left") || strings.Contains(html, "<b>fold") || !strings.Contains(html, "fold &lt;b&gt;") {
			t.Errorf("the last line is %q, %s", text, html)
		}
	})
}

func TestShortWorkShowsNothing(t *testing.T) {
	hosted(t, func(r *recorder) {
		bar := Progress(context.Background(), "quick", 3)
		bar.Add(3)
		bar.Done()
		if shown, _ := r.snapshot(); len(shown) != 0 {
			t.Errorf("shown %v", shown)
		}
	})
}

func TestProgressStopsOnCancel(t *testing.T) {
	hosted(t, func(r *recorder) {
		ctx, cancel := context.WithCancel(context.Background())
		bar := Progress(ctx, "long", 1000)
		defer bar.Done()
		inner := Progress(bar.Context(), "inner", 10)
		defer inner.Done()
		time.AfterFunc(400*time.Millisecond, cancel)
		n := 0
		for bar.Tick() && n < 1000 {
			n++
			time.Sleep(10 * time.Millisecond)
		}
		if n == 1000 || !errors.Is(bar.Err(), context.Canceled) {
			t.Fatalf("went on for %d steps, err %v", n, bar.Err())
		}
		if inner.Tick() {
			t.Error("the inner bar goes on")
		}
		bar.Done()
		shown, updates := r.snapshot()
		all := append(shown, updates...)
		if s := all[len(all)-1].Data["text/plain"].(string); !strings.Contains(s, "interrupted after") {
			t.Errorf("the last line is %q", s)
		}
	})
}

func TestNestedBarsShareADisplay(t *testing.T) {
	hosted(t, func(r *recorder) {
		outer := Progress(context.Background(), "outer", 3)
		for range 3 {
			in := Progress(outer.Context(), "inner", 30)
			for range 30 {
				in.Tick()
				time.Sleep(7 * time.Millisecond)
			}
			in.Done()
			outer.Tick()
		}
		outer.Done()
		shown, updates := r.snapshot()
		if len(shown) != 1 {
			t.Fatalf("%d displays for nested bars", len(shown))
		}
		nested := false
		for _, u := range updates {
			nested = nested || strings.Contains(u.Data["text/plain"].(string), "outer") && strings.Contains(u.Data["text/plain"].(string), "› inner")
		}
		if last := updates[len(updates)-1].Data["text/plain"].(string); !nested || strings.Contains(last, "inner") {
			t.Errorf("nested %v, last %q", nested, last)
		}
	})
}

func TestDroppedAndForgottenBarsEnd(t *testing.T) {
	hosted(t, func(r *recorder) {
		before := runtime.NumGoroutine()
		func() { Progress(context.Background(), "dropped", 100).Tick() }()
		bar := Progress(context.Background(), "complete", 2)
		bar.Add(2)
		for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(end); {
			runtime.GC()
			time.Sleep(20 * time.Millisecond)
		}
		if n := runtime.NumGoroutine(); n > before {
			t.Errorf("%d goroutines left behind", n-before)
		}
		runtime.KeepAlive(bar)
	})
}

func TestNilBarDoesNothing(t *testing.T) {
	var bar *Bar
	bar.Set(1)
	bar.SetTotal(2)
	bar.Note("x")
	if !bar.Tick() || !bar.Add(2) || bar.Err() != nil || bar.Context() == nil {
		t.Error("a nil bar must let the work go on")
	}
	bar.Done()
}

func TestTicksFromManyGoroutines(t *testing.T) {
	hosted(t, func(r *recorder) {
		bar := Progress(context.Background(), "many", 0)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 10_000 {
					bar.Tick()
				}
			})
		}
		wg.Wait()
		if n := bar.s.count.Load(); n != 80_000 {
			t.Errorf("counted %d", n)
		}
		bar.Done()
	})
}

func TestTerminalProgress(t *testing.T) {
	var out, err bytes.Buffer
	term := NewTerminal(&out, &err, strings.NewReader(""))
	term.Progress("half", false)
	if err.Len() != 0 {
		t.Errorf("a log got %q within the first minute", err.String())
	}
	term.logged = time.Now().Add(-2 * time.Minute)
	term.Progress("half", false)
	term.Progress("half", false)
	if err.String() != "half\n" {
		t.Errorf("a log got %q, want one line a minute", err.String())
	}
	err.Reset()
	term.live = true
	term.Progress("one", false)
	term.Display(Text("value"), "")
	term.Progress("two", true)
	if got := err.String(); got != "\r\x1b[Kone\r\x1b[K\r\x1b[Ktwo\n" || out.String() != "value\n" {
		t.Errorf("a terminal got %q and %q", got, out.String())
	}
}

func TestClockAndRate(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0.0 s", 9440 * time.Millisecond: "9.4 s", 42 * time.Second: "42 s", 65 * time.Second: "1:05", 2*time.Hour + 3*time.Minute: "2:03:00"} {
		if got := clock(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
	for r, want := range map[float64]string{0.25: "4 s each", 12.345: "12.3/s", 12345: "12.3k/s", 2.5e6: "2.5M/s"} {
		if got := rateText(r); got != want {
			t.Errorf("%v is %q, want %q", r, got, want)
		}
	}
	var m meter
	for i := 1; i <= 200; i++ { // 100 steps a second, then 1000
		count := int64(i * 10)
		if i > 100 {
			count = 1000 + int64(i-100)*100
		}
		m.at(time.Duration(i)*100*time.Millisecond, count)
	}
	if m.rate < 800 || m.rate > 1000.1 {
		t.Errorf("ten seconds after a change of pace the rate is %v", m.rate)
	}
}
