package command

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// screen is the product on a terminal of its own.
type screen struct {
	t    *testing.T
	ptmx *os.File
	cmd  *exec.Cmd
	mu   sync.Mutex
	text strings.Builder
	seen int // how much of the text earlier waits have used up
}

func onTerminal(t *testing.T, args ...string) *screen {
	t.Helper()
	ptmx, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("absent: pseudo terminals (%v)", err)
	}
	fd := int(ptmx.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 100})
	s := &screen{t: t, ptmx: ptmx, cmd: exec.Command(os.Args[0], args...)}
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = tty, tty, tty
	s.cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+t.TempDir(), "TERM=xterm")
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	go func() {
		b := make([]byte, 4096)
		for {
			n, err := ptmx.Read(b)
			s.mu.Lock()
			s.text.Write(b[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		s.cmd.Process.Kill()
		ptmx.Close()
	})
	return s
}

func (s *screen) send(keys string) { s.ptmx.WriteString(keys) }

// wait waits until the text stands on the screen after what was seen before.
func (s *screen) wait(text string) {
	s.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		s.mu.Lock()
		all := s.text.String()
		s.mu.Unlock()
		if i := strings.Index(all[s.seen:], text); i >= 0 {
			s.seen += i + len(text)
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("no %q in %q", text, all[s.seen:])
		}
	}
}

func TestREPLOnATerminal(t *testing.T) {
	s := onTerminal(t, "repl")
	s.wait("[1] ")
	s.send("print one\r")
	s.wait("one\r\n")
	s.wait("[2] ")
	// An input that goes on, ended by its closing bracket.
	s.send("print {\r")
	s.wait("... ")
	s.send("print }\r")
	s.wait("}\r\n")
	s.wait("[3] ")
	// An empty line ends one that is not complete.
	s.send("print {\r")
	s.wait("... ")
	s.send("\r")
	s.wait("{\r\n")
	s.wait("[4] ")
	// Tab completes one match and lists several.
	s.send("eprin\t up\r")
	s.wait("eprint up")
	s.wait("up\r\n")
	s.wait("[5] ")
	s.send("late\t")
	s.wait("latefd  latepanic")
	s.send("\x15") // ^U
	// The up arrow fetches the last line.
	s.send("\x1b[A\r")
	s.wait("up\r\n")
	s.wait("[6] ")
	// ^C drops the input.
	s.send("print dropped")
	s.wait("dropped")
	s.send("\x03")
	s.wait("[6] ")
	s.send("print kept\r")
	s.wait("kept\r\n")
	s.wait("[7] ")
	// ^C stops a running cell.
	s.send("print run\rsleep 60000\r")
	s.wait("[8] ")
	time.Sleep(300 * time.Millisecond)
	s.send("\x03")
	s.wait("[9] ")
	// A cell asks for a line.
	s.send("input name?\r")
	s.wait("name?")
	s.send("Ada\r")
	s.wait("[10] ")
	s.send("?print\r")
	s.wait("print")
	s.wait("[10] ")
	// ^D leaves.
	s.send("\x04")
	done := make(chan error, 1)
	go func() { done <- s.cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("^D does not leave")
	}
}
