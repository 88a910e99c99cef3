package kernel_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestKernelInfo(t *testing.T) {
	c := serve(t, nil).client()
	for _, z := range []struct {
		name string
		ask  func() (string, map[string]any)
	}{
		{"shell", func() (string, map[string]any) {
			id := c.send(c.shell, "kernel_info_request", "{}")
			return id, c.reply(c.shell, id)
		}},
		{"control", func() (string, map[string]any) {
			id := c.send(c.control, "kernel_info_request", "{}")
			return id, c.reply(c.control, id)
		}},
	} {
		id, reply := z.ask()
		language := reply["language_info"].(map[string]any)
		if reply["status"] != "ok" || reply["protocol_version"] != "5.5" || language["name"] != "go" || language["mimetype"] != "text/x-go" ||
			language["file_extension"] != ".go" || fmt.Sprint(reply["supported_features"]) != "[kernel subshells]" || reply["banner"] == "" {
			t.Errorf("%s: %v", z.name, reply)
		}
		if e := c.until(id).String(); e != "busy idle" {
			t.Errorf("%s: iopub says %q", z.name, e)
		}
	}
	reply := c.ask(c.shell, "connect_request", "{}")
	if reply["shell_port"] != c.s.info["shell_port"] || reply["hb_port"] != c.s.info["hb_port"] {
		t.Errorf("connect_reply %v", reply)
	}
	usage := c.ask(c.control, "usage_request", "{}")
	if usage["pid"] != float64(c.s.cmd.Process.Pid) || usage["kernel_memory"].(float64) < 1<<20 || usage["cpu_count"].(float64) < 1 {
		t.Errorf("usage_reply %v", usage)
	}
	hb := c.dial("hb_port", "REQ", "")
	hb.Send(nil, []byte("ping"))
	if m, err := hb.Recv(patience); err != nil || string(m[1]) != "ping" {
		t.Errorf("heartbeat: %q, %v", m, err)
	}
}

