package zmtp

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fathom-kernel/fathom/kernel/zmtp/zmtptest"
)

const python = "/usr/bin/python3"

// libzmq starts testdata/peer.py, or skips aloud.
func libzmq(t *testing.T, s *Socket, command string, args ...string) *python3 {
	t.Helper()
	if out, err := exec.Command(python, "-c", "import zmq").CombinedOutput(); err != nil {
		t.Skipf("no pyzmq (Debian: python3-zmq) for %s: nothing is tested against libzmq: %s", python, out)
	}
	endpoint := "tcp://" + s.Addr().String()
	if s.Addr().Network() == "unix" {
		endpoint = "ipc://" + s.Addr().String()
	}
	p := &python3{t: t, cmd: exec.Command(python, append([]string{"testdata/peer.py", command, endpoint}, args...)...)}
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewScanner(out)
	t.Cleanup(func() { p.cmd.Process.Kill(); p.cmd.Wait() })
	return p
}

type python3 struct {
	t   *testing.T
	cmd *exec.Cmd
	out *bufio.Scanner
}

// says waits for a line.
func (p *python3) says(want string) {
	p.t.Helper()
	if !p.out.Scan() || p.out.Text() != want {
		p.t.Fatalf("the peer says %q, want %q", p.out.Text(), want)
	}
}

func TestLibzmqRouter(t *testing.T) {
	for _, command := range []string{"sizes", "reconnect", "clients"} {
		t.Run(command, func(t *testing.T) {
			s, _ := listen(t, Router, Options{})
			go echo(s)
			libzmq(t, s, command).says("ok")
		})
	}
	t.Run("unix", func(t *testing.T) {
		s, err := Listen(Router, "unix", filepath.Join(t.TempDir(), "s"), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close(0)
		go echo(s)
		libzmq(t, s, "sizes").says("ok")
	})
}

func TestLibzmqHeartbeat(t *testing.T) {
	s, book := listen(t, Rep, Options{})
	go echo(s)
	libzmq(t, s, "heartbeat").says("ok")
	if len(book.lines) > 0 {
		t.Errorf("the log says %q", book.lines)
	}
}

// publish waits for the subscription and sends n messages of 200 bytes.
func publish(t *testing.T, s *Socket, n int) {
	t.Helper()
	if m, err := s.Recv(); err != nil || string(m.Parts[0]) != "\x01" {
		t.Fatalf("subscription %q, %v", m.Parts, err)
	}
	for i := range n {
		s.Publish([][]byte{[]byte("t"), fmt.Appendf(nil, "%012d%0188d", i, 0)})
	}
	s.Publish([][]byte{[]byte("end"), fmt.Append(nil, n)})
}

func TestLibzmqBurst(t *testing.T) {
	n := 200_000
	if testing.Short() {
		n = 20_000
	}
	for _, sleep := range []string{"0", "2"} {
		t.Run("reader sleeps "+sleep+" s", func(t *testing.T) {
			s, _ := listen(t, XPub, Options{Queue: 4 << 20})
			p := libzmq(t, s, "burst", sleep)
			p.says("subscribed")
			publish(t, s, n)
			p.says("ok")
		})
	}
}

// TestLibzmqMillion is the burst that PUB sockets lose messages in: a million,
// through a queue of 8 MiB.
func TestLibzmqMillion(t *testing.T) {
	if testing.Short() {
		t.Skip("short: a million messages are not sent")
	}
	s, _ := listen(t, XPub, Options{Queue: 8 << 20, Stall: time.Minute})
	p := libzmq(t, s, "burst", "0")
	p.says("subscribed")
	begun := time.Now()
	publish(t, s, 1_000_000)
	p.says("ok")
	t.Logf("10^6 messages of 200 bytes in %v", time.Since(begun))
}

func TestLibzmqTopics(t *testing.T) {
	s, _ := listen(t, XPub, Options{})
	p := libzmq(t, s, "topics")
	p.says("subscribed")
	s.Recv()
	for _, topic := range []string{"b", "a.1", "a", "a.2"} {
		s.Publish([][]byte{[]byte(topic), []byte("x")})
	}
	for m, _ := s.Recv(); string(m.Parts[0]) != "\x01b"; m, _ = s.Recv() {
	}
	s.Publish([][]byte{[]byte("a.3"), []byte("x")})
	s.Publish([][]byte{[]byte("b"), []byte("y")})
	p.says("ok")
}

// TestLibzmqStopped stops a client by a signal while it is sent more than the
// system buffers: a ROUTER goes on serving others, an XPUB drops it in the end.
func TestLibzmqStopped(t *testing.T) {
	s, _ := listen(t, Router, Options{Queue: 1 << 20, Stall: time.Second})
	p := libzmq(t, s, "stuck")
	p.says("subscribed")
	m, err := s.Recv()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Process.Signal(syscall.SIGSTOP)
	flood := make(chan error)
	go func() {
		body := make([]byte, 1<<20)
		for range 1000 {
			if err := s.Send(m.From, [][]byte{body}); err != nil {
				flood <- err
				return
			}
		}
		flood <- nil
	}()
	c, err := zmtptest.Dial(s.Addr(), "DEALER", "other")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for i := range 100 {
		c.Send(fmt.Append(nil, i))
		m, err := s.Recv()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Reply(m, m.Parts); err != nil {
			t.Fatal(err)
		}
		if got, err := c.Recv(patience); err != nil || string(got[0]) != fmt.Sprint(i) {
			t.Fatalf("the other client got %q, %v", got, err)
		}
	}
	if err := <-flood; err != ErrUnreachable {
		t.Errorf("a gigabyte to a stopped client: %v, want ErrUnreachable", err)
	}

	pub, book := listen(t, XPub, Options{Queue: 1 << 20, Stall: time.Second})
	p = libzmq(t, pub, "stuck", "1")
	p.says("subscribed")
	pub.Recv()
	p.cmd.Process.Signal(syscall.SIGSTOP)
	body := make([]byte, 1<<20)
	for range 100 {
		pub.Publish([][]byte{[]byte("t"), body})
	}
	book.waitFor(t, "took nothing for")
}

// TestLibzmqReconnects ends a server and binds its port again, as a restart of
// a kernel does.
func TestLibzmqReconnects(t *testing.T) {
	s, _ := listen(t, Router, Options{})
	address := s.Addr().String()
	p := libzmq(t, s, "patient")
	p.says("subscribed")
	go echo(s)
	p.says("answered")
	s.Close(time.Second)
	again, err := Listen(Router, "tcp", address, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close(0)
	go echo(again)
	p.says("ok")
	if strings.HasSuffix(address, ":0") {
		t.Fatal("the port was not chosen")
	}
}
