package zmtp

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"net"
	"os"
	"sync"
	"time"
)

// Errors of a Socket's methods.
var (
	ErrClosed      = errors.New("zmtp: socket closed")
	ErrUnreachable = errors.New("zmtp: no such peer")
)

// Options bound what peers can make a Socket hold. Zero fields get the
// defaults.
type Options struct {
	Message   int64         // bytes of one message, 0 means 256 MiB
	Frames    int           // frames of one message, 0 means 1024
	Queue     int64         // bytes waiting for one peer, and for Recv, 0 means 64 MiB; one message always fits
	Stall     time.Duration // how long a peer with a full queue may take nothing, 0 means 10 s
	Handshake time.Duration // from connection to READY, 0 means 5 s
	Peers     int           // connections at once, 0 means 1024
	// Log receives a line for each peer that misbehaves; nil means the
	// standard logger.
	Log func(format string, args ...any)
}

func (o *Options) withDefaults() Options {
	var d Options
	if o != nil {
		d = *o
	}
	if d.Message == 0 {
		d.Message = 256 << 20
	}
	if d.Frames == 0 {
		d.Frames = 1024
	}
	if d.Queue == 0 {
		d.Queue = 64 << 20
	}
	if d.Stall == 0 {
		d.Stall = 10 * time.Second
	}
	if d.Handshake == 0 {
		d.Handshake = 5 * time.Second
	}
	if d.Peers == 0 {
		d.Peers = 1024
	}
	if d.Log == nil {
		d.Log = log.Printf
	}
	return d
}

// Message is what a peer sent. From is its identity: the one it gave itself
// or, where it gave none, one of five bytes that starts with 0.
//
// An XPUB socket receives a single part, a byte 1 and the topic, when a peer
// subscribes, and a byte 0 and the topic when it no longer does.
type Message struct {
	From  []byte
	Parts [][]byte

	envelope [][]byte // REP: the frames up to the delimiter, for Reply
}

func (m Message) size() int64 {
	size := int64(overhead)
	for _, p := range m.Parts {
		size += int64(len(p))
	}
	return size
}

// Socket is a bound socket. All methods may be called from any goroutine.
type Socket struct {
	typ      Type
	opt      Options
	listener net.Listener
	inbox    *inbox

	mu     sync.Mutex
	peers  map[string]*peer // by identity, after the handshake
	conns  map[net.Conn]bool
	serial uint32
	closed bool
}

// Listen binds a socket of a type to an address of the network "tcp" or
// "unix". A Unix socket that nobody listens on any more is replaced.
func Listen(typ Type, network, address string, opt *Options) (*Socket, error) {
	if partners[typ] == "" {
		return nil, fmt.Errorf("zmtp: socket type %q; use ROUTER, REP or XPUB", typ)
	}
	if network == "unix" {
		removeStale(address)
	}
	l, err := net.Listen(network, address) // sets SO_REUSEADDR on TCP
	if err != nil {
		return nil, fmt.Errorf("zmtp: %w", err)
	}
	s := &Socket{typ: typ, opt: opt.withDefaults(), listener: l, peers: map[string]*peer{}, conns: map[net.Conn]bool{}}
	s.inbox = newInbox(s.opt.Queue)
	go s.accept()
	return s, nil
}

func removeStale(path string) {
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSocket == 0 {
		return
	}
	if c, err := net.DialTimeout("unix", path, time.Second); err == nil {
		c.Close()
		return
	}
	os.Remove(path)
}

// Addr returns the bound address, with the port that was chosen for port 0.
func (s *Socket) Addr() net.Addr { return s.listener.Addr() }

func (s *Socket) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			s.opt.Log("zmtp: accept: %v", err) // out of descriptors, most likely: others may free some
			time.Sleep(100 * time.Millisecond)
			continue
		}
		s.mu.Lock()
		full := len(s.conns) >= s.opt.Peers
		if full || s.closed {
			s.mu.Unlock()
			conn.Close()
			if full {
				s.opt.Log("zmtp: %s refuses a connection: %d are open", s.typ, s.opt.Peers)
			}
			continue
		}
		s.conns[conn] = true
		s.mu.Unlock()
		go s.serve(conn)
	}
}