func TestExecute(t *testing.T) {
	c := serve(t, nil).client()
	reply, e := c.execute("print a\nshow d1 first\nupdate d1 second\nclear wait\nresult 42")
	if e.String() != "busy execute_input stream display_data update_display_data clear_output execute_result idle" {
		t.Errorf("iopub: %s", e)
	}
	if reply["status"] != "ok" || reply["execution_count"] != 1.0 || fmt.Sprint(reply["payload"]) != "[]" || fmt.Sprint(reply["user_expressions"]) != "map[]" {
		t.Errorf("reply %v", reply)
	}
	for i, want := range []string{
		1: `{"code":"print a\nshow d1 first\nupdate d1 second\nclear wait\nresult 42","execution_count":1}`,
		2: `{"name":"stdout","text":"a\n"}`,
		3: `{"data":{"text/plain":"first"},"metadata":{},"transient":{"display_id":"d1"}}`,
		4: `{"data":{"text/plain":"second"},"metadata":{},"transient":{"display_id":"d1"}}`,
		5: `{"wait":true}`,
		6: `{"data":{"text/plain":"42"},"metadata":{},"transient":{},"execution_count":1}`,
	} {
		if got := string(e.messages[i].Content); want != "" && got != want {
			t.Errorf("message %d: %s\nwant %s", i, got, want)
		}
	}
	// MIME types.
	_, e = c.execute(`display application/json {"a":[1,null]}` + "\ndisplay text/html <b>\"é\"</b>\npng")
	var data map[string]any
	json.Unmarshal(e.messages[2].Content, &data)
	if a := data["data"].(map[string]any)["application/json"]; fmt.Sprint(a) != "map[a:[1 <nil>]]" {
		t.Errorf("JSON is shown as %v", a)
	}
	json.Unmarshal(e.messages[4].Content, &data)
	if p := data["data"].(map[string]any)["image/png"].(string); !strings.HasPrefix(p, "iVBORw0KGgo") {
		t.Errorf("PNG is shown as %.40q", p)
	}
	// Errors.
	reply, e = c.execute("fail boo")
	if e.String() != "busy execute_input error idle" || reply["status"] != "error" || reply["ename"] != "CompileError" || reply["evalue"] != "boo" ||
		!strings.Contains(fmt.Sprint(reply["traceback"]), "\x1b[") || reply["execution_count"] != 3.0 {
		t.Errorf("%s: %v", e, reply)
	}
	// Flags.
	reply, e = c.execute("print a\nresult 1", `"silent":true`, `"store_history":true`)
	if e.String() != "busy idle" || reply["status"] != "ok" {
		t.Errorf("silent: %s: %v", e, reply)
	}
	_, e = c.execute("print a", `"store_history":false`)
	if e.String() != "busy execute_input stream idle" {
		t.Errorf("store_history false: %s", e)
	}
	reply, _ = c.execute("", `"user_expressions":{"a":"1+1","b":"bad"}`)
	x := reply["user_expressions"].(map[string]any)
	if reply["execution_count"] != 4.0 || fmt.Sprint(x["a"].(map[string]any)["data"]) != "map[text/plain:value of 1+1]" || x["b"].(map[string]any)["status"] != "error" {
		t.Errorf("expressions: %v", reply)
	}
	reply, _ = c.execute("page some text")
	if p := reply["payload"].([]any); len(p) != 1 || p[0].(map[string]any)["source"] != "page" {
		t.Errorf("payload: %v", reply)
	}
	if _, e = c.execute("print a\r\nprint b\rprint c\x00"); e.stdout != "a\nb\nc\x00\n" {
		t.Errorf("CRLF: %q", e.stdout)
	}
	if reply, _ = c.execute("get nothing\r\nprint b", `"user_expressions":{}`); reply["evalue"] != "undefined: nothing" {
		t.Errorf("CRLF: %v", reply)
	}
	id := c.send(c.shell, "execute_request", `{"silent":false}`)
	if reply = c.reply(c.shell, id); reply["status"] != "error" {
		t.Errorf("without code: %v", reply)
	}
	id = c.send(c.shell, "execute_request", `{"code":[1]}`)
	if reply = c.reply(c.shell, id); reply["status"] != "error" || c.until(id).String() != "busy idle" {
		t.Errorf("code is a list: %v", reply)
	}
}

func TestAbortOnError(t *testing.T) {
	c := serve(t, nil).client()
	statuses := func(first string, more ...string) string {
		ids := []string{c.submit(first, more...), c.submit("print a"), c.submit("print b")}
		info := c.send(c.shell, "kernel_info_request", "{}") // never aborted
		got := map[string]string{}
		for range 4 {
			m := c.read(c.shell)
			got[m.Parent.MsgID], _ = decode(t, m.Content)["status"].(string)
		}
		for _, id := range append(ids, info) {
			c.until(id)
		}
		return fmt.Sprint(got[ids[0]], " ", got[ids[1]], " ", got[ids[2]], " ", got[info])
	}
	if got := statuses("sleep 100\nfail x"); got != "error aborted aborted ok" {
		t.Error(got)
	}
	if got := statuses("sleep 100\nfail x", `"stop_on_error":false`); got != "error ok ok ok" {
		t.Error(got)
	}
	// An error that comes before the other cells have arrived.
	if got := statuses("fail x"); got != "error aborted aborted ok" {
		t.Error(got)
	}
	// One that was sent before the error was told, and comes after it.
	parts, early := c.codec.Encode(nil, "execute_request", nil, nil, json.RawMessage(`{"code":"print early"}`), nil)
	c.execute("fail x")
	c.shell.Send(parts...)
	if r := c.reply(c.shell, early); r["status"] != "aborted" || c.until(early).String() != "busy idle" {
		t.Errorf("a cell sent before the error: %v", r)
	}
	if reply, _ := c.execute("print later"); reply["status"] != "ok" {
		t.Errorf("a cell sent after the error: %v", reply)
	}
}

