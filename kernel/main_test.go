package kernel_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fathom-kernel/fathom/kernel"
	"github.com/fathom-kernel/fathom/kernel/enginetest"
	"github.com/fathom-kernel/fathom/stdlib/display"
)

// TestMain makes the test binary serve as worker and as kernel too, with the
// Engine of enginetest.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		if err := kernel.ServeWorker(enginetest.New()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	if len(os.Args) > 2 && os.Args[1] == "kernel" {
		if err := kernel.Run(context.Background(), os.Args[2], kernel.Options{Version: "test"}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// patience is how long a test waits for what should come at once: the machine
// may be busy.
const patience = 30 * time.Second

// recorder is a Sink that writes down what it gets.
type recorder struct {
	mu      sync.Mutex
	events  []string // "stdout text", "display text/plain", …
	out     strings.Builder
	err     strings.Builder
	streams int
	bundles []display.Bundle
	answer  func(prompt string, password bool) (string, error)
	comms   []display.CommMessage
}

func (r *recorder) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, fmt.Sprintf(format, args...))
}

func (r *recorder) Display(b display.Bundle, id string) {
	r.bundle(b)
	r.note("display %v", text(b))
}
func (r *recorder) Update(b display.Bundle, id string) { r.note("update %s %v", id, text(b)) }
func (r *recorder) Result(b display.Bundle)            { r.bundle(b); r.note("result %v", text(b)) }
func (r *recorder) Clear(wait bool)                    { r.note("clear %v", wait) }
func (r *recorder) Stream(name, text string) {
	r.mu.Lock()
	r.streams++
	if name == "stdout" {
		r.out.WriteString(text)
	} else {
		r.err.WriteString(text)
	}
	r.mu.Unlock()
	if len(text) < 1000 {
		r.note("%s %s", name, text)
	}
}
func (r *recorder) Input(ctx context.Context, prompt string, password bool) (string, error) {
	r.note("input %q %v", prompt, password)
	if r.answer == nil {
		<-ctx.Done()
		return "", ctx.Err()
	}
	return r.answer(prompt, password)
}
func (r *recorder) Comm(m display.CommMessage) {
	r.mu.Lock()
	r.comms = append(r.comms, m)
	r.mu.Unlock()
	r.note("comm %s %s", m.Kind, m.ID)
}

func (r *recorder) bundle(b display.Bundle) {
	r.mu.Lock()
	r.bundles = append(r.bundles, b)
	r.mu.Unlock()
}

func text(b display.Bundle) any {
	s, _ := b.Data["text/plain"].(string)
	if len(s) > 100 {
		return len(s)
	}
	return s
}

func (r *recorder) stdout() string { r.mu.Lock(); defer r.mu.Unlock(); return r.out.String() }
func (r *recorder) stderr() string { r.mu.Lock(); defer r.mu.Unlock(); return r.err.String() }
func (r *recorder) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.events...)
}

// eventually waits until f is true.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !f(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// session is a Session with the conveniences of a test.
type session struct {
	*kernel.Session
	t     *testing.T
	count int
}

func newSession(t *testing.T, opt kernel.SessionOptions) *session {
	t.Helper()
	if opt.Log == nil {
		opt.Log = t.Logf
	}
	s, err := kernel.NewSession(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return &session{s, t, 0}
}

// run executes a cell.
func (s *session) run(code string, lines ...string) (kernel.Result, *recorder) {
	r := &recorder{}
	return s.runTo(r, strings.Join(append([]string{code}, lines...), "\n")), r
}

func (s *session) runTo(r *recorder, code string) kernel.Result {
	s.count++
	return s.Execute(context.Background(), kernel.Cell{ID: fmt.Sprint("cell-", s.count), Count: s.count, Code: code},
		kernel.ExecuteOptions{AllowStdin: r.answer != nil}, r)
}

// must runs a cell that ends well.
func (s *session) must(code string, lines ...string) *recorder {
	s.t.Helper()
	result, r := s.run(code, lines...)
	if result.Err != nil {
		s.t.Fatalf("%s: %s: %s\n%s", code, result.Err.Name, result.Err.Value, strings.Join(result.Err.Traceback, "\n"))
	}
	return r
}

// fails runs a cell that ends with an error of that name.
func (s *session) fails(name, code string, lines ...string) (*kernel.Error, *recorder) {
	s.t.Helper()
	result, r := s.run(code, lines...)
	if result.Err == nil || result.Err.Name != name {
		s.t.Fatalf("%s: %+v, want the error %s\nstderr: %s", code, result.Err, name, r.stderr())
	}
	return result.Err, r
}

// alive checks that a cell runs within two seconds, as a user would notice.
func (s *session) alive() {
	s.t.Helper()
	begun := time.Now()
	r := s.must("print alive")
	if r.stdout() != "alive\n" {
		s.t.Fatalf("the next cell prints %q", r.stdout())
	}
	if d := time.Since(begun); d > 2*time.Second {
		s.t.Errorf("the next cell took %v", d)
	}
}
