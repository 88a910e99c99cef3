package kernel_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fathom-kernel/fathom/kernel/zmtp/zmtptest"
)

// TestBadMessages sends what no client should, and wants the kernel to go on.
func TestBadMessages(t *testing.T) {
	s := serve(t, nil)
	c := s.client()
	d, none := []byte("<IDS|MSG>"), []byte("{}")
	header := []byte(`{"msg_id":"x","msg_type":"kernel_info_request"}`)
	for _, z := range []*zmtptest.Client{c.shell, c.control, c.stdin} {
		z.Send([]byte("no delimiter"))
		z.Send(d)
		z.Send(d, []byte("00"), header, none, none, none)                          // wrong signature
		z.Send(d, []byte(strings.Repeat("0", 64)), header, none, none, none)       // of the right length
		z.Send(d, nil, header, none, none, none)                                   // unsigned
		z.Send(c.sign([][]byte{d, nil, nil, none, none, none}, 2, []byte("{"))...) // signed, but no JSON
		z.Send(c.sign([][]byte{d, nil, nil, none, none, none}, 2, []byte(`{"msg_type":7}`))...)
		z.Send(c.sign([][]byte{d, nil, nil, none, none, []byte("[]")}, 2, header)...)
		z.Send(c.sign([][]byte{d, nil, nil, none, none, []byte("{\"code\":\"\xff\xfe\"}")}, 2, []byte(`{"msg_type":"complete_request","date":12}`))...)
		z.Send(c.sign([][]byte{d, nil, nil, none, none, none}, 2, []byte(`{"msg_type":"complete_request","msg_id":null}`))...)
	}
	for _, kind := range []string{"no_such_request", "execute_reply", "input_reply", "debug_request", "complete_request", "inspect_request",
		"is_complete_request", "history_request", "comm_open", "comm_msg", "comm_close", "shutdown_requestx", "\u0000"} {
		for _, content := range []string{`{}`, `{"code":null,"cursor_pos":1e300,"comm_id":[]}`, `{"code":{},"n":"x","session":1.5}`} {
			c.send(c.shell, kind, content)
			c.send(c.control, kind, content)
		}
	}
	// A replay of a good message.
	parts, _ := c.codec.Encode(nil, "execute_request", nil, nil, json.RawMessage(`{"code":"print once"}`), nil)
	c.shell.Send(parts...)
	c.shell.Send(parts...)
	eventually(t, "the replay is counted", func() bool { return strings.Contains(s.log.String(), "1 replayed") })
	eventually(t, "bad signatures are counted", func() bool { return strings.Contains(s.log.String(), "9 wrongly signed") })
	if strings.Contains(s.log.String(), "panic") {
		t.Errorf("the log: %s", s.log.String())
	}
	c = s.client()
	if r, e := c.execute("print fine"); r["status"] != "ok" || e.stdout != "fine\n" || r["execution_count"] != 2.0 {
		t.Errorf("afterwards: %v", r)
	}
}

func TestEmptyKeyAndIPC(t *testing.T) {
	dir, err := os.MkdirTemp("", "fathom") // a short path: Unix sockets have a limit
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, fields := range map[string]connect{
		"empty key": {"key": ""},
		"ipc":       {"transport": "ipc", "ip": filepath.Join(dir, "k")},
	} {
		c := serve(t, fields).client()
		if r, e := c.execute("print a"); r["status"] != "ok" || e.stdout != "a\n" {
			t.Errorf("%s: %v", name, r)
		}
	}
}

// run starts a kernel that is expected to end by itself.
func runKernel(t *testing.T, file string) (string, error) {
	binary, _ := os.Executable()
	out, err := exec.Command(binary, "kernel", file).CombinedOutput()
	return string(out), err
}