func TestCompletionPositions(t *testing.T) {
	c := serve(t, nil).client()
	for _, x := range []struct {
		code        string
		cursor      int
		start, end  int
		matchesWant bool
	}{
		{"displ", 5, 0, 5, true},
		{"😀é displ", 8, 3, 8, true},
		{"a\r\nb\r\n😀 displ", 13, 8, 13, true},
		{"displ", 500, 0, 5, true},
		{"displ", -3, 0, 0, true}, // every command
		{"", 0, 0, 0, true},
		{"\r\n", 1, 0, 0, true}, // between \r and \n: no place for the Engine
		{"zzz", 3, 0, 3, false},
	} {
		code, _ := json.Marshal(x.code)
		r := c.ask(c.shell, "complete_request", fmt.Sprintf(`{"code":%s,"cursor_pos":%d}`, code, x.cursor))
		if r["status"] != "ok" || r["cursor_start"] != float64(x.start) || r["cursor_end"] != float64(x.end) || (len(r["matches"].([]any)) > 0) != x.matchesWant {
			t.Errorf("%q at %d: %v", x.code, x.cursor, r)
		}
	}
	// Half of a surrogate pair, as broken clients send it.
	if r := c.ask(c.shell, "complete_request", `{"code":"\ud83d displ","cursor_pos":7}`); r["cursor_start"] != 2.0 || r["cursor_end"] != 7.0 {
		t.Errorf("lone surrogate: %v", r)
	}
	r := c.ask(c.shell, "complete_request", `{"code":"displ"}`)
	types := r["metadata"].(map[string]any)["_jupyter_types_experimental"].([]any)
	if first := types[0].(map[string]any); first["text"] != "display" || first["type"] != "function" || first["start"] != 0.0 {
		t.Errorf("types: %v", types)
	}
	if r = c.ask(c.shell, "inspect_request", `{"code":"é display","cursor_pos":5,"detail_level":1}`); r["found"] != true || fmt.Sprint(r["data"]) != "map[text/plain:command display, detail 1]" {
		t.Errorf("inspect: %v", r)
	}
	if r = c.ask(c.shell, "inspect_request", `{"code":"zzz","cursor_pos":4294967295}`); r["found"] != false || r["status"] != "ok" {
		t.Errorf("inspect nothing: %v", r)
	}
	if r = c.ask(c.shell, "is_complete_request", `{"code":"f {\r\n"}`); r["status"] != "incomplete" || r["indent"] != "\t" {
		t.Errorf("is_complete: %v", r)
	}
	if r = c.ask(c.shell, "is_complete_request", `{"code":"f }"}`); r["status"] != "invalid" || r["indent"] != nil {
		t.Errorf("is_complete: %v", r)
	}
	if r = c.ask(c.shell, "complete_request", `{"code":5}`); r["status"] != "error" {
		t.Errorf("code is a number: %v", r)
	}
}

