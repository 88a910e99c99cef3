package kernel

import (
	"encoding/json"
	"maps"

	"github.com/fathom-kernel/fathom/stdlib/display"
)

// commMessage hands a comm_open, comm_msg or comm_close to the Engine.
func (k *front) commMessage(r *request) {
	var q struct {
		ID     string         `json:"comm_id"`
		Target string         `json:"target_name"`
		Data   map[string]any `json:"data"`
	}
	if err := json.Unmarshal(r.Content, &q); err != nil || q.ID == "" {
		k.opt.Log("kernel: %s without a comm_id (%v)", r.MsgType(), err)
		return
	}
	var metadata map[string]any
	json.Unmarshal(r.Metadata, &metadata)
	m := display.CommMessage{Kind: r.MsgType(), ID: q.ID, Target: q.Target, Data: q.Data, Metadata: metadata, Buffers: r.Buffers}
	k.trackComm(m)
	out := &output{k: k, r: r}
	if err := k.session.Comm(r.Header.MsgID, m, out); err != nil {
		k.opt.Log("kernel: %s: %v", r.MsgType(), err)
		if r.MsgType() == "comm_open" { // a client waits for neither
			out.Comm(display.CommMessage{Kind: "comm_close", ID: q.ID})
		}
	}
}

// trackComm keeps the table of open comms.
func (k *front) trackComm(m display.CommMessage) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch m.Kind {
	case "comm_open":
		k.comms[m.ID] = m.Target
	case "comm_close":
		delete(k.comms, m.ID)
	}
}

func (k *front) commInfo(r *request) {
	var q struct {
		Target string `json:"target_name"`
	}
	if !k.content(r, &q) {
		return
	}
	k.mu.Lock()
	open := maps.Clone(k.comms)
	k.mu.Unlock()
	comms := object{}
	for id, target := range open {
		if q.Target == "" || q.Target == target {
			comms[id] = object{"target_name": target}
		}
	}
	k.reply(r, encode(object{"status": "ok", "comms": comms}))
}
