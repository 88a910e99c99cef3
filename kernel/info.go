package kernel

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/fathom-kernel/fathom/kernel/wire"
)

// answerWithin bounds what the worker may take for a completion and the like:
// a client does not wait longer.
const answerWithin = 10 * time.Second

func (k *front) kernelInfo(r *request) {
	version := k.opt.Version
	if version == "" {
		version = "0"
	}
	goVersion := strings.TrimPrefix(runtime.Version(), "go")
	banner := k.opt.Banner
	if banner == "" {
		banner = fmt.Sprintf("Fathom %s, Go %s", version, goVersion)
	}
	k.reply(r, encode(object{
		"status":                 "ok",
		"protocol_version":       wire.ProtocolVersion,
		"implementation":         "fathom",
		"implementation_version": version,
		"language_info": object{
			"name": "go", "version": goVersion, "mimetype": "text/x-go", "file_extension": ".go",
			"pygments_lexer": "go", "codemirror_mode": "go", "nbconvert_exporter": "",
		},
		"banner":             banner,
		"debugger":           false,
		"supported_features": []string{"kernel subshells"},
		"help_links": []object{
			{"text": "Go: language specification", "url": "https://go.dev/ref/spec"},
			{"text": "Go: standard library", "url": "https://pkg.go.dev/std"},
			{"text": "Gonum", "url": "https://pkg.go.dev/gonum.org/v1/gonum"},
		},
	}))
}

func (k *front) connectInfo(r *request) {
	content := object{"status": "ok"}
	for name, port := range k.conn.Ports.named() {
		content[name] = *port
	}
	k.reply(r, encode(content))
}

type cursorRequest struct {
	Code   string `json:"code"`
	Cursor *int   `json:"cursor_pos"`
	Detail int    `json:"detail_level"`
}

// cursor decodes a request about a place in code. Without a position the end
// is meant.
func (k *front) cursor(r *request) (q cursorRequest, code source, offset int, ok bool) {
	if !k.content(r, &q) {
		return q, code, 0, false
	}
	code = newSource(q.Code)
	offset = len(code.engine)
	if q.Cursor != nil {
		offset = code.offset(*q.Cursor)
	}
	return q, code, offset, true
}

func (k *front) complete(r *request) {
	_, code, offset, ok := k.cursor(r)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
	defer cancel()
	c, err := k.session.Complete(ctx, code.engine, offset)
	if err != nil { // nothing to offer is better than an error box
		k.opt.Log("kernel: complete: %v", err)
		c = Completion{Start: offset, End: offset}
	}
	start, end := code.position(c.Start), code.position(c.End)
	matches, types := []string{}, []object{}
	for _, m := range c.Matches {
		matches = append(matches, m.Text)
		types = append(types, object{"start": start, "end": end, "text": m.Text, "type": m.Kind, "signature": m.Signature})
	}
	k.reply(r, encode(object{
		"status": "ok", "matches": matches, "cursor_start": start, "cursor_end": end,
		"metadata": object{"_jupyter_types_experimental": types},
	}))
}

func (k *front) inspect(r *request) {
	q, code, offset, ok := k.cursor(r)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
	defer cancel()
	b, err := k.session.Inspect(ctx, code.engine, offset, q.Detail)
	if err != nil {
		k.opt.Log("kernel: inspect: %v", err)
	}
	content := object{"status": "ok", "found": !b.IsZero(), "data": object{}, "metadata": object{}}
	if !b.IsZero() {
		content["data"], content["metadata"] = b.Wire(), orEmptyObject(b.Metadata)
	}
	k.reply(r, encode(content))
}

func (k *front) isComplete(r *request) {
	var q struct {
		Code string `json:"code"`
	}
	if !k.content(r, &q) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
	defer cancel()
	c, err := k.session.IsComplete(ctx, newSource(q.Code).engine)
	if err != nil || c.Status == "" {
		c.Status = "unknown"
	}
	content := object{"status": c.Status}
	if c.Status == "incomplete" {
		content["indent"] = c.Indent
	}
	k.reply(r, encode(content))
}

func (k *front) findHistory(r *request) {
	var q historyRequest
	if !k.content(r, &q) {
		return
	}
	entries, err := k.history().find(q)
	if err != nil {
		k.replyError(r, "BadRequest", err.Error())
		return
	}
	list := []any{}
	for _, e := range entries {
		item := []any{e.Session, e.Line, e.Input}
		if q.Output {
			var out any
			if e.Output != "" {
				out = e.Output
			}
			item[2] = []any{e.Input, out}
		}
		list = append(list, item)
	}
	k.reply(r, encode(object{"status": "ok", "history": list}))
}
