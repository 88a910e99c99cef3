package kernel

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/fathom-kernel/fathom/kernel/wire"
	"github.com/fathom-kernel/fathom/kernel/zmtp"
)

// Options sets up a Jupyter kernel.
type Options struct {
	Session SessionOptions
	// Version of the product, as kernel_info_reply shows it.
	Version string
	// Banner greets in a console; empty means one line with Version.
	Banner string
	// HistoryFile keeps the input of all sessions; empty means
	// fathom/history.jsonl in the user's data directory, "-" keeps none.
	HistoryFile string
	// Log receives one line per event worth knowing; nil means standard error.
	Log func(format string, args ...any)
}

// front is a running kernel: the sockets on one side, the Session on the
// other.
type front struct {
	opt     Options
	conn    *connection
	codec   *wire.Codec
	session *Session
	history func() *history // opened in the background, waited for when needed

	shell, control, stdin, iopub, hb *zmtp.Socket

	subscribed chan struct{} // closed when iopub has its first subscriber
	firstShell sync.Once
	done       chan struct{} // closed when a client has asked for the end
	end        sync.Once
	dropped    dropCounts
	usage      usageMeter
	quick      chan struct{} // bounds requests that are answered side by side

	statusMu sync.Mutex // orders busy and idle
	running  []*request // execute_requests between busy and idle

	mu        sync.Mutex
	count     int // of the newest stored cell
	subshells map[string]*subshell
	comms     map[string]string // target by id
	asking    []*question
	ending    bool
}

const (
	// iopubQueue is how much may wait for one subscriber, and stall how long
	// it may take nothing before it is dropped.
	iopubQueue = 32 << 20
	stall      = 10 * time.Second
	// frontMemory is the collector's goal: the front is small whatever the
	// worker prints.
	frontMemory = 100 << 20
	// maxQuick requests are answered side by side.
	maxQuick = 64
	// subscriberWait is how long the first request waits for a subscriber: a
	// client that asks before it listens would wait for its idle for ever.
	subscriberWait = time.Second
	// linger is how long the last messages may take to leave.
	linger = time.Second
)