func TestHistory(t *testing.T) {
	data := t.TempDir()
	s := serve(t, nil, "XDG_DATA_HOME="+data)
	c := s.client()
	c.execute("result 1")
	c.execute("print two\nlines 2")
	c.execute("result 1")
	c.execute("print hidden", `"store_history":false`)
	c.execute("print secret", `"silent":true`)
	check := func(content, want string) {
		t.Helper()
		r := c.ask(c.shell, "history_request", content)
		if got := fmt.Sprint(r["history"]); r["status"] != "ok" || got != want {
			t.Errorf("%s: %v, want %s", content, r, want)
		}
	}
	check(`{"hist_access_type":"tail","n":2,"raw":true,"output":false}`, "[[1 2 print two\nlines 2] [1 3 result 1]]")
	check(`{"hist_access_type":"tail","n":1,"output":true}`, "[[1 3 [result 1 1]]]")
	check(`{"hist_access_type":"range","session":0,"start":1,"stop":3}`, "[[1 1 result 1] [1 2 print two\nlines 2]]")
	check(`{"hist_access_type":"search","pattern":"*t*n*","n":5}`, "[[1 2 print two\nlines 2]]")
	check(`{"hist_access_type":"search","pattern":"result ?","unique":true}`, "[[1 3 result 1]]")
	check(`{"hist_access_type":"search","pattern":"[xyz]*"}`, "[]")
	if r := c.ask(c.shell, "history_request", `{"hist_access_type":"nonsense"}`); r["status"] != "error" {
		t.Errorf("nonsense: %v", r)
	}
	c.ask(c.control, "shutdown_request", `{"restart":true}`)
	if code := s.ended(); code != 0 {
		t.Errorf("exit status %d", code)
	}
	// The next session finds it, on the ports of the last one.
	before := s.info["shell_port"]
	s.start("XDG_DATA_HOME=" + data)
	if s.info["shell_port"] != before {
		t.Errorf("port %v became %v", before, s.info["shell_port"])
	}
	c = s.client()
	c.execute("print next")
	check(`{"hist_access_type":"tail","n":2}`, "[[1 3 result 1] [2 1 print next]]")
	check(`{"hist_access_type":"range","session":-1,"start":2,"stop":3}`, "[[1 2 print two\nlines 2]]")
	check(`{"hist_access_type":"range","session":1,"start":3}`, "[[1 3 result 1]]")
}

func TestComms(t *testing.T) {
	c := serve(t, nil).client()
	_, e := c.execute("open c1")
	if e.String() != "busy execute_input comm_open idle" {
		t.Fatalf("iopub: %s", e)
	}
	if m := e.messages[2]; string(m.Content) != `{"comm_id":"c1","data":{"n":1},"target_name":"test"}` || len(m.Buffers) != 1 || string(m.Buffers[0]) != "\x00\xff" {
		t.Errorf("comm_open %s, buffers %v", m.Content, m.Buffers)
	}
	parts, id := c.codec.Encode(nil, "comm_msg", nil, nil, json.RawMessage(`{"comm_id":"c1","data":{"x":[1]}}`), [][]byte{{7}, {}})
	c.shell.Send(parts...)
	for echo := false; !echo; {
		m := c.next(id)
		if m.Header.MsgType == "comm_msg" {
			echo = true
			if string(m.Content) != `{"comm_id":"c1","data":{"x":[1]}}` || len(m.Buffers) != 2 || m.Buffers[0][0] != 7 {
				t.Errorf("echo %s, buffers %v", m.Content, m.Buffers)
			}
		}
	}
	if r := c.ask(c.shell, "comm_info_request", `{"target_name":"test"}`); fmt.Sprint(r["comms"]) != "map[c1:map[target_name:test]]" {
		t.Errorf("comm_info: %v", r)
	}
	if r := c.ask(c.shell, "comm_info_request", `{"target_name":"other"}`); fmt.Sprint(r["comms"]) != "map[]" {
		t.Errorf("comm_info: %v", r)
	}
	id = c.send(c.shell, "comm_open", `{"comm_id":"c2","target_name":"nobody","data":{}}`)
	for m := c.next(id); m.Header.MsgType != "comm_close"; m = c.next(id) {
	}
	c.execute("close c1")
	if r := c.ask(c.shell, "comm_info_request", `{}`); fmt.Sprint(r["comms"]) != "map[]" {
		t.Errorf("comm_info after the end: %v", r)
	}
	// While a cell runs, on control too.
	cell := c.submit("print a\nsleep 60000")
	c.running(cell)
	id = c.send(c.control, "comm_msg", `{"comm_id":"c3","data":{}}`)
	for m := c.next(id); m.Header.MsgType != "comm_msg"; m = c.next(id) {
	}
	c.send(c.shell, "comm_msg", `{}`) // no comm_id: logged
	c.ask(c.control, "interrupt_request", "{}")
	c.reply(c.shell, cell)
}

