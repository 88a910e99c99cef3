package kernel

import (
	"encoding/json"
	"fmt"
	"sort"

	"github.com/fathom-kernel/fathom/stdlib/display"
)

// bundleBody is a display.Bundle on the pipe: the types are here, and buffer
// First+i of the packet holds the value of type i.
type bundleBody struct {
	First    int
	Types    []typeBody
	Metadata json.RawMessage `json:",omitempty"`
}

type typeBody struct {
	MIME string
	Form byte // of the value: 's' string, 'b' []byte, 'j' JSON
}

// packBundle appends the bundle's values to the packet's buffers. A value that
// JSON cannot hold (NaN, a cycle, a channel) is left out: the other types
// speak for it.
func packBundle(b display.Bundle, p *packet) bundleBody {
	body := bundleBody{First: len(p.buffers)}
	for _, mime := range b.Types() {
		var form byte
		var raw []byte
		switch v := b.Data[mime].(type) {
		case string:
			form, raw = 's', []byte(v)
		case []byte:
			form, raw = 'b', v
		default:
			j, err := json.Marshal(v)
			if err != nil {
				continue
			}
			form, raw = 'j', j
		}
		body.Types = append(body.Types, typeBody{mime, form})
		p.buffers = append(p.buffers, raw)
	}
	if len(b.Metadata) > 0 {
		body.Metadata, _ = json.Marshal(b.Metadata)
	}
	return body
}

// unpackBundle is packBundle's inverse; JSON values stay raw. It takes the
// buffers over, so that a long text is not kept twice.
func unpackBundle(body bundleBody, buffers [][]byte) (display.Bundle, error) {
	if len(body.Types) == 0 {
		return display.Bundle{}, nil
	}
	if body.First < 0 || body.First+len(body.Types) > len(buffers) {
		return display.Bundle{}, fmt.Errorf("%w: bundle of %d types in %d buffers", errPacket, len(body.Types), len(buffers))
	}
	b := display.Bundle{Data: make(map[string]any, len(body.Types))}
	for i, t := range body.Types {
		raw := buffers[body.First+i]
		switch t.Form {
		case 's':
			b.Data[t.MIME] = string(raw)
			buffers[body.First+i] = nil
		case 'b':
			b.Data[t.MIME] = raw
		case 'j':
			if !json.Valid(raw) {
				return display.Bundle{}, fmt.Errorf("%w: %s is not JSON", errPacket, t.MIME)
			}
			b.Data[t.MIME] = json.RawMessage(raw)
		default:
			return display.Bundle{}, fmt.Errorf("%w: form %q", errPacket, t.Form)
		}
	}
	if len(body.Metadata) > 0 {
		if err := json.Unmarshal(body.Metadata, &b.Metadata); err != nil {
			return display.Bundle{}, fmt.Errorf("%w: metadata: %v", errPacket, err)
		}
	}
	return b, nil
}

// resultBody is a Result on the pipe. The snapshot is buffer 0; a nil one is
// told from an empty one.
type resultBody struct {
	Err         *Error                    `json:",omitempty"`
	Payload     []map[string]any          `json:",omitempty"`
	HasSnapshot bool                      `json:",omitempty"`
	Expressions map[string]expressionBody `json:",omitempty"`
}

type expressionBody struct {
	Value bundleBody
	Err   *Error `json:",omitempty"`
}

func packResult(r Result) packet {
	p := packet{Kind: tellDone}
	body := resultBody{Err: r.Err, Payload: r.Payload, HasSnapshot: r.Snapshot != nil}
	p.buffers = append(p.buffers, r.Snapshot)
	names := make([]string, 0, len(r.Expressions))
	for name := range r.Expressions {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if body.Expressions == nil {
			body.Expressions = map[string]expressionBody{}
		}
		e := r.Expressions[name]
		body.Expressions[name] = expressionBody{packBundle(e.Value, &p), e.Err}
	}
	raw, err := json.Marshal(body)
	if err != nil { // only the payload can be at fault
		body.Payload = nil
		raw, _ = json.Marshal(body)
	}
	p.Body = raw
	return p
}

func unpackResult(p packet) (Result, error) {
	var body resultBody
	if err := p.body(&body); err != nil {
		return Result{}, err
	}
	r := Result{Err: body.Err, Payload: body.Payload}
	if body.HasSnapshot && len(p.buffers) > 0 {
		r.Snapshot = p.buffers[0]
	}
	for name, e := range body.Expressions {
		if r.Expressions == nil {
			r.Expressions = map[string]ExpressionResult{}
		}
		value, err := unpackBundle(e.Value, p.buffers)
		if err != nil {
			return Result{}, err
		}
		r.Expressions[name] = ExpressionResult{value, e.Err}
	}
	return r, nil
}