// Run serves the Jupyter protocol at the ports of the connection file until a
// client shuts the kernel down, the parent process ends, or ctx does. The
// error says in one line what is wrong with the file or the ports.
func Run(ctx context.Context, connectionFile string, opt Options) error {
	if opt.Log == nil {
		opt.Log = log.Printf
	}
	if opt.Session.Log == nil {
		opt.Session.Log = opt.Log
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(frontMemory)
	}
	parent := watchParent()
	conn, err := readConnection(connectionFile)
	if err != nil {
		return err
	}
	codec, err := wire.NewCodec(conn.Scheme, conn.Key)
	if err != nil {
		return fmt.Errorf("kernel: connection file %s: %w", connectionFile, err)
	}
	k := &front{
		opt: opt, conn: conn, codec: codec,
		subscribed: make(chan struct{}), done: make(chan struct{}), quick: make(chan struct{}, maxQuick),
		subshells: map[string]*subshell{}, comms: map[string]string{},
	}
	k.history = sync.OnceValue(func() *history {
		path := opt.HistoryFile
		switch path {
		case "":
			path = historyPath()
		case "-":
			path = ""
		}
		return openHistory(path, opt.Log)
	})
	// The worker comes up while the ports are bound.
	started := make(chan error, 1)
	go func() {
		s, err := NewSession(opt.Session)
		k.session = s
		started <- err
	}()
	err = k.bind()
	if err = errors.Join(err, <-started); err != nil {
		k.close()
		return err
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	k.serve()
	for {
		select {
		case <-ctx.Done():
		case <-k.done:
		case <-parent:
			opt.Log("kernel: the parent process has ended, and so does the kernel")
		case s := <-signals:
			if s == syscall.SIGINT { // idle interrupts do nothing
				k.interrupt()
				continue
			}
		}
		k.close()
		return nil
	}
}

// bind binds the five sockets and writes chosen ports back.
func (k *front) bind() error {
	opt := &zmtp.Options{Log: k.opt.Log, Stall: stall}
	pub := &zmtp.Options{Log: k.opt.Log, Stall: stall, Queue: iopubQueue, Message: 1 << 16}
	beat := &zmtp.Options{Log: k.opt.Log, Stall: stall, Queue: 1 << 20, Message: 1 << 16}
	for _, b := range []struct {
		socket **zmtp.Socket
		typ    zmtp.Type
		port   *int
		opt    *zmtp.Options
	}{
		{&k.shell, zmtp.Router, &k.conn.Ports.Shell, opt},
		{&k.iopub, zmtp.XPub, &k.conn.Ports.IOPub, pub},
		{&k.stdin, zmtp.Router, &k.conn.Ports.Stdin, opt},
		{&k.control, zmtp.Router, &k.conn.Ports.Control, opt},
		{&k.hb, zmtp.Rep, &k.conn.Ports.HB, beat},
	} {
		s, err := k.conn.bind(b.typ, b.port, b.opt)
		if err != nil {
			return err
		}
		*b.socket = s
	}
	return k.conn.save()
}

// serve starts the goroutines: one per socket, and one per queue of cells.
func (k *front) serve() {
	go k.history()
	k.subshells[""] = k.newSubshell("")
	go k.serveHeartbeat()
	go k.serveIOPub()
	go k.receive(k.shell, "shell", k.fromShell)
	go k.receive(k.control, "control", k.fromControl)
	go k.receive(k.stdin, "stdin", k.fromStdin)
}

func (k *front) serveHeartbeat() {
	for {
		m, err := k.hb.Recv()
		if err != nil {
			return
		}
		k.hb.Reply(m, m.Parts) // a client that is gone needs none
	}
}

// receive decodes what comes from a socket; what is wrong is counted, logged
// and forgotten.
func (k *front) receive(socket *zmtp.Socket, channel string, handle func(*request)) {
	for {
		raw, err := socket.Recv()
		if err != nil {
			return
		}
		m, err := k.codec.Decode(raw.Parts)
		if err != nil {
			k.opt.Log("kernel: %s: %v (%s)", channel, err, k.dropped.count(err))
			continue
		}
		m.Identities = append([][]byte{raw.From}, m.Identities...)
		handle(&request{Message: m, socket: socket, channel: channel})
	}
}

// dropCounts counts the messages that were refused, by reason.
type dropCounts struct {
	mu                            sync.Mutex
	malformed, unsigned, replayed int
}

func (d *dropCounts) count(err error) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case errors.Is(err, wire.ErrSignature):
		d.unsigned++
	case errors.Is(err, wire.ErrReplayed):
		d.replayed++
	default:
		d.malformed++
	}
	return fmt.Sprintf("dropped so far: %d malformed, %d wrongly signed, %d replayed", d.malformed, d.unsigned, d.replayed)
}

// shutdown asks Run to end, after what the caller still sends.
func (k *front) shutdown() { k.end.Do(func() { close(k.done) }) }

// close ends in order: no new cells, the worker, the last replies, the
// sockets.
func (k *front) close() {
	k.mu.Lock()
	k.ending = true
	var shells []*subshell
	for _, s := range k.subshells {
		shells = append(shells, s)
	}
	k.mu.Unlock()
	for _, s := range shells {
		s.close()
	}
	if k.session != nil {
		k.session.Close()
	}
	deadline := time.Now().Add(linger)
	for _, s := range shells {
		select {
		case <-s.done:
		case <-time.After(time.Until(deadline)):
		}
	}
	var wg sync.WaitGroup
	for _, s := range []*zmtp.Socket{k.shell, k.control, k.stdin, k.iopub, k.hb} {
		if s != nil {
			wg.Go(func() { s.Close(linger) })
		}
	}
	wg.Wait()
}

func (k *front) begin(r *request) {
	k.statusMu.Lock()
	defer k.statusMu.Unlock()
	if r.MsgType() == "execute_request" {
		k.running = append(k.running, r)
	}
	k.publish(r, "status", encode(object{"execution_state": "busy"}))
}

func (k *front) finish(r *request) {
	k.statusMu.Lock()
	defer k.statusMu.Unlock()
	if i := slices.Index(k.running, r); i >= 0 {
		k.running = slices.Delete(k.running, i, i+1)
	}
	k.publish(r, "status", encode(object{"execution_state": "idle"}))
	// Front ends show the newest status: while a cell runs that is not idle.
	if n := len(k.running); n > 0 {
		k.publish(k.running[n-1], "status", encode(object{"execution_state": "busy"}))
	}
}
