package zmtp

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fathom-kernel/fathom/kernel/zmtp/zmtptest"
)

const patience = 20 * time.Second

// listen binds a socket whose log the test can read.
func listen(t *testing.T, typ Type, opt Options) (*Socket, *logBook) {
	t.Helper()
	book := &logBook{}
	opt.Log = book.add
	s, err := Listen(typ, "tcp", "127.0.0.1:0", &opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(0) })
	return s, book
}

type logBook struct {
	mu    sync.Mutex
	lines []string
}

func (b *logBook) add(format string, args ...any) {
	b.mu.Lock()
	b.lines = append(b.lines, fmt.Sprintf(format, args...))
	b.mu.Unlock()
}

func (b *logBook) waitFor(t *testing.T, text string) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		b.mu.Lock()
		all := strings.Join(b.lines, "\n")
		b.mu.Unlock()
		if strings.Contains(all, text) {
			return
		}
	}
	t.Fatalf("the log never says %q; it says %q", text, b.lines)
}

func dial(t *testing.T, s *Socket, typ, identity string) *zmtptest.Client {
	t.Helper()
	c, err := zmtptest.Dial(s.Addr(), typ, identity)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// echo answers every message of a ROUTER with itself until it is closed.
func echo(s *Socket) {
	for {
		m, err := s.Recv()
		if err != nil {
			return
		}
		s.Reply(m, m.Parts)
	}
}

func wantEcho(t *testing.T, c *zmtptest.Client, parts ...[]byte) {
	t.Helper()
	if err := c.Send(parts...); err != nil {
		t.Fatal(err)
	}
	got, err := c.Recv(patience)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(parts) {
		t.Fatalf("echo has %d parts, want %d", len(got), len(parts))
	}
	for i := range parts {
		if !bytes.Equal(got[i], parts[i]) {
			t.Fatalf("part %d of the echo differs: %d bytes, want %d", i, len(got[i]), len(parts[i]))
		}
	}
}

func TestRouterEchoesEverySize(t *testing.T) {
	s, _ := listen(t, Router, Options{})
	go echo(s)
	c := dial(t, s, "DEALER", "me")
	for _, size := range []int{0, 1, 255, 256, 65535, 65536, 65537, 1 << 20, 20 << 20} {
		wantEcho(t, c, []byte("head"), bytes.Repeat([]byte{byte(size), 7}, size/2+1)[:size], nil)
	}
}

func TestRouterGivesIdentities(t *testing.T) {
	s, _ := listen(t, Router, Options{})
	dial(t, s, "DEALER", "named").Send([]byte("a"))
	m, err := s.Recv()
	if err != nil || string(m.From) != "named" {
		t.Fatalf("From = %q, %v; want named", m.From, err)
	}
	dial(t, s, "DEALER", "").Send([]byte("b"))
	m, err = s.Recv()
	if err != nil || len(m.From) != 5 || m.From[0] != 0 {
		t.Fatalf("From = %q, %v; want five bytes that start with 0", m.From, err)
	}
	if err := s.Send([]byte("nobody"), [][]byte{{1}}); !errors.Is(err, ErrUnreachable) {
		t.Fatalf("Send to nobody: %v, want ErrUnreachable", err)
	}
}

func TestRepKeepsTheEnvelope(t *testing.T) {
	s, _ := listen(t, Rep, Options{})
	go echo(s)
	wantEcho(t, dial(t, s, "REQ", ""), nil, []byte("ping"))
	wantEcho(t, dial(t, s, "DEALER", ""), []byte("hop"), nil, []byte("ping"), []byte("two"))
}

func TestReconnectsUnderOneIdentity(t *testing.T) {
	s, _ := listen(t, Router, Options{})
	go echo(s)
	for range 200 {
		wantEcho(t, dial(t, s, "DEALER", "same"), []byte("x"))
	}
	// The newest connection gets the answers, though the old ones are open.
	c := dial(t, s, "DEALER", "same")
	wantEcho(t, c, []byte("last"))
}

func TestHundredClients(t *testing.T) {
	s, _ := listen(t, Router, Options{})
	go echo(s)
	var wg sync.WaitGroup
	for i := range 100 {
		c := dial(t, s, "DEALER", "")
		wg.Go(func() {
			for range 20 {
				text := []byte(fmt.Sprint("client ", i))
				if err := c.Send(text); err != nil {
					t.Error(err)
					return
				}
				if got, err := c.Recv(patience); err != nil || !bytes.Equal(got[0], text) {
					t.Errorf("client %d got %q, %v", i, got, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func subscribe(t *testing.T, s *Socket, c *zmtptest.Client, topic string, command bool) {
	t.Helper()
	var err error
	if command {
		_, err = c.Conn.Write(zmtptest.Frame(4, []byte("\x09SUBSCRIBE"+topic)))
	} else {
		err = c.Send([]byte("\x01" + topic))
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.Recv()
	if err != nil || string(m.Parts[0]) != "\x01"+topic {
		t.Fatalf("subscription arrives as %q, %v", m.Parts, err)
	}
}

func TestXPubMatchesPrefixes(t *testing.T) {
	s, _ := listen(t, XPub, Options{})
	all, some := dial(t, s, "SUB", ""), dial(t, s, "SUB", "")
	subscribe(t, s, all, "", true)
	subscribe(t, s, some, "b.", false)
	if n := s.Subscribers(); n != 2 {
		t.Fatalf("%d subscribers, want 2", n)
	}
	for _, topic := range []string{"a", "b.1", "c", "b.2"} {
		s.Publish([][]byte{[]byte(topic), []byte("body")})
	}
	for _, want := range []string{"a", "b.1", "c", "b.2"} {
		if got, err := all.Recv(patience); err != nil || string(got[0]) != want {
			t.Fatalf("all: %q, %v, want %s", got, err, want)
		}
	}
	for _, want := range []string{"b.1", "b.2"} {
		if got, err := some.Recv(patience); err != nil || string(got[0]) != want {
			t.Fatalf("some: %q, %v, want %s", got, err, want)
		}
	}
	some.Send([]byte("\x00b."))
	if m, err := s.Recv(); err != nil || string(m.Parts[0]) != "\x00b." {
		t.Fatalf("end of subscription arrives as %q, %v", m.Parts, err)
	}
	if n := s.Subscribers(); n != 1 {
		t.Fatalf("%d subscribers, want 1", n)
	}
}

func TestPingIsAnswered(t *testing.T) {
	s, _ := listen(t, Router, Options{})
	c := dial(t, s, "DEALER", "")
	c.Conn.Write(zmtptest.Frame(4, []byte("\x04PING\x00\x10context")))
	flags, body, err := c.Frame()
	if err != nil || flags != 4 || string(body) != "\x04PONGcontext" {
		t.Fatalf("PING is answered by %#x %q, %v", flags, body, err)
	}
}

// TestGarbageHurtsNobody opens connections that never finish a handshake or
// break it, and wants a good client served meanwhile.
func TestGarbageHurtsNobody(t *testing.T) {
	s, book := listen(t, Router, Options{Handshake: 300 * time.Millisecond, Message: 1 << 20, Frames: 8})
	go echo(s)
	good := append(zmtptest.Greeting(), zmtptest.Ready("DEALER", "")...)
	with := func(b ...[]byte) []byte { return bytes.Join(append([][]byte{good}, b...), nil) }
	cases := map[string][]byte{
		"silent":           nil,
		"http":             []byte("GET / HTTP/1.1\r\nHost: kernel\r\n\r\n"),
		"half a greeting":  zmtptest.Greeting()[:20],
		"greeting only":    zmtptest.Greeting(),
		"old version":      append([]byte{0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 1}, make([]byte, 53)...),
		"wrong mechanism":  bytes.Replace(zmtptest.Greeting(), []byte("NULL"), []byte("CURV"), 1),
		"wrong type":       append(zmtptest.Greeting(), zmtptest.Ready("SUB", "")...),
		"zero identity":    append(zmtptest.Greeting(), zmtptest.Ready("DEALER", "\x00x")...),
		"no ready":         append(zmtptest.Greeting(), zmtptest.Frame(4, []byte("\x05HELLO"))...),
		"truncated ready":  append(zmtptest.Greeting(), zmtptest.Frame(4, []byte("\x05READY\x0bSocket-Type\x00\x00\x01\x00D"))...),
		"reserved flags":   with([]byte{0xf8, 1, 0}),
		"command and more": with([]byte{5, 1, 0}),
		"huge frame":       with([]byte{2, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}),
		"endless message":  with(bytes.Repeat([]byte{1, 1, 'x'}, 100)),
		"torn message":     with([]byte{1, 1, 'x'}),
		"nameless command": with([]byte{4, 0}),
		"long ping":        with(zmtptest.Frame(4, append([]byte("\x04PING"), make([]byte, 40)...))),
	}
	for name, b := range cases {
		conn, err := net.Dial("tcp", s.Addr().String())
		if err != nil {
			t.Fatal(name, err)
		}
		conn.Write(b)
		if name == "torn message" {
			conn.(*net.TCPConn).CloseWrite()
		}
		defer conn.Close()
	}
	wantEcho(t, dial(t, s, "DEALER", "fine"), []byte("still here"))
	for _, line := range []string{"i/o timeout", "not a ZMTP greeting", "ZMTP version 1", `mechanism "CURV"`, `cannot talk to "SUB"`,
		"identity of", `"HELLO" instead of READY`, "truncated metadata", "flags 0xf8", "flags 0x05", "more than the 1048576 allowed",
		"more than 8 frames", "ended inside a message", "without a name", "PING of 40 bytes"} {
		book.waitFor(t, line)
	}
	wantEcho(t, dial(t, s, "DEALER", "fine"), []byte("and after"))
}

// TestStalledPeerIsDropped fills the queue of a client that does not read:
// others are served, the client is dropped with a line, memory is bounded.
func TestStalledPeerIsDropped(t *testing.T) {
	s, book := listen(t, XPub, Options{Queue: 4 << 20, Stall: 500 * time.Millisecond})
	stuck, fine := dial(t, s, "SUB", "stuck"), dial(t, s, "SUB", "fine")
	subscribe(t, s, stuck, "", true)
	subscribe(t, s, fine, "", true)
	const n = 4000
	got := make(chan int)
	go func() {
		i := 0
		for ; i < n; i++ {
			m, err := fine.Recv(patience)
			if err != nil || string(m[0]) != fmt.Sprint(i) {
				t.Errorf("message %d: %q, %v", i, m, err)
				break
			}
		}
		got <- i
	}()
	body := make([]byte, 10<<10)
	for i := range n {
		s.Publish([][]byte{[]byte(fmt.Sprint(i)), body})
	}
	if i := <-got; i != n {
		t.Fatalf("the reading client got %d of %d messages", i, n)
	}
	book.waitFor(t, `peer "stuck" dropped: took nothing for`)
	if n := s.Subscribers(); n != 1 {
		t.Fatalf("%d subscribers are left, want 1", n)
	}
}

// TestSlowPeerLosesNothing reads a burst through a queue far smaller than it.
func TestSlowPeerLosesNothing(t *testing.T) {
	s, _ := listen(t, XPub, Options{Queue: 64 << 10, Stall: patience})
	c := dial(t, s, "SUB", "")
	subscribe(t, s, c, "", true)
	go func() {
		for i := range 20000 {
			s.Publish([][]byte{fmt.Appendf(nil, "%0200d", i)})
		}
	}()
	for i := range 20000 {
		m, err := c.Recv(patience)
		if err != nil || string(m[0]) != fmt.Sprintf("%0200d", i) {
			t.Fatalf("message %d: %q, %v", i, m, err)
		}
		if i%2000 == 0 {
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// TestFloodStaysOutside sends more than the inbox holds while nobody calls
// Recv: the sender must be made to wait.
func TestFloodStaysOutside(t *testing.T) {
	s, _ := listen(t, Router, Options{Queue: 1 << 20})
	c := dial(t, s, "DEALER", "")
	body := make([]byte, 64<<10)
	c.Conn.SetWriteDeadline(time.Now().Add(time.Second))
	sent := 0
	for ; sent < 4000; sent++ {
		if c.Send(body) != nil {
			break
		}
	}
	if sent == 4000 {
		t.Fatal("250 MiB went into an inbox of 1 MiB")
	}
	for range sent {
		if _, err := s.Recv(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCloseFlushes(t *testing.T) {
	s, _ := listen(t, Router, Options{})
	c := dial(t, s, "DEALER", "me")
	c.Send([]byte("hello"))
	if _, err := s.Recv(); err != nil {
		t.Fatal(err)
	}
	body := bytes.Repeat([]byte("x"), 8<<20)
	if err := s.Send([]byte("me"), [][]byte{body}); err != nil {
		t.Fatal(err)
	}
	c.Send([]byte("unread")) // unread bytes must not reset the connection
	done := make(chan error)
	go func() {
		got, err := c.Recv(patience)
		if err == nil && !bytes.Equal(got[0], body) {
			err = fmt.Errorf("got %d bytes", len(got[0]))
		}
		c.Close()
		done <- err
	}()
	s.Close(patience)
	if err := <-done; err != nil {
		t.Fatal("the last message is lost:", err)
	}
	if _, err := s.Recv(); !errors.Is(err, ErrClosed) {
		t.Fatalf("Recv after Close: %v", err)
	}
}

func TestUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k-1")
	// What a killed kernel leaves behind.
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	s, err := Listen(Router, "unix", path, nil)
	if err != nil {
		t.Fatal(err)
	}
	go echo(s)
	c, err := zmtptest.Dial(s.Addr(), "DEALER", "")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	wantEcho(t, c, []byte("over a Unix socket"))
	if _, err := Listen(Router, "unix", path, nil); err == nil {
		t.Fatal("a socket in use was bound again")
	}
	s.Close(time.Second)
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Fatalf("the socket file is left: %v", err)
	}
}

// TestAddressIsFreeAtOnce rebinds a port that has connections in TIME_WAIT.
func TestAddressIsFreeAtOnce(t *testing.T) {
	s, _ := listen(t, Router, Options{})
	go echo(s)
	wantEcho(t, dial(t, s, "DEALER", ""), []byte("x"))
	address := s.Addr().String()
	s.Close(0) // the side that closes first keeps TIME_WAIT
	again, err := Listen(Router, "tcp", address, nil)
	if err != nil {
		t.Fatal(err)
	}
	again.Close(0)
}

// TestClaimedLengthCostsNothing sends headers of 200 MiB frames without the
// bytes, from 50 clients.
func TestClaimedLengthCostsNothing(t *testing.T) {
	s, _ := listen(t, Router, Options{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 50 {
		c := dial(t, s, "DEALER", "")
		c.Conn.Write([]byte{2, 0, 0, 0, 0, 12, 128, 0, 0})
	}
	time.Sleep(100 * time.Millisecond)
	runtime.ReadMemStats(&after)
	if grown := (after.HeapAlloc - before.HeapAlloc) >> 20; int64(grown) > 64 {
		t.Fatalf("50 claims of 200 MiB grew the heap by %d MiB", grown)
	}
}

func TestListenRefusesNonsense(t *testing.T) {
	if _, err := Listen("PAIR", "tcp", "127.0.0.1:0", nil); err == nil || !strings.Contains(err.Error(), "PAIR") {
		t.Fatalf("PAIR: %v", err)
	}
	if _, err := Listen(Router, "tcp", "256.0.0.1:1", nil); err == nil {
		t.Fatal("256.0.0.1 was bound")
	}
}
