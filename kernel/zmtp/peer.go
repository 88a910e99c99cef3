package zmtp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// maxSubscriptions of one peer; a Jupyter client has one.
const maxSubscriptions = 1024

// peer is one connected client after its handshake.
type peer struct {
	socket *Socket
	conn   net.Conn
	id     string
	name   string // for the log

	mu       sync.Mutex
	cond     *sync.Cond
	queue    []outgoing
	queued   int64     // bytes in queue and in flight
	unsent   int       // messages in queue and in flight
	progress time.Time // when the peer last took bytes, or had nothing to take
	closed   bool
	topics   map[string]int // XPUB: subscriptions, counted

	read chan struct{} // closed when the reader is done
}

type outgoing struct {
	parts   [][]byte
	command bool
	size    int64
}

// overhead approximates what a queued message costs beside its bytes.
const overhead = 128

func newPeer(s *Socket, conn net.Conn, id string) *peer {
	p := &peer{socket: s, conn: conn, id: id, topics: map[string]int{}, progress: time.Now(), read: make(chan struct{})}
	p.name = fmt.Sprintf("%s peer %q", s.typ, id)
	p.cond = sync.NewCond(&p.mu)
	return p
}

// send queues a message. It waits while the queue is full and the peer still
// takes bytes; a peer that took none for Options.Stall is dropped.
func (p *peer) send(parts [][]byte, command bool) error {
	size := int64(overhead)
	for _, part := range parts {
		size += int64(len(part))
	}
	opt := &p.socket.opt
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.queued > 0 && p.queued+size > opt.Queue && !p.closed {
		stalled := time.Since(p.progress)
		if stalled >= opt.Stall {
			p.drop(fmt.Sprintf("took nothing for %.0f s with %d MiB waiting", stalled.Seconds(), p.queued>>20))
			break
		}
		wake := time.AfterFunc(opt.Stall-stalled, p.cond.Broadcast)
		p.cond.Wait()
		wake.Stop()
	}
	if p.closed {
		return ErrUnreachable
	}
	if p.queued == 0 {
		p.progress = time.Now()
	}
	p.queue = append(p.queue, outgoing{parts, command, size})
	p.queued += size
	p.unsent++
	p.cond.Broadcast()
	return nil
}

// drop disconnects the peer, whose lock is held, and tells what is lost.
func (p *peer) drop(why string) {
	if p.closed {
		return
	}
	p.closed = true
	if why == "" {
		why = "disconnected"
	}
	if p.unsent > 0 {
		p.socket.opt.Log("zmtp: %s dropped: %s; %d messages are lost to it", p.name, why, p.unsent)
	} else if why != "disconnected" {
		p.socket.opt.Log("zmtp: %s dropped: %s", p.name, why)
	}
	p.queue = nil
	p.cond.Broadcast()
	p.conn.Close()
}

func (p *peer) close(why string) {
	p.mu.Lock()
	p.drop(why)
	p.mu.Unlock()
}

// writePiece is how many bytes go out between two signs of progress.
const writePiece = 256 << 10

// write sends the queue until the peer is closed.
func (p *peer) write() {
	var batch []outgoing
	var buf []byte
	for {
		p.mu.Lock()
		for len(p.queue) == 0 && !p.closed {
			p.cond.Wait()
		}
		if p.closed {
			p.mu.Unlock()
			return
		}
		batch, p.queue = p.queue, batch[:0]
		p.mu.Unlock()

		var done written // what is wholly in buf or on its way
		for i, m := range batch {
			for j, part := range m.parts {
				flags := byte(0)
				if m.command {
					flags = flagCommand
				} else if j < len(m.parts)-1 {
					flags = flagMore
				}
				buf = appendHeader(buf, flags, len(part))
				if len(part) <= eager {
					buf = append(buf, part...)
				} else {
					if !p.flush(&buf, &done) {
						return
					}
					for piece := part; len(piece) > 0; piece = piece[min(len(piece), writePiece):] {
						raw := piece[:min(len(piece), writePiece)]
						if !p.flush(&raw, &done) {
							return
						}
					}
				}
			}
			done.bytes += m.size
			done.messages++
			batch[i] = outgoing{}
			if len(buf) >= eager && !p.flush(&buf, &done) {
				return
			}
		}
		if !p.flush(&buf, &done) {
			return
		}
		if cap(batch) > 1<<12 {
			batch = nil
		}
	}
}

