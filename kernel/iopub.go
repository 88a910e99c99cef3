package kernel

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/fathom-kernel/fathom/stdlib/display"
)

// serveIOPub welcomes subscribers, each by itself (JEP 65).
func (k *front) serveIOPub() {
	first := true
	for {
		m, err := k.iopub.Recv()
		if err != nil {
			return
		}
		if len(m.Parts) != 1 || len(m.Parts[0]) == 0 || m.Parts[0][0] != 1 {
			continue
		}
		topic := m.Parts[0][1:]
		content := encode(object{"subscription": string(topic)})
		parts, _ := k.codec.Encode([][]byte{topic}, "iopub_welcome", nil, nil, content, nil)
		k.iopub.Send(m.From, parts)
		if first {
			first = false
			k.publish(nil, "status", encode(object{"execution_state": "starting"}))
			close(k.subscribed)
		}
	}
}

// publish sends a message on iopub, on behalf of a request or, with nil, of
// none.
func (k *front) publish(r *request, msgType string, content json.RawMessage) {
	k.publishWith(r, msgType, nil, content, nil)
}

func (k *front) publishWith(r *request, msgType string, metadata, content json.RawMessage, buffers [][]byte) {
	var parent json.RawMessage
	if r != nil {
		parent = r.RawHeader
	}
	topic := []byte("kernel." + k.codec.Session() + "." + msgType)
	parts, _ := k.codec.Encode([][]byte{topic}, msgType, parent, metadata, content, buffers)
	k.iopub.Publish(parts)
}

// output is the display.Sink of one request: what it gets carries the
// request's header, however late it comes.
type output struct {
	k     *front
	r     *request
	count int
	quiet bool // silent: no output, but comms and questions go on

	mu     sync.Mutex
	result string // text of execute_result, for the history
}

func (o *output) Display(b display.Bundle, id string) {
	if !o.quiet {
		o.k.publish(o.r, "display_data", displayContent(b, id, 0))
	}
}

func (o *output) Update(b display.Bundle, id string) {
	if !o.quiet {
		o.k.publish(o.r, "update_display_data", displayContent(b, id, 0))
	}
}

func (o *output) Result(b display.Bundle) {
	if o.quiet {
		return
	}
	if text, ok := b.Data["text/plain"].(string); ok && len(text) <= maxHistoryText {
		o.mu.Lock()
		o.result = text
		o.mu.Unlock()
	}
	o.k.publish(o.r, "execute_result", displayContent(b, "", max(o.count, 1)))
}

func (o *output) Clear(wait bool) {
	if !o.quiet {
		o.k.publish(o.r, "clear_output", encode(object{"wait": wait}))
	}
}

func (o *output) Stream(name, text string) {
	if !o.quiet {
		o.k.publish(o.r, "stream", streamContent(name, text))
	}
}

func (o *output) Input(ctx context.Context, prompt string, password bool) (string, error) {
	return o.k.ask(ctx, o.r, prompt, password)
}

func (o *output) Comm(m display.CommMessage) {
	o.k.trackComm(m)
	content := object{"comm_id": m.ID, "data": orEmptyObject(m.Data)}
	if m.Kind == "comm_open" {
		content["target_name"] = m.Target
	}
	var metadata json.RawMessage
	if len(m.Metadata) > 0 {
		metadata = encode(m.Metadata)
	}
	o.k.publishWith(o.r, m.Kind, metadata, encode(content), m.Buffers)
}

func orEmptyObject(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}
