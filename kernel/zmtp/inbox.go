package zmtp

import "sync"

// inbox holds what peers sent until Recv takes it. Readers wait while it is
// full, so that a flood stays with the peer that sends it.
type inbox struct {
	mu     sync.Mutex
	cond   *sync.Cond
	queue  []Message
	queued int64
	limit  int64
	closed bool
}

func newInbox(limit int64) *inbox {
	b := &inbox{limit: limit}
	b.cond = sync.NewCond(&b.mu)
	return b
}

func (b *inbox) put(m Message) error {
	size := m.size()
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.queued > 0 && b.queued+size > b.limit && !b.closed {
		b.cond.Wait()
	}
	if b.closed {
		return ErrClosed
	}
	b.queue = append(b.queue, m)
	b.queued += size
	b.cond.Broadcast()
	return nil
}

func (b *inbox) get() (Message, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.queue) == 0 && !b.closed {
		b.cond.Wait()
	}
	if b.closed {
		return Message{}, ErrClosed
	}
	m := b.queue[0]
	b.queue[0] = Message{}
	b.queue = b.queue[1:]
	b.queued -= m.size()
	b.cond.Broadcast()
	return m, nil
}

func (b *inbox) close() {
	b.mu.Lock()
	b.closed = true
	b.queue = nil
	b.cond.Broadcast()
	b.mu.Unlock()
}
