package kernel

import (
	"context"
	"fmt"
	"sync"

	"github.com/fathom-kernel/fathom/stdlib/display"
)

// route is where the output of one cell, or of one comm message, goes. It
// outlives the cell: goroutines may print later.
type route struct {
	id         string
	allowStdin bool
	limit      int64 // bytes of stream text, negative for none

	mu    sync.Mutex // one caller of sink at a time
	sink  display.Sink
	shown int64
	cut   bool

	asking context.Context // ends with the cell: nobody waits for input then
	ended  context.CancelFunc
}

func newRoute(id string, sink display.Sink, opt ExecuteOptions, limit int64) *route {
	r := &route{id: id, sink: sink, allowStdin: opt.AllowStdin, limit: limit}
	r.asking, r.ended = context.WithCancel(context.Background())
	return r
}

// stream prints text, up to the cell's limit: what comes after it is read, so
// that the cell does not stand still, and dropped.
func (r *route) stream(name, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cut {
		return
	}
	if r.limit >= 0 && r.shown+int64(len(text)) > r.limit {
		if text = wholeRunes(text, r.limit-r.shown); text != "" {
			r.sink.Stream(name, text)
		}
		r.cut = true
		r.sink.Stream("stderr", fmt.Sprintf("\n[output cut: this cell has printed its limit of %s; set FATHOM_OUTPUT_LIMIT, such as 100MB or none, before starting to raise it]\n", byteText(r.limit)))
		return
	}
	r.shown += int64(len(text))
	r.sink.Stream(name, text)
}

// note says something of the kernel's own on the cell's stderr, past any limit.
func (r *route) note(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sink.Stream("stderr", text)
}

// wholeRunes cuts valid UTF-8 to at most n bytes, between runes.
func wholeRunes(text string, n int64) string {
	for n > 0 && text[n]&0xc0 == 0x80 {
		n--
	}
	return text[:n]
}

// packet passes one packet of output on.
func (r *route) packet(q packet) error {
	switch q.Kind {
	case tellStream:
		var body streamBody
		if err := q.body(&body); err != nil {
			return err
		}
		for _, text := range q.buffers {
			r.stream(body.Name, string(text))
		}
		return nil
	case tellClear:
		var body clearBody
		if err := q.body(&body); err != nil {
			return err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.sink.Clear(body.Wait)
		return nil
	case tellComm:
		var body commBody
		if err := q.body(&body); err != nil {
			return err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.sink.Comm(body.message(q.buffers))
		return nil
	}
	var body displayBody
	if err := q.body(&body); err != nil {
		return err
	}
	bundle, err := unpackBundle(body.Bundle, q.buffers)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch q.Kind {
	case tellDisplay:
		r.sink.Display(bundle, body.ID)
	case tellUpdate:
		r.sink.Update(bundle, body.ID)
	case tellResult:
		r.sink.Result(bundle)
	}
	return nil
}

func (b commBody) message(buffers [][]byte) display.CommMessage {
	return display.CommMessage{Kind: b.Kind, ID: b.ID, Target: b.Target, Data: b.Data, Metadata: b.Metadata, Buffers: buffers}
}

func newComm(kind string, m display.CommMessage) packet {
	q := newPacket(kind, commBody{m.Kind, m.ID, m.Target, m.Data, m.Metadata})
	q.buffers = m.Buffers
	return q
}

// maxRoutes is how many cells are remembered for output that comes late.
const maxRoutes = 4096

// routes finds the route of a cell by its id; the oldest are forgotten.
type routes struct {
	byID  map[string]*route
	order []*route
}

func (rs *routes) add(r *route) {
	if rs.byID == nil {
		rs.byID = map[string]*route{}
	}
	rs.byID[r.id] = r
	rs.order = append(rs.order, r)
	if len(rs.order) > maxRoutes {
		if old := rs.order[0]; rs.byID[old.id] == old {
			delete(rs.byID, old.id)
		}
		rs.order = rs.order[1:]
	}
}