type written struct {
	bytes    int64
	messages int
}

// flush writes *buf and takes the messages done off the queue's account.
func (p *peer) flush(buf *[]byte, done *written) bool {
	_, err := p.conn.Write(*buf)
	*buf = (*buf)[:0]
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.drop("")
		return false
	}
	p.progress = time.Now()
	p.queued -= done.bytes
	p.unsent -= done.messages
	*done = written{}
	p.cond.Broadcast()
	return !p.closed
}

// drained waits until everything queued was written, the peer is closed, or
// the deadline is over.
func (p *peer) drained(deadline time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	wake := time.AfterFunc(time.Until(deadline), p.cond.Broadcast)
	defer wake.Stop()
	for p.queued > 0 && !p.closed && time.Now().Before(deadline) {
		p.cond.Wait()
	}
}

// receive reads messages until the connection ends.
func (p *peer) receive(r *bufio.Reader) {
	defer close(p.read)
	opt := &p.socket.opt
	for {
		parts, isCommand, err := readMessage(r, opt.Message, opt.Frames)
		if err == nil {
			if isCommand {
				err = p.command(parts[0])
			} else {
				err = p.message(parts)
			}
		}
		if err != nil {
			why := ""
			if errors.Is(err, errFrame) {
				why = err.Error()
			} else if errors.Is(err, io.ErrUnexpectedEOF) {
				why = "connection ended inside a message"
			}
			p.close(why)
			return
		}
	}
}

func (p *peer) message(parts [][]byte) error {
	m := Message{From: []byte(p.id), Parts: parts}
	switch p.socket.typ {
	case Rep:
		for i, part := range parts {
			if len(part) == 0 {
				m.envelope, m.Parts = parts[:i+1], parts[i+1:]
				return p.socket.inbox.put(m)
			}
		}
		return fmt.Errorf("%w: request without an empty delimiter", errFrame)
	case XPub: // ZMTP 3.0 subscribes by messages
		if len(parts[0]) > 0 && parts[0][0] <= 1 && len(parts) == 1 {
			return p.subscribe(parts[0][1:], parts[0][0] == 1)
		}
	}
	return p.socket.inbox.put(m)
}

func (p *peer) command(body []byte) error {
	name, data, ok := splitName(body)
	if !ok {
		return fmt.Errorf("%w: command without a name", errFrame)
	}
	switch name {
	case "PING": // two bytes of time to live, then a context to send back
		if len(data) < 2 || len(data) > 2+16 {
			return fmt.Errorf("%w: PING of %d bytes", errFrame, len(data))
		}
		return p.send([][]byte{append(appendName(nil, "PONG"), data[2:]...)}, true)
	case "SUBSCRIBE", "CANCEL":
		if p.socket.typ == XPub {
			return p.subscribe(data, name == "SUBSCRIBE")
		}
	case "ERROR":
		return fmt.Errorf("%w: peer says %q", errFrame, data)
	}
	return nil // a later version's command is none of our business
}

// subscribe counts a topic and passes the news on as XPUB does: a message of
// a byte 1 or 0 and the topic, for the first and the last of equal ones.
func (p *peer) subscribe(topic []byte, on bool) error {
	p.mu.Lock()
	n := p.topics[string(topic)]
	news := on && n == 0 || !on && n == 1
	switch {
	case on && n == 0 && len(p.topics) >= maxSubscriptions:
		p.mu.Unlock()
		return fmt.Errorf("%w: more than %d subscriptions", errFrame, maxSubscriptions)
	case on:
		p.topics[string(topic)] = n + 1
	case n <= 1:
		delete(p.topics, string(topic))
	default:
		p.topics[string(topic)] = n - 1
	}
	p.mu.Unlock()
	if !news {
		return nil
	}
	event := []byte{0}
	if on {
		event[0] = 1
	}
	return p.socket.inbox.put(Message{From: []byte(p.id), Parts: [][]byte{append(event, topic...)}})
}

// wants reports whether a subscription of the peer is a prefix of topic.
func (p *peer) wants(topic []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for t := range p.topics {
		if bytes.HasPrefix(topic, []byte(t)) {
			return true
		}
	}
	return false
}
