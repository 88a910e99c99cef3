package kernel

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"encoding/json"

	"github.com/fathom-kernel/fathom/stdlib/display"
)

// FuzzReadPacket feeds arbitrary bytes to the packet reader, as user code may
// do to the pipe: what is accepted reads the same again.
func FuzzReadPacket(f *testing.F) {
	var buf bytes.Buffer
	q := newPacket(tellDisplay, displayBody{ID: "x"})
	q.buffers = [][]byte{[]byte("one"), nil, []byte("three")}
	writePacket(&buf, q)
	f.Add(buf.Bytes())
	f.Add([]byte{0, 0, 0, 2, 0, 0, 0, 0, '{', '}'})
	f.Add(bytes.Repeat([]byte{0xff}, 64))
	f.Fuzz(func(t *testing.T, in []byte) {
		q, err := readPacket(bytes.NewReader(in))
		if err != nil {
			return
		}
		if q.size() > len(in) {
			t.Fatalf("%d bytes out of %d", q.size(), len(in))
		}
		// Handlers must live through any body.
		unpackResult(q)
		r := newRoute("x", nullSink{}, ExecuteOptions{}, 10)
		r.packet(q)
		var out bytes.Buffer
		if err := writePacket(&out, q); err != nil {
			t.Fatal(err)
		}
		again, err := readPacket(&out)
		if err != nil || again.Kind != q.Kind || again.Fence != q.Fence || len(again.buffers) != len(q.buffers) {
			t.Fatalf("%+v became %+v, %v", q, again, err)
		}
	})
}

type nullSink struct{ display.Sink }

func (nullSink) Display(display.Bundle, string) {}
func (nullSink) Update(display.Bundle, string)  {}
func (nullSink) Result(display.Bundle)          {}
func (nullSink) Clear(bool)                     {}
func (nullSink) Stream(string, string)          {}
func (nullSink) Comm(display.CommMessage)       {}

func TestBundleOnThePipe(t *testing.T) {
	b := display.Bundle{
		Data:     map[string]any{"text/plain": "é\x00", "image/png": []byte{0, 255}, "application/json": map[string]any{"a": 1.5}, "bad": func() {}},
		Metadata: map[string]any{"image/png": map[string]any{"width": 3.0}},
	}
	var q packet
	body := packBundle(b, &q)
	got, err := unpackBundle(body, q.buffers)
	if err != nil {
		t.Fatal(err)
	}
	if got.Data["text/plain"] != "é\x00" || !bytes.Equal(got.Data["image/png"].([]byte), []byte{0, 255}) || fmt.Sprintf("%s", got.Data["application/json"]) != `{"a":1.5}` ||
		len(got.Data) != 3 || fmt.Sprint(got.Metadata) != fmt.Sprint(b.Metadata) {
		t.Errorf("%v", got)
	}
	if z, err := unpackBundle(packBundle(display.Bundle{}, &packet{}), nil); err != nil || !z.IsZero() {
		t.Errorf("the zero bundle became %v, %v", z, err)
	}
}

// TestContentIsJSON compares the content encoder with encoding/json.
func TestContentIsJSON(t *testing.T) {
	b := display.Bundle{
		Data:     map[string]any{"text/html": "<b>\"\\\n\r\t\x01\u2028é😀</b>\xff", "image/png": []byte("\x00\x01\x02\x03"), "a/json": json.RawMessage(`[1,{"x":null}]`), "nan": []float64{1}, "bad": make(chan int)},
		Metadata: map[string]any{"a": "b"},
	}
	var got struct {
		Data, Metadata, Transient map[string]any
		Count                     int `json:"execution_count"`
	}
	raw := displayContent(b, "i\"d", 7)
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	wire, _ := json.Marshal(b.Wire())
	var want map[string]any
	json.Unmarshal(wire, &want)
	if fmt.Sprint(got.Data) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got.Data, want)
	}
	if got.Count != 7 || got.Transient["display_id"] != "i\"d" || got.Metadata["a"] != "b" {
		t.Errorf("%s", raw)
	}
}

func FuzzAppendString(f *testing.F) {
	f.Add("a\x00\"\\\u2028\xff😀")
	f.Fuzz(func(t *testing.T, s string) {
		var got string
		if err := json.Unmarshal(appendString(nil, s), &got); err != nil || got != strings.ToValidUTF8(s, "\uFFFD") {
			t.Fatalf("%q became %q, %v", s, got, err)
		}
	})
}