func TestConnectionFileFaults(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	port := busy.Addr().(*net.TCPAddr).Port
	broken := filepath.Join(t.TempDir(), "broken.json")
	os.WriteFile(broken, []byte(`{"shell_port": 1`), 0o600)
	list := filepath.Join(t.TempDir(), "list.json")
	os.WriteFile(list, []byte(`[]`), 0o600)
	var wg sync.WaitGroup
	for file, want := range map[string]string{
		filepath.Join(t.TempDir(), "gone.json"): "is not there",
		broken:                                  "not a JSON object",
		list:                                    "not a JSON object",
		connectionFile(t, connect{"stdin_port": port}):           "in use",
		connectionFile(t, connect{"stdin_port": "x"}):            "not a number",
		connectionFile(t, connect{"hb_port": 70000}):             "not a port",
		connectionFile(t, connect{"transport": "udp"}):           "transport",
		connectionFile(t, connect{"signature_scheme": "hmac-x"}): "hmac-sha256",
		connectionFile(t, connect{"ip": "256.1.1.1"}):            "256.1.1.1",
	} {
		wg.Go(func() {
			out, err := runKernel(t, file)
			status, _ := err.(*exec.ExitError)
			if status == nil || status.ExitCode() != 1 || !strings.Contains(out, want) || strings.Count(out, "\n") != 1 {
				t.Errorf("%s: %v, %q", want, err, out)
			}
		})
	}
	wg.Wait()
}

// TestPortIsFreedInTime has another program let go of the port within the two
// seconds that the kernel tries.
func TestPortIsFreedInTime(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(500*time.Millisecond, func() { busy.Close() })
	s := serve(t, connect{"control_port": busy.Addr().(*net.TCPAddr).Port})
	if r := s.client().ask(s.client().shell, "kernel_info_request", "{}"); r == nil {
		t.Error("no answer")
	}
}

func TestTwoKernelsAtOnce(t *testing.T) {
	a, b := serve(t, nil), serve(t, nil)
	for _, s := range []*server{a, b} {
		if r, _ := s.client().execute("print a"); r["status"] != "ok" {
			t.Errorf("%v", r)
		}
	}
}

// TestParentDies starts a kernel from a shell that is then killed.
func TestParentDies(t *testing.T) {
	file := connectionFile(t, nil)
	binary, _ := os.Executable()
	parent := exec.Command("sh", "-c", fmt.Sprintf("JPY_PARENT_PID=$$ %s kernel %s & echo $!; sleep 300 & wait", binary, file))
	parent.Env = append(os.Environ(), "XDG_DATA_HOME="+t.TempDir())
	parent.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 32)
	n, _ := out.Read(b)
	pid, err := strconv.Atoi(strings.TrimSpace(string(b[:n])))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(-parent.Process.Pid, syscall.SIGKILL)
	worker := 0
	eventually(t, "the worker is there", func() bool {
		children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
		for _, task := range glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) {
			c, _ := os.ReadFile(task)
			children = append(children, c...)
		}
		fmt.Sscan(string(children), &worker)
		return worker > 0
	})
	time.Sleep(200 * time.Millisecond) // past the moment when the kernel notes its parent
	parent.Process.Kill()
	parent.Wait()
	eventually(t, "kernel and worker end", func() bool { return dead(pid) && dead(worker) })
}

func glob(pattern string) []string { m, _ := filepath.Glob(pattern); return m }

// TestKernelIsKilled wants nothing left behind by kill -9 of the front.
func TestKernelIsKilled(t *testing.T) {
	s := serve(t, nil)
	c := s.client()
	_, e := c.execute("child")
	child, _ := strconv.Atoi(e.stdout)
	_, e = c.execute("pid")
	content := decode(t, e.messages[2].Content)
	worker, _ := strconv.Atoi(content["data"].(map[string]any)["text/plain"].(string))
	s.cmd.Process.Kill()
	eventually(t, "worker and child end", func() bool { return worker > 0 && child > 0 && dead(worker) && dead(child) })
}

// peak returns a process's largest resident size so far, in MiB.
func peak(t *testing.T, pid int) int {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	var kb int
	fmt.Sscan(rest, &kb)
	return kb >> 10
}

