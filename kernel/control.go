package kernel

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fathom-kernel/fathom/kernel/wire"
)

func (k *front) interruptRequest(r *request) {
	k.interrupt()
	k.reply(r, encode(object{"status": "ok"}))
}

// shutdownRequest replies and asks Run to end; idle goes out before that does.
func (k *front) shutdownRequest(r *request) {
	var q struct {
		Restart bool `json:"restart"`
	}
	if !k.content(r, &q) {
		return
	}
	content := encode(object{"status": "ok", "restart": q.Restart})
	k.reply(r, content)
	k.publish(r, "shutdown_reply", content) // other clients learn of it too
	k.shutdown()
}

// Subshells (JEP 91).

func (k *front) createSubshell(r *request) {
	id := wire.NewID()
	s := k.newSubshell(id)
	k.mu.Lock()
	ending := k.ending
	if !ending {
		k.subshells[id] = s
	}
	k.mu.Unlock()
	if ending {
		s.close()
		k.replyError(r, "ShuttingDown", "the kernel is shutting down")
		return
	}
	k.reply(r, encode(object{"status": "ok", "subshell_id": id}))
}

func (k *front) deleteSubshell(r *request) {
	var q struct {
		ID string `json:"subshell_id"`
	}
	if !k.content(r, &q) {
		return
	}
	k.mu.Lock()
	s := k.subshells[q.ID]
	if q.ID != "" {
		delete(k.subshells, q.ID)
	}
	k.mu.Unlock()
	if s == nil || q.ID == "" {
		k.replyError(r, "NoSuchSubshell", fmt.Sprintf("there is no subshell %q", q.ID))
		return
	}
	s.close()
	k.abort(s.drain())
	k.reply(r, encode(object{"status": "ok"}))
}

func (k *front) listSubshells(r *request) {
	k.mu.Lock()
	ids := slices.Sorted(maps.Keys(k.subshells))
	k.mu.Unlock()
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == "" })
	k.reply(r, encode(object{"status": "ok", "subshell_id": orNone(ids)}))
}
