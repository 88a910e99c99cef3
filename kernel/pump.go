package kernel

import (
	"bufio"
	"math"
	"os"
	"time"
)

// pump merges the three pipes of a worker (packets, stdout, stderr) into one
// order: a packet with fence n is handled after all text before fence n and
// before all text after it. One goroutine runs it, so what it calls needs no
// locks among themselves; while they block, the worker's writes do too.
type pump struct {
	prefix  []byte            // of a fence
	packet  func(packet)      // handles a packet
	text    func(int, string) // handles printed text
	broken  func(error)       // the packet pipe holds nonsense, or has ended
	streams [2]*pumped        // stdout, stderr
	out     coalescer
	passed  uint64    // the newest fence whose packet was handled
	taken   time.Time // when text last came
}

// pumped is one text pipe.
type pumped struct {
	fd      int
	chunks  <-chan []byte // nil at the end of the pipe
	pending []byte        // not yet looked at, or the start of a fence
	fence   uint64        // the last fence reached
}

// fenceWait bounds the wait for a fence that user code has destroyed.
const fenceWait = 2 * time.Second

// run returns when all three pipes are at their end.
func (p *pump) run(packets, stdoutPipe, stderrPipe *os.File) {
	p.out.emit = p.text
	p.streams = [2]*pumped{{fd: stdout, chunks: readChunks(stdoutPipe)}, {fd: stderr, chunks: readChunks(stderrPipe)}}
	incoming := p.readPackets(packets)
	var waiting *packet // for its fence
	var lost <-chan time.Time
	timer := time.NewTimer(time.Hour)
	for incoming != nil || waiting != nil || p.streams[0].chunks != nil || p.streams[1].chunks != nil {
		next := incoming
		if waiting != nil {
			next = nil
		}
		if due := p.out.due(); !due.IsZero() {
			timer.Reset(time.Until(due))
		} else {
			timer.Stop()
		}
		select {
		case q, ok := <-next:
			if !ok {
				incoming = nil
				p.pass(math.MaxUint64) // no packet comes any more: text need not wait
				continue
			}
			waiting = &q
			if q.Fence > 0 {
				lost = time.After(fenceWait)
			}
		case b, ok := <-p.streams[0].open(p.passed):
			p.take(p.streams[0], b, ok)
		case b, ok := <-p.streams[1].open(p.passed):
			p.take(p.streams[1], b, ok)
		case now := <-timer.C:
			p.out.tick(now)
		case <-lost:
			lost = nil
			switch quiet := time.Since(p.taken); {
			case waiting == nil:
			case quiet < fenceWait: // text still comes: the fence is behind it
				lost = time.After(fenceWait - quiet)
			case p.takeOne():
				lost = time.After(fenceWait)
			default:
				p.deliver(&waiting)
			}
		}
		if waiting != nil && p.reached(waiting.Fence) {
			lost = nil
			p.deliver(&waiting)
		}
	}
	timer.Stop()
	p.out.flushAll(true) // what is held may be crash text: the owner decides
}

// takeOne takes a chunk that is there already: this goroutine may have waited
// long for a slow Sink.
func (p *pump) takeOne() bool {
	for _, s := range p.streams {
		select {
		case b, ok := <-s.open(p.passed):
			p.take(s, b, ok)
			return true
		default:
		}
	}
	return false
}

// open returns the pipe, or nil while the stream stands at a fence.
func (s *pumped) open(passed uint64) <-chan []byte {
	if s.fence > passed {
		return nil
	}
	return s.chunks
}

func (p *pump) reached(fence uint64) bool {
	for _, s := range p.streams {
		if s.chunks != nil && s.fence < fence {
			return false
		}
	}
	return true
}

func (p *pump) deliver(waiting **packet) {
	q := **waiting
	*waiting = nil
	if q.Kind != tellAnswer {
		p.out.flush()
	}
	p.packet(q)
	p.pass(q.Fence)
}

// pass lets text flow that stood at a fence up to n.
func (p *pump) pass(n uint64) {
	p.passed = max(p.passed, n)
	for _, s := range p.streams {
		if s.fence <= p.passed {
			p.scan(s, nil)
		}
	}
}

func (p *pump) take(s *pumped, b []byte, ok bool) {
	p.taken = time.Now()
	if !ok {
		s.chunks = nil
		p.out.add(s.fd, s.pending)
		s.pending = nil
		return
	}
	p.scan(s, b)
}

// scan prints text up to the next fence; b is only valid during the call.
func (p *pump) scan(s *pumped, b []byte) {
	if len(s.pending) > 0 {
		b = append(s.pending, b...)
		s.pending = nil
	}
	for len(b) > 0 {
		text, n, rest, ok := cutFence(b, p.prefix)
		p.out.add(s.fd, text)
		if !ok {
			s.pending = append([]byte(nil), rest...)
			return
		}
		s.fence = max(s.fence, n)
		b = rest
		if s.fence > p.passed {
			s.pending = append([]byte(nil), rest...)
			return
		}
	}
}

// readChunks reads a pipe to its end. A chunk is valid until the next one is
// taken.
func readChunks(f *os.File) <-chan []byte {
	c := make(chan []byte)
	go func() {
		defer close(c)
		bufs := [2][]byte{make([]byte, flushBytes), make([]byte, flushBytes)}
		for i := 0; ; i ^= 1 {
			n, err := f.Read(bufs[i])
			if n > 0 {
				c <- bufs[i][:n]
			}
			if err != nil {
				return
			}
		}
	}()
	return c
}

func (p *pump) readPackets(f *os.File) <-chan packet {
	c := make(chan packet)
	go func() {
		defer close(c)
		r := bufio.NewReaderSize(f, flushBytes)
		for {
			q, err := readPacket(r)
			if err != nil {
				p.broken(err)
				return
			}
			c <- q
		}
	}()
	return c
}
