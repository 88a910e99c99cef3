package kernel_test

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fathom-kernel/fathom/kernel/wire"
	"github.com/fathom-kernel/fathom/kernel/zmtp/zmtptest"
)

// server is a kernel process.
type server struct {
	t    *testing.T
	cmd  *exec.Cmd
	file string
	info map[string]any
	log  lines
	gone chan struct{} // closed when the process was waited for
}

// lines collects a kernel's log.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) read(r io.Reader) {
	for s := bufio.NewScanner(r); s.Scan(); {
		l.mu.Lock()
		l.all = append(l.all, s.Text())
		l.mu.Unlock()
	}
}

func (l *lines) String() string { l.mu.Lock(); defer l.mu.Unlock(); return strings.Join(l.all, "\n") }

type connect map[string]any

// connectionFile writes one, with ports to be chosen.
func connectionFile(t *testing.T, fields connect) string {
	t.Helper()
	info := connect{"transport": "tcp", "ip": "127.0.0.1", "signature_scheme": "hmac-sha256", "key": "the-key",
		"shell_port": 0, "iopub_port": 0, "stdin_port": 0, "control_port": 0, "hb_port": 0, "kernel_name": "fathom"}
	for k, v := range fields {
		info[k] = v
	}
	b, _ := json.Marshal(info)
	file := filepath.Join(t.TempDir(), "kernel.json")
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// serve starts a kernel and waits for its ports.
func serve(t *testing.T, fields connect, env ...string) *server {
	t.Helper()
	file := connectionFile(t, fields)
	s := &server{t: t, file: file}
	s.start(append([]string{"XDG_DATA_HOME=" + filepath.Dir(file)}, env...)...)
	return s
}

func (s *server) start(env ...string) {
	s.t.Helper()
	binary, _ := os.Executable()
	s.cmd = exec.Command(binary, "kernel", s.file)
	s.cmd.Env = append(os.Environ(), env...)
	r, w, err := os.Pipe()
	if err != nil {
		s.t.Fatal(err)
	}
	s.cmd.Stderr, s.cmd.Stdout = w, w
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	w.Close()
	go s.log.read(r)
	cmd, gone := s.cmd, make(chan struct{})
	s.gone = gone
	go func() { cmd.Wait(); close(gone) }()
	s.t.Cleanup(func() { cmd.Process.Kill(); <-gone })
	eventually(s.t, "the ports are written to the connection file", func() bool {
		b, err := os.ReadFile(s.file)
		s.info = nil
		if err != nil || json.Unmarshal(b, &s.info) != nil || s.info["hb_port"].(float64) == 0 {
			return false
		}
		a := s.addr("hb_port")
		conn, err := net.Dial(a.Network(), a.String())
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
}

// ended waits for the process to end by itself and returns its exit status.
func (s *server) ended() int {
	s.t.Helper()
	select {
	case <-s.gone:
	case <-time.After(patience):
		s.t.Fatal("the kernel does not end")
	}
	return s.cmd.ProcessState.ExitCode()
}

func (s *server) addr(port string) net.Addr {
	n := int(s.info[port].(float64))
	if s.info["transport"] == "ipc" {
		return &net.UnixAddr{Name: fmt.Sprintf("%s-%d", s.info["ip"], n), Net: "unix"}
	}
	return &net.TCPAddr{IP: net.ParseIP(s.info["ip"].(string)), Port: n}
}

// client speaks the Jupyter protocol to a server.
type client struct {
	t                            *testing.T
	s                            *server
	codec                        *wire.Codec
	shell, control, stdin, iopub *zmtptest.Client
	heard                        []*wire.Message // iopub messages that were read for another request
}

func (s *server) client() *client {
	s.t.Helper()
	c := s.clientWithoutIOPub()
	c.iopub = c.dial("iopub_port", "SUB", "")
	c.iopub.Send([]byte{1})
	// What another client causes may come before the welcome.
	m := c.read(c.iopub)
	for m.Header.MsgType != "iopub_welcome" {
		m = c.read(c.iopub)
	}
	if string(m.Content) != `{"subscription":""}` || string(m.RawHeader) == "" || m.Parent.MsgID != "" {
		s.t.Fatalf("the welcome is %s, parent %+v", m.Content, m.Parent)
	}
	return c
}

func (s *server) clientWithoutIOPub() *client {
	s.t.Helper()
	codec, err := wire.NewCodec("", s.info["key"].(string))
	if err != nil {
		s.t.Fatal(err)
	}
	c := &client{t: s.t, s: s, codec: codec}
	identity := wire.NewID()
	c.shell, c.control, c.stdin = c.dial("shell_port", "DEALER", identity), c.dial("control_port", "DEALER", identity), c.dial("stdin_port", "DEALER", identity)
	return c
}

func (c *client) dial(port, typ, identity string) *zmtptest.Client {
	c.t.Helper()
	z, err := zmtptest.Dial(c.s.addr(port), typ, identity)
	if err != nil {
		c.t.Fatal(port, err, c.s.log.String())
	}
	c.t.Cleanup(func() { z.Close() })
	return z
}

// read reads the next message of a socket.
func (c *client) read(z *zmtptest.Client) *wire.Message {
	c.t.Helper()
	parts, err := z.Recv(patience)
	if err != nil {
		c.t.Fatalf("no message: %v\nlog: %s", err, c.s.log.String())
	}
	m, err := c.codec.Decode(parts)
	if err != nil {
		c.t.Fatalf("%v: %.200q", err, parts)
	}
	return m
}

// send sends a request and returns its id.
func (c *client) send(z *zmtptest.Client, msgType, content string) string {
	c.t.Helper()
	parts, id := c.codec.Encode(nil, msgType, nil, nil, json.RawMessage(content), nil)
	if err := z.Send(parts...); err != nil {
		c.t.Fatal(err)
	}
	return id
}

// ask sends a request on a socket and returns the content of its reply.
func (c *client) ask(z *zmtptest.Client, msgType, content string) map[string]any {
	c.t.Helper()
	return c.reply(z, c.send(z, msgType, content))
}

// reply reads the reply to a request, skipping others.
func (c *client) reply(z *zmtptest.Client, id string) map[string]any {
	c.t.Helper()
	for {
		m := c.read(z)
		if m.Parent.MsgID == id {
			return decode(c.t, m.Content)
		}
	}
}

func decode(t *testing.T, b []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%v: %.200q", err, b)
	}
	return v
}

// next reads the next iopub message of a request.
func (c *client) next(id string) *wire.Message {
	c.t.Helper()
	for i, m := range c.heard {
		if m.Parent.MsgID == id {
			c.heard = append(c.heard[:i:i], c.heard[i+1:]...)
			return m
		}
	}
	for {
		m := c.read(c.iopub)
		if m.Parent.MsgID == id {
			return m
		}
		c.heard = append(c.heard, m)
	}
}

// events are what a request caused on iopub, up to its idle: types, and
// execution states.
type events struct {
	kinds    []string
	messages []*wire.Message
	stdout   string
	stderr   string
}

func (e events) String() string { return strings.Join(e.kinds, " ") }

func (c *client) until(id string) (e events) {
	c.t.Helper()
	for {
		m := c.next(id)
		content := decode(c.t, m.Content)
		kind := m.Header.MsgType
		switch kind {
		case "status":
			kind = content["execution_state"].(string)
		case "stream":
			if content["name"] == "stdout" {
				e.stdout += content["text"].(string)
			} else {
				e.stderr += content["text"].(string)
			}
		}
		e.kinds = append(e.kinds, kind)
		e.messages = append(e.messages, m)
		if kind == "idle" {
			return e
		}
	}
}

// execute runs a cell to reply and idle. More are further fields of the
// content, such as `"silent":true`.
func (c *client) execute(code string, more ...string) (map[string]any, events) {
	c.t.Helper()
	id := c.submit(code, more...)
	reply := c.reply(c.shell, id)
	return reply, c.until(id)
}

func (c *client) submit(code string, more ...string) string {
	c.t.Helper()
	b, _ := json.Marshal(code)
	return c.send(c.shell, "execute_request", "{"+strings.Join(append([]string{`"code":` + string(b)}, more...), ",")+"}")
}

// running waits until a cell has printed something.
func (c *client) running(id string) {
	c.t.Helper()
	for c.next(id).Header.MsgType != "stream" {
	}
}

// sign puts another header into an encoded message, and signs it again.
func (c *client) sign(parts [][]byte, header int, raw []byte) [][]byte {
	mac := hmac.New(sha256.New, []byte(c.s.info["key"].(string)))
	parts[header] = raw
	for _, p := range parts[header : header+4] {
		mac.Write(p)
	}
	parts[header-1] = []byte(hex.EncodeToString(mac.Sum(nil)))
	return parts
}