// TestHugeOutput bounds the front's memory while cells print and show a lot.
func TestHugeOutput(t *testing.T) {
	s := serve(t, nil)
	c := s.client()
	for _, x := range []struct {
		code string
		cut  bool
	}{
		{"flood 1024 lines", true}, // 1 GB
		{"flood 100", true},        // a line of 100 MB
		{"image 50", false},
		{"bigresult 50", false},
		{"lines 100000", false},
	} {
		begun := time.Now()
		r, e := c.execute(x.code)
		if r["status"] != "ok" || strings.Contains(e.stderr, "FATHOM_OUTPUT_LIMIT") != x.cut || len(e.stdout) > 10<<20 {
			t.Errorf("%s: %v, stderr %q, %d bytes of stdout", x.code, r["status"], e.stderr, len(e.stdout))
		}
		if len(e.kinds) > 200 {
			t.Errorf("%s: %d messages", x.code, len(e.kinds))
		}
		t.Logf("%s: %v, %d messages, front's peak %d MiB", x.code, time.Since(begun).Round(time.Millisecond), len(e.kinds), peak(t, s.cmd.Process.Pid))
	}
	if mib := peak(t, s.cmd.Process.Pid); mib >= 200 {
		t.Errorf("the front took %d MiB, want less than 200", mib)
	}
}

// TestHungSubscriber has a client that stops reading iopub: others are served
// all the while, and the front's memory stays bounded.
func TestHungSubscriber(t *testing.T) {
	s := serve(t, nil, "FATHOM_OUTPUT_LIMIT=none")
	hung := s.client() // never reads again
	c := s.client()
	begun := time.Now()
	for i := 0; !strings.Contains(s.log.String(), "took nothing for"); i++ {
		if time.Since(begun) > 3*patience {
			t.Fatal("the hung client is never dropped")
		}
		if r, e := c.execute("flood 8 lines\nprint end"); r["status"] != "ok" || !strings.HasSuffix(e.stdout, "end\n") {
			t.Fatalf("cell %d: %v", i, r)
		}
	}
	t.Logf("the hung client was dropped after %v", time.Since(begun))
	if r, _ := c.execute("print after"); r["status"] != "ok" {
		t.Errorf("afterwards: %v", r)
	}
	if mib := peak(t, s.cmd.Process.Pid); mib >= 200 {
		t.Errorf("the front took %d MiB, want less than 200", mib)
	}
	hung.iopub.Close()
}

// TestFirstRequestWaitsForASubscriber sends a request before it subscribes, as
// some clients do, and wants its busy and idle.
func TestFirstRequestWaitsForASubscriber(t *testing.T) {
	c := serve(t, nil).clientWithoutIOPub()
	id := c.send(c.shell, "kernel_info_request", "{}")
	time.Sleep(100 * time.Millisecond)
	c.iopub = c.dial("iopub_port", "SUB", "")
	c.iopub.Send([]byte{1})
	if e := c.until(id).String(); e != "busy idle" {
		t.Errorf("iopub: %s", e)
	}
	// Without any subscriber the answer comes all the same, after a second.
	c = serve(t, nil).clientWithoutIOPub()
	if r := c.ask(c.shell, "kernel_info_request", "{}"); r["status"] != "ok" {
		t.Errorf("%v", r)
	}
}

// TestCrashOverTheWire is a crash as a notebook sees it.
func TestCrashOverTheWire(t *testing.T) {
	c := serve(t, nil).client()
	c.execute("declare Point struct\nset x 1")
	waiting := ""
	id := c.submit("print before\ngopanic oh no")
	waiting = c.submit("print not run")
	if r := c.reply(c.shell, id); r["status"] != "error" || r["ename"] != "Panic" || r["evalue"] != "oh no" {
		t.Errorf("reply %v", r)
	}
	e := c.until(id)
	if e.String() != "busy execute_input stream error idle" || e.stderr != "" {
		t.Errorf("iopub: %s, stderr %q", e, e.stderr)
	}
	if r := c.reply(c.shell, waiting); r["status"] != "aborted" {
		t.Errorf("the cell that waits: %v", r)
	}
	if r, e := c.execute("get Point"); r["status"] != "ok" || r["execution_count"] != 3.0 {
		t.Errorf("afterwards: %v %v", r, e)
	}
}

// TestLateOutputOverTheWire carries the header of the cell it belongs to.
func TestLateOutputOverTheWire(t *testing.T) {
	c := serve(t, nil).client()
	id := c.submit("late 200 late")
	c.reply(c.shell, id)
	c.until(id)
	c.execute("sleep 400")
	if m := c.next(id); m.Header.MsgType != "stream" || !strings.Contains(string(m.Content), "late") {
		t.Errorf("late output: %s %s", m.Header.MsgType, m.Content)
	}
}