// FuzzCursor translates positions to offsets and back: every position of a
// client lands on a rune's start, and comes back as itself unless it is inside
// a \r\n or out of range.
func FuzzCursor(f *testing.F) {
	f.Add("😀é\r\nx\ry", 3)
	f.Add("", -1)
	f.Add("\r\r\n\n", 2)
	f.Add("a\xffb", 2)
	f.Fuzz(func(t *testing.T, code string, position int) {
		s := newSource(code)
		if strings.Contains(s.engine, "\r") || !utf8.ValidString(s.engine) {
			t.Fatalf("the engine gets %q", s.engine)
		}
		at := s.offset(position)
		if at < 0 || at > len(s.engine) || at < len(s.engine) && !utf8.RuneStart(s.engine[at]) {
			t.Fatalf("position %d of %q is offset %d of %q", position, code, at, s.engine)
		}
		runes := []rune(s.client)
		want := min(max(position, 0), len(runes))
		if want > 0 && want < len(runes) && runes[want-1] == '\r' && runes[want] == '\n' {
			want-- // between \r and \n
		}
		if got := s.position(at); got != want {
			t.Fatalf("position %d of %q came back as %d, want %d", position, code, got, want)
		}
		if got := s.position(1 << 40); got != len(runes) {
			t.Fatalf("past the end is %d of %d", got, len(runes))
		}
	})
}

// FuzzCutFence cuts a stream of text and fences into chunks in every way and
// wants text and fences back in order.
func FuzzCutFence(f *testing.F) {
	f.Add("a|b||c", uint64(3))
	f.Add("\x02fence|\x02", uint64(1))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		const token = "0123456789abcdef0123456789abcdef"
		prefix := fencePrefix(token)
		if bytes.Contains([]byte(text), prefix) {
			return
		}
		var in []byte
		n := uint64(0)
		for i, piece := range strings.Split(text, "|") {
			if i > 0 {
				n++
				in = appendFence(in, token, n)
			}
			in = append(in, piece...)
		}
		rng := rand.New(rand.NewPCG(seed, 1))
		var out, pending []byte
		seen := uint64(0)
		for len(in) > 0 {
			k := 1 + rng.IntN(len(in))
			pending = append(pending, in[:k]...)
			in = in[k:]
			for {
				text, m, rest, ok := cutFence(pending, prefix)
				out = append(out, text...)
				pending = append([]byte(nil), rest...)
				if !ok {
					break
				}
				if m != seen+1 {
					t.Fatalf("fence %d after %d", m, seen)
				}
				seen = m
				out = append(out, '|')
			}
		}
		if got := string(append(out, pending...)); got != text {
			t.Fatalf("%q became %q", text, got)
		}
	})
}

// FuzzCoalescer prints bytes in arbitrary pieces: the text that comes out is
// valid and is the bytes, made valid.
func FuzzCoalescer(f *testing.F) {
	f.Add([]byte("a€\xffb\xe2\x82"), uint64(1))
	f.Add([]byte("x\npanic: no\ny"), uint64(2))
	f.Fuzz(func(t *testing.T, in []byte, seed uint64) {
		var out [3]strings.Builder
		c := coalescer{emit: func(fd int, text string) {
			if !utf8.ValidString(text) {
				t.Fatalf("emits %q", text)
			}
			out[fd].WriteString(text)
		}}
		rng := rand.New(rand.NewPCG(seed, 2))
		for rest := in; len(rest) > 0; {
			n := 1 + rng.IntN(len(rest))
			c.add(stdout, rest[:n])
			c.add(stderr, rest[:n])
			rest = rest[n:]
			if rng.IntN(3) == 0 {
				c.flushAll(false)
			}
		}
		c.flush()
		// Runs of invalid bytes may be cut in pieces, so replacements are
		// compared one a byte.
		want := fold(strings.ToValidUTF8(string(in), "\uFFFD"))
		for fd := stdout; fd <= stderr; fd++ {
			if got := fold(out[fd].String()); got != want {
				t.Fatalf("fd %d: %q became %q", fd, in, got)
			}
		}
	})
}

