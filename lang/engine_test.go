package lang

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fathom-kernel/fathom/lang/native"
	"github.com/fathom-kernel/fathom/stdlib/display"
)

// recorder is a Sink that keeps what a cell shows.
type recorder struct {
	mu      sync.Mutex
	streams map[string]string
	results []display.Bundle
	shown   []display.Bundle
}

func newRecorder() *recorder { return &recorder{streams: map[string]string{}} }

func (r *recorder) Display(b display.Bundle, id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shown = append(r.shown, b)
}
func (r *recorder) Update(b display.Bundle, id string) {}
func (r *recorder) Result(b display.Bundle) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.results = append(r.results, b)
}
func (r *recorder) Clear(wait bool) {}
func (r *recorder) Stream(name, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.streams[name] += text
}
func (r *recorder) Input(context.Context, string, bool) (string, error) {
	return "", fmt.Errorf("no input in a test")
}
func (r *recorder) Comm(display.CommMessage) {}

// value returns the text of the cell's last value.
func (r *recorder) value() string {
	if len(r.results) == 0 {
		return ""
	}
	s, _ := r.results[len(r.results)-1].Data["text/plain"].(string)
	return s
}

var (
	kitOnce sync.Once
	theKit  *native.Kit
	kitErr  error
)

// testKit returns a kit for the test binary, made once and kept in the cache.
func testKit(t testing.TB) *native.Kit {
	if t != nil {
		t.Helper()
	}
	kitOnce.Do(func() {
		if dir := os.Getenv("FATHOM_TEST_KIT"); dir != "" {
			theKit, kitErr = native.OpenKit(dir)
			return
		}
		root, err := filepath.Abs("..")
		if err != nil {
			kitErr = err
			return
		}
		cache, err := os.UserCacheDir()
		if err != nil {
			cache = os.TempDir()
		}
		dir := filepath.Join(cache, "fathom", "testkit")
		theKit, kitErr = native.MakeKit(context.Background(), dir, root, kitPackages, nil)
	})
	if kitErr != nil && t == nil {
		panic(kitErr)
	}
	if kitErr != nil {
		t.Skipf("compiled cells are not tested: %v", kitErr)
	}
	return theKit
}

type notebook struct {
	t     testing.TB
	e     *Engine
	count int
}

func newNotebook(t testing.TB) *notebook {
	return &notebook{t: t, e: New(testOptions(t))}
}

// run runs a cell and returns what it printed, showed, and its error.
func (n *notebook) run(code string) (stdout, value string, err *Error) {
	n.t.Helper()
	stdout, value, _, err = n.runAll(code)
	return stdout, value, err
}

// runAll returns standard error too.
func (n *notebook) runAll(code string) (stdout, value, stderr string, err *Error) {
	n.t.Helper()
	n.count++
	r := newRecorder()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	out := captureStdout(n.t, func() {
		res := n.e.Execute(ctx, Cell{ID: fmt.Sprint(n.count), Count: n.count, Code: code}, r)
		err = res.Err
	})
	return out + r.streams["stdout"], r.value(), r.streams["stderr"], err
}

// captureStdout returns what f writes to the process's standard output.
func captureStdout(t testing.TB, f func()) string {
	t.Helper()
	rd, wr, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	old := os.Stdout
	os.Stdout = wr
	got := make(chan string)
	go func() {
		var b strings.Builder
		buf := make([]byte, 1<<16)
		for {
			n, err := rd.Read(buf)
			b.Write(buf[:n])
			if err != nil {
				got <- b.String()
				return
			}
		}
	}()
	f()
	os.Stdout = old
	wr.Close()
	return <-got
}