// serve takes a connection from its greeting to its end.
func (s *Socket) serve(conn net.Conn) {
	defer func() {
		conn.Close()
		s.mu.Lock()
		delete(s.conns, conn)
		s.mu.Unlock()
	}()
	conn.SetDeadline(time.Now().Add(s.opt.Handshake))
	r := bufio.NewReaderSize(conn, eager)
	identity, err := shake(r, conn, s.typ)
	if err != nil {
		s.opt.Log("zmtp: %s: %v refused: %v", s.typ, conn.RemoteAddr(), err)
		return
	}
	conn.SetDeadline(time.Time{})
	p := s.add(conn, identity)
	if p == nil {
		return
	}
	go p.write()
	p.receive(r)
	s.mu.Lock()
	if s.peers[p.id] == p {
		delete(s.peers, p.id)
	}
	s.mu.Unlock()
}

// add registers a peer. One that comes back under its identity takes over
// from its old connection, which may be half open.
func (s *Socket) add(conn net.Conn, identity []byte) *peer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	if len(identity) == 0 {
		s.serial++
		identity = binary.BigEndian.AppendUint32([]byte{0}, s.serial)
	}
	p := newPeer(s, conn, string(identity))
	if old := s.peers[p.id]; old != nil {
		go old.close("")
	}
	s.peers[p.id] = p
	return p
}

// Recv returns the next message, or ErrClosed after Close.
func (s *Socket) Recv() (Message, error) { return s.inbox.get() }

// Send sends a message to the peer of that identity. It keeps the parts,
// which must not change any more. It waits while the peer's queue is full and
// returns ErrUnreachable where the peer is gone.
func (s *Socket) Send(to []byte, parts [][]byte) error {
	s.mu.Lock()
	p := s.peers[string(to)]
	s.mu.Unlock()
	if p == nil {
		return ErrUnreachable
	}
	return p.send(parts, false)
}

// Reply sends the answer to m, in the envelope that m came in.
func (s *Socket) Reply(m Message, parts [][]byte) error {
	return s.Send(m.From, append(m.envelope[:len(m.envelope):len(m.envelope)], parts...))
}

// Publish sends a message to every peer with a subscription that is a prefix
// of the first part. It keeps the parts, which must not change any more, and
// waits for the slowest peer while its queue is full.
func (s *Socket) Publish(parts [][]byte) {
	for _, p := range s.snapshot() {
		if p.wants(parts[0]) {
			p.send(parts, false) // a peer that is gone has said so in the log
		}
	}
}

// Subscribers returns how many peers have at least one subscription.
func (s *Socket) Subscribers() int {
	n := 0
	for _, p := range s.snapshot() {
		p.mu.Lock()
		if len(p.topics) > 0 {
			n++
		}
		p.mu.Unlock()
	}
	return n
}

func (s *Socket) snapshot() []*peer {
	s.mu.Lock()
	defer s.mu.Unlock()
	peers := make([]*peer, 0, len(s.peers))
	for _, p := range s.peers {
		peers = append(peers, p)
	}
	return peers
}

// Close takes no new peers, gives the others up to linger to take what is
// queued, and disconnects them.
func (s *Socket) Close(linger time.Duration) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	err := s.listener.Close()
	deadline := time.Now().Add(linger)
	var wg sync.WaitGroup
	for _, p := range s.snapshot() {
		wg.Go(func() {
			p.drained(deadline)
			p.part(deadline)
		})
	}
	wg.Wait()
	s.inbox.close()
	s.mu.Lock()
	for conn := range s.conns {
		conn.Close()
	}
	s.mu.Unlock()
	return err
}

// part ends the connection so that what was written arrives: closing while
// the peer's bytes are unread would reset it.
func (p *peer) part(deadline time.Time) {
	if c, ok := p.conn.(interface{ CloseWrite() error }); ok && c.CloseWrite() == nil {
		select {
		case <-p.read:
		case <-time.After(min(time.Until(deadline), 200*time.Millisecond)):
		}
	}
	p.close("")
}