// fold makes one of runs of U+FFFD.
func fold(s string) string {
	for strings.Contains(s, "\uFFFD\uFFFD") {
		s = strings.ReplaceAll(s, "\uFFFD\uFFFD", "\uFFFD")
	}
	return s
}

func TestCoalescerHoldsCrashText(t *testing.T) {
	var got []string
	c := coalescer{emit: func(fd int, text string) { got = append(got, text) }}
	c.add(stderr, []byte("before\npanic: x\n\ngoroutine 1 [running]:\n"))
	c.flushAll(true)
	if fmt.Sprint(got) != "[before\n]" || !strings.HasPrefix(string(c.crash), "panic: x") {
		t.Errorf("emitted %q, held %q", got, c.crash)
	}
	if due := time.Until(c.due()); due <= 0 || due > holdFor {
		t.Errorf("due in %v", due)
	}
	c.tick(time.Now().Add(holdFor)) // nothing died: it is text
	if len(got) != 2 || !strings.Contains(got[1], "goroutine 1") || len(c.crash) != 0 {
		t.Errorf("emitted %q", got)
	}
	c.add(stdout, []byte("panic: on stdout is text\n"))
	c.flushAll(true)
	c.add(stderr, []byte("no panic: inside a line\n"))
	c.flushAll(true)
	if len(got) != 4 {
		t.Errorf("emitted %q", got)
	}
}

// FuzzGlob compares with a regular expression, for patterns without sets.
func FuzzGlob(f *testing.F) {
	f.Add("a*b?c", "axxb\nc")
	f.Add("**", "")
	f.Add("[^a-", "[^a-")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		got := glob(pattern, text)
		if strings.Contains(pattern, "[") || !utf8.ValidString(pattern) || !utf8.ValidString(text) || len(pattern) > 100 {
			return
		}
		re := regexp.QuoteMeta(pattern)
		re = strings.ReplaceAll(strings.ReplaceAll(re, `\*`, "(?s:.*)"), `\?`, "(?s:.)")
		if want := regexp.MustCompile(`\A(?:` + re + `)\z`).MatchString(text); got != want {
			t.Fatalf("glob(%q, %q) = %v", pattern, text, got)
		}
	})
}