func TestAnswersWhileACellRuns(t *testing.T) {
	c := serve(t, nil).client()
	cell := c.submit("print a\nsleep 60000")
	c.running(cell)
	for _, q := range []string{`complete_request {"code":"displ","cursor_pos":5}`, `inspect_request {"code":"display","cursor_pos":2}`,
		`is_complete_request {"code":"x"}`, `kernel_info_request {}`, `history_request {"hist_access_type":"tail","n":1}`, `comm_info_request {}`} {
		kind, content, _ := strings.Cut(q, " ")
		id := c.send(c.shell, kind, content)
		if r := c.reply(c.shell, id); r["status"] != "ok" && r["status"] != "complete" {
			t.Errorf("%s: %v", kind, r)
		}
		if e := c.until(id).String(); e != "busy idle" {
			t.Errorf("%s: iopub says %s", kind, e)
		}
		// Front ends that show the newest status must see that a cell runs.
		if m := c.next(cell); m.Header.MsgType != "status" || string(m.Content) != `{"execution_state":"busy"}` {
			t.Errorf("%s: after its idle comes %s %s", kind, m.Header.MsgType, m.Content)
		}
	}
	if r := c.ask(c.control, "interrupt_request", "{}"); r["status"] != "ok" {
		t.Errorf("interrupt_reply %v", r)
	}
	if r := c.reply(c.shell, cell); r["ename"] != "Interrupted" {
		t.Errorf("the cell: %v", r)
	}
}

func TestInterruptByMessageAndSignal(t *testing.T) {
	c := serve(t, nil).client()
	c.execute("set x 1")
	for i, interrupt := range []func(){
		func() { c.ask(c.control, "interrupt_request", "{}") },
		func() { c.s.cmd.Process.Signal(syscall.SIGINT) },
	} {
		interrupt() // idle: nothing
		for _, code := range []string{"print a\nbusy", "print a\nsleep 60000"} {
			id := c.submit(code)
			waiting := c.submit("print no")
			c.running(id)
			begun := time.Now()
			interrupt()
			got := map[string]any{}
			for len(got) < 2 {
				if m := c.read(c.shell); m.Parent.MsgID == id || m.Parent.MsgID == waiting {
					got[m.Parent.MsgID] = decode(t, m.Content)["status"]
				}
			}
			if got[id] != "error" || got[waiting] != "aborted" {
				t.Errorf("way %d: %v, and the cell that waits: %v", i, got[id], got[waiting])
			}
			t.Logf("way %d: %q stopped after %v", i, code, time.Since(begun))
			if r, _ := c.execute("get x"); r["status"] != "ok" {
				t.Errorf("the state is lost: %v", r)
			}
		}
	}
}

func TestInputRequests(t *testing.T) {
	c := serve(t, nil).client()
	id := c.submit("input name?\npassword key?\nreadline", `"allow_stdin":true`)
	for i, want := range []string{`{"password":false,"prompt":"name?"}`, `{"password":true,"prompt":"key?"}`, `{"password":false,"prompt":""}`} {
		m := c.read(c.stdin)
		if m.Header.MsgType != "input_request" || string(m.Content) != want || m.Parent.MsgID != id {
			t.Errorf("asked %s %s", m.Header.MsgType, m.Content)
		}
		c.send(c.stdin, "input_reply", fmt.Sprintf(`{"value":"answer %d"}`, i))
	}
	c.reply(c.shell, id)
	if e := c.until(id); e.stdout != "got \"answer 0\"\ngot \"answer 1\"\nread \"answer 2\\n\" <nil>\n" {
		t.Errorf("stdout %q", e.stdout)
	}
	_, e := c.execute("readline", `"allow_stdin":false`)
	if e.stdout != "read \"\" EOF\n" || !strings.Contains(e.stderr, "cannot ask for input") {
		t.Errorf("not allowed: %q, %q", e.stdout, e.stderr)
	}
	c.send(c.stdin, "input_reply", `{"value":"nobody asked"}`)
	c.send(c.stdin, "nonsense", `{}`)
	if r, _ := c.execute("print a"); r["status"] != "ok" {
		t.Errorf("afterwards: %v", r)
	}
	// A client that never opened a stdin socket.
	c2 := c.s.client()
	c2.stdin.Close()
	if r, _ := c2.execute("input ?", `"allow_stdin":true`); r["status"] != "error" || !strings.Contains(fmt.Sprint(r["evalue"]), "stdin channel") {
		t.Errorf("without a stdin socket: %v", r)
	}
}

