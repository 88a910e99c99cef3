package kernel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// process is one worker process with its pipes.
type process struct {
	cmd      *exec.Cmd
	requests *pipeWriter
	ready    chan struct{} // closed when the engine can take requests
	gone     chan struct{} // closed when the process has ended and all it wrote was handled
	started  time.Time

	// Set before gone is closed.
	state *os.ProcessState
	words []byte // of the runtime, when it gave up
	oom   bool   // the system killed something for want of memory meanwhile

	mu       sync.Mutex
	reason   string // why this side ended it
	said     string // before the first cell
	calls    map[uint64]chan packet
	lastCall uint64
}

// processOwner receives what a worker says, in order, from one goroutine.
type processOwner interface {
	processPacket(*process, packet)
	processText(p *process, fd int, text string)
}

// Reasons for which the front itself ends a worker.
const (
	endClose     = "close"
	endRestart   = "restart"
	endInterrupt = "interrupt"
	endPipe      = "pipe"
	endSpare     = "spare"
)

var errGone = errors.New("kernel: the worker is gone")

// workerArgv returns the command line of a worker. On Linux it names the
// running program's own inode: an installation over it must not give the
// session a worker of another build, nor none.
func workerArgv(argv []string) (path string, args []string, err error) {
	if len(argv) > 0 {
		path, err = exec.LookPath(argv[0])
		return path, argv, err
	}
	if path, err = os.Executable(); err != nil {
		return "", nil, fmt.Errorf("kernel: where is this program? %w", err)
	}
	args = []string{path, "worker"}
	if runtime.GOOS == "linux" {
		path = "/proc/self/exe"
	}
	return path, args, nil
}

// startProcess starts a worker; the owner hears of it from then on.
func startProcess(opt *SessionOptions, owner processOwner) (*process, error) {
	path, args, err := workerArgv(opt.Argv)
	if err != nil {
		return nil, err
	}
	p := &process{ready: make(chan struct{}), gone: make(chan struct{}), calls: map[uint64]chan packet{}, started: time.Now()}
	p.cmd = &exec.Cmd{Path: path, Args: args, Dir: opt.Dir, Env: append(os.Environ(), opt.Env...), SysProcAttr: workerAttributes()}

	var pipes, theirs []*os.File
	pipe := func(reads bool) (ours, their *os.File) {
		r, w, e := os.Pipe()
		if e != nil {
			err = errors.Join(err, e)
			return nil, nil
		}
		pipes = append(pipes, r, w)
		if !reads {
			r, w = w, r
		}
		theirs = append(theirs, w)
		return r, w
	}
	out, outTheirs := pipe(true)
	errs, errsTheirs := pipe(true)
	events, eventsTheirs := pipe(true)
	requests, requestsTheirs := pipe(false)
	if err == nil {
		widen(out, errs)
		p.cmd.Stdout, p.cmd.Stderr = outTheirs, errsTheirs
		p.cmd.ExtraFiles = []*os.File{requestsTheirs, eventsTheirs}
		err = spawn(p.cmd)
	}
	for _, f := range pipes {
		if err != nil || slices.Contains(theirs, f) {
			f.Close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("kernel: worker %s does not start: %w", strings.Join(args, " "), err)
	}
	p.requests = &pipeWriter{w: requests}

	token := newFenceToken()
	p.send(newPacket(askHello, helloBody{Token: token, Memory: opt.MemoryLimit}))
	pump := &pump{
		prefix: fencePrefix(token),
		packet: func(q packet) { p.packet(q, owner) },
		text:   func(fd int, text string) { owner.processText(p, fd, text) },
		broken: p.broken,
	}
	pumped := make(chan struct{})
	go func() {
		defer close(pumped)
		pump.run(events, out, errs)
	}()
	go p.wait(pump, pumped, []*os.File{out, errs, events, requests}, owner)
	return p, nil
}

// wait sees the process to its end.
func (p *process) wait(pump *pump, pumped chan struct{}, files []*os.File, owner processOwner) {
	kills := oomKills()
	p.cmd.Wait()
	p.killGroup() // what it started and left running
	p.oom = oomKills() > kills
	select {
	case <-pumped:
	case <-time.After(500 * time.Millisecond): // somebody else holds the pipes open
	}
	for _, f := range files {
		f.Close()
	}
	<-pumped
	p.state = p.cmd.ProcessState
	p.words = pump.out.crash
	if crashed := p.state.ExitCode() == 2 || p.state.ExitCode() == -1; !crashed {
		pump.out.flush()
		p.words = nil
	} else if len(p.words) == 0 {
		p.words = pump.out.last
	}
	p.mu.Lock()
	for id, c := range p.calls {
		delete(p.calls, id)
		close(c)
	}
	p.calls = nil
	p.mu.Unlock()
	close(p.gone)
}

// broken ends a worker whose packet pipe holds nonsense, or has been closed:
// that is how a worker ends, too, so it gets a moment to do so by itself.
func (p *process) broken(err error) {
	if errors.Is(err, errPacket) {
		p.end(endPipe)
		return
	}
	time.AfterFunc(time.Second, func() { p.end(endPipe) })
}

// packet sorts out what concerns the process alone.
func (p *process) packet(q packet, owner processOwner) {
	switch q.Kind {
	case tellReady:
		select {
		case <-p.ready:
		default:
			close(p.ready)
		}
	case tellAnswer:
		p.mu.Lock()
		c := p.calls[q.ID]
		delete(p.calls, q.ID)
		p.mu.Unlock()
		if c != nil {
			c <- q // has room for it
		}
	default:
		owner.processPacket(p, q)
	}
}

// send writes a request. An error means that the process is going or gone.
func (p *process) send(q packet) error {
	if err := p.requests.write(q); err != nil {
		return fmt.Errorf("%w: %v", errGone, err)
	}
	return nil
}

// call sends a question and waits for its answer.
func (p *process) call(ctx context.Context, q packet) (packet, error) {
	c := make(chan packet, 1)
	p.mu.Lock()
	if p.calls == nil {
		p.mu.Unlock()
		return packet{}, errGone
	}
	p.lastCall++
	q.ID = p.lastCall
	p.calls[q.ID] = c
	p.mu.Unlock()
	if err := p.send(q); err != nil {
		return packet{}, err
	}
	select {
	case answer, ok := <-c:
		if !ok {
			return packet{}, errGone
		}
		return answer, nil
	case <-ctx.Done():
		p.mu.Lock()
		delete(p.calls, q.ID)
		p.mu.Unlock()
		return packet{}, ctx.Err()
	}
}

// end kills the process and all it started. The first reason stays. It does
// nothing to a process that is gone.
func (p *process) end(reason string) {
	p.mu.Lock()
	if p.reason == "" {
		p.reason = reason
	}
	p.mu.Unlock()
	select {
	case <-p.gone: // the group's number may be another's by now
	default:
		p.killGroup()
	}
}

// early keeps the end of what a worker prints before its first cell: if it
// does not come up, that says why.
func (p *process) early(text string) {
	const keep = 2000
	p.mu.Lock()
	p.said += text
	p.said = p.said[max(0, len(p.said)-keep):]
	p.mu.Unlock()
}

func (p *process) isReady() bool {
	select {
	case <-p.ready:
		return true
	default:
		return false
	}
}

func (p *process) endReason() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reason
}

func (p *process) pid() int { return p.cmd.Process.Pid }