// FuzzConnection reads arbitrary connection files: what is accepted has ports
// and a transport that can be bound.
func FuzzConnection(f *testing.F) {
	f.Add([]byte(`{"transport":"tcp","ip":"127.0.0.1","shell_port":1,"hb_port":"2","key":"k"}`))
	f.Add([]byte(`{"shell_port":1e99}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, in []byte) {
		c, err := parseConnection("file", in)
		if err != nil {
			return
		}
		if c.Transport != "tcp" && c.Transport != "ipc" || c.fields == nil {
			t.Fatalf("%+v", c)
		}
		for name, port := range c.Ports.named() {
			if *port < 0 || *port > 65535 {
				t.Fatalf("%s is %d", name, *port)
			}
		}
	})
}

// FuzzTexts feeds what a dying process may say, and sizes, to their readers.
func FuzzTexts(f *testing.F) {
	f.Add("panic: x\n\ngoroutine 1 [running]:\nmain.f(0x1)\n\tcell[1]:2 +0x3\n")
	f.Add("1.5 GiB")
	f.Fuzz(func(t *testing.T, s string) {
		if n := len(userFrames(s)); n > maxFrames+1 {
			t.Fatalf("%d frames", n)
		}
		if i := crashStart([]byte(s)); i > 0 && s[i-1] != '\n' {
			t.Fatalf("crash text starts at %d", i)
		}
		if n, err := parseBytes(s); err == nil && n < -1 {
			t.Fatalf("%d bytes", n)
		}
	})
}

func TestGlob(t *testing.T) {
	for _, x := range []struct {
		pattern, text string
		want          bool
	}{
		{"*", "", true}, {"", "", true}, {"", "a", false}, {"a*c", "a\nb\nc", true}, {"a*c", "abcd", false}, {"?b", "éb", true},
		{"[a-c]x", "bx", true}, {"[!a-c]x", "bx", false}, {"[^a]x", "bx", true}, {"[]]x", "]x", true}, {"[a", "[a", true}, {"*a*a*a*b", strings.Repeat("a", 200), false},
		{"*end", "the end", true}, {"**", "x", true}, {"[a-]x", "-x", true},
	} {
		if got := glob(x.pattern, x.text); got != x.want {
			t.Errorf("glob(%q, %q) = %v", x.pattern, x.text, got)
		}
	}
}

func TestSizes(t *testing.T) {
	for s, want := range map[string]int64{"10": 10, "1k": 1024, "512MB": 512 << 20, " 1.5 GiB ": 3 << 29, "2T": 2 << 40, "none": -1, "0": 0} {
		if got, err := parseBytes(s); err != nil || got != want {
			t.Errorf("parseBytes(%q) = %d, %v, want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"", "x", "MB", "1e300GB", "-5", "NaN", "1 GB 2"} {
		if n, err := parseBytes(s); err == nil {
			t.Errorf("parseBytes(%q) = %d", s, n)
		}
	}
	for n, want := range map[int64]string{5: "5 bytes", 1023: "1023 bytes", 10 << 20: "10 MB", 3 << 29: "1.5 GB"} {
		if got := byteText(n); got != want {
			t.Errorf("byteText(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestUserFrames(t *testing.T) {
	trace := "panic: boom\n\ngoroutine 34 [running]:\npanic({0x1, 0x2})\n\t" + standard + "runtime/panic.go:860 +0x13a\n" +
		"sort.Slice({0x1, 0x2})\n\t" + standard + "sort/slice.go:26 +0x1\n" +
		"fathomcell/3.f(...)\n\tcell[3]:7\nfathomcell/3.g(0x1)\n\tcell[3]:12 +0x1d\n" +
		"github.com/fathom-kernel/fathom/lang/interp.call(0x1)\n\t/x/lang/interp/run.go:1 +0x1\n" +
		"created by fathomcell/3.h in goroutine 1\n\tcell[3]:20 +0x25\n\ngoroutine 1 [select]:\nother.f()\n\tother.go:1 +0x1\n"
	want := []string{"fathomcell/3.f, cell[3]:7", "fathomcell/3.g, cell[3]:12", "fathomcell/3.h, cell[3]:20"}
	if got := userFrames(trace); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for _, s := range []string{"", "goroutine", "\ngoroutine ", "\ngoroutine 1:\n\t\n\n", "panic: x"} {
		userFrames(s)
	}
}

// TestHistoryFile has what can be wrong with the file, and two kernels at once.
func TestHistoryFile(t *testing.T) {
	path := t.TempDir() + "/deep/history.jsonl"
	a := openHistory(path, t.Logf)
	b := openHistory(path, t.Logf)
	if a.session != 1 || b.session != 2 {
		t.Errorf("sessions %d and %d", a.session, b.session)
	}
	a.add(1, "first", "")
	f, _ := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	io.WriteString(f, "not JSON\n\x00\n{\"s\":5,\"n\":")
	f.Close()
	b.add(1, "second", "out")
	got := fmt.Sprint(openHistory(path, t.Logf).entries())
	if got != "[{1 1 first } {2 1 second out}]" {
		t.Errorf("entries %s", got)
	}
	// Concurrent appends are whole.
	done := make(chan bool)
	for _, h := range []*history{a, b} {
		go func() {
			for i := range 200 {
				h.add(10+i, strings.Repeat("x", i*10)+"!", "")
			}
			done <- true
		}()
	}
	<-done
	<-done
	if n := len(a.entries()); n != 402 {
		t.Errorf("%d entries, want 402", n)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	// A file that grew too long loses its older half.
	big := strings.Repeat("y", maxHistoryInput-100)
	for i := range maxHistory/maxHistoryInput + 2 {
		a.add(1000+i, big, "")
	}
	a.add(5000, strings.Repeat("z", maxHistoryInput+1), "") // too long to keep
	c := openHistory(path, t.Logf)
	entries := c.entries()
	if info, _ := os.Stat(path); info.Size() > maxHistory || entries[len(entries)-1].Line != 1000+maxHistory/maxHistoryInput+1 {
		t.Errorf("%d bytes, last line %d", info.Size(), entries[len(entries)-1].Line)
	}
	if h := openHistory("/proc/nowhere/history", t.Logf); h.path != "" {
		t.Error("a history in /proc")
	} else if h.add(1, "x", ""); len(h.entries()) != 1 {
		t.Error("nothing is kept in memory")
	}
}