func TestSubshells(t *testing.T) {
	c := serve(t, nil).client()
	a := c.ask(c.control, "create_subshell_request", "{}")["subshell_id"].(string)
	b := c.ask(c.control, "create_subshell_request", "{}")["subshell_id"].(string)
	if r := c.ask(c.control, "list_subshell_request", "{}"); len(r["subshell_id"].([]any)) != 2 {
		t.Errorf("list: %v", r)
	}
	in := func(id, msgType, content string) string {
		parts, msg := c.codec.Encode(nil, msgType, nil, nil, json.RawMessage(content), nil)
		var header map[string]any
		for i, p := range parts {
			if strings.HasPrefix(string(p), `{"msg_id"`) {
				json.Unmarshal(p, &header)
				header["subshell_id"] = id
				raw, _ := json.Marshal(header)
				parts, msg = c.sign(parts, i, raw), header["msg_id"].(string)
				break
			}
		}
		c.shell.Send(parts...)
		return msg
	}
	long := c.submit("print a\nsleep 60000")
	c.running(long)
	second := in(a, "execute_request", `{"code":"print in a"}`)
	question := in(b, "complete_request", `{"code":"displ","cursor_pos":5}`)
	if r := c.reply(c.shell, question); len(r["matches"].([]any)) != 1 {
		t.Errorf("complete in a subshell while the main shell is busy: %v", r)
	}
	if r := c.reply(c.shell, in("nonsense", "execute_request", `{"code":"print a"}`)); r["status"] != "error" {
		t.Errorf("unknown subshell: %v", r)
	}
	c.ask(c.control, "interrupt_request", "{}")
	got := map[string]any{}
	for range 2 {
		m := c.read(c.shell)
		got[m.Parent.MsgID] = decode(t, m.Content)["status"]
	}
	if got[long] != "error" || got[second] != "ok" {
		t.Errorf("main shell %v, subshell %v", got[long], got[second])
	}
	if m := c.next(second); m.Header.MsgType != "status" || !strings.Contains(string(m.Content), "busy") {
		t.Errorf("the subshell's first message: %s", m.Content)
	}
	if r := c.ask(c.control, "delete_subshell_request", fmt.Sprintf(`{"subshell_id":%q}`, a)); r["status"] != "ok" {
		t.Errorf("delete: %v", r)
	}
	for _, id := range []string{a, "", "nonsense"} {
		if r := c.ask(c.control, "delete_subshell_request", fmt.Sprintf(`{"subshell_id":%q}`, id)); r["status"] != "error" {
			t.Errorf("delete %q: %v", id, r)
		}
	}
	if r := c.ask(c.control, "list_subshell_request", "{}"); fmt.Sprint(r["subshell_id"]) != "["+b+"]" {
		t.Errorf("list: %v", r)
	}
}

func TestShutdown(t *testing.T) {
	for _, code := range []string{"print a", "print a\nspin"} {
		s := serve(t, nil)
		c := s.client()
		_, e := c.execute("child")
		var child int
		fmt.Sscan(e.stdout, &child)
		id := c.submit(code)
		c.running(id)
		begun := time.Now()
		stop := c.send(c.control, "shutdown_request", `{"restart":false}`)
		if r := c.reply(c.control, stop); r["status"] != "ok" || r["restart"] != false {
			t.Errorf("shutdown_reply %v", r)
		}
		if e := c.until(stop).String(); e != "busy shutdown_reply idle" {
			t.Errorf("iopub: %s", e)
		}
		if code := s.ended(); code != 0 {
			t.Errorf("exit status %d", code)
		}
		t.Logf("%q: gone after %v", code, time.Since(begun))
		eventually(t, "the child of a cell is gone", func() bool { return child > 0 && dead(child) })
	}
}
