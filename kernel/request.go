package kernel

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/fathom-kernel/fathom/kernel/wire"
	"github.com/fathom-kernel/fathom/kernel/zmtp"
)

// request is a message from a client. It carries its own way back and its own
// parent header: nothing about requests is global.
type request struct {
	*wire.Message
	socket  *zmtp.Socket
	channel string
}

// MsgType is the request's kind, such as "execute_request".
func (r *request) MsgType() string { return r.Header.MsgType }

// handlers answer all requests but execute_request, whatever the channel.
// https://jupyter-client.readthedocs.io/en/stable/messaging.html
var handlers = map[string]func(*front, *request){
	"kernel_info_request":     (*front).kernelInfo,
	"connect_request":         (*front).connectInfo,
	"complete_request":        (*front).complete,
	"inspect_request":         (*front).inspect,
	"is_complete_request":     (*front).isComplete,
	"history_request":         (*front).findHistory,
	"comm_info_request":       (*front).commInfo,
	"comm_open":               (*front).commMessage,
	"comm_msg":                (*front).commMessage,
	"comm_close":              (*front).commMessage,
	"interrupt_request":       (*front).interruptRequest,
	"shutdown_request":        (*front).shutdownRequest,
	"usage_request":           (*front).usageRequest,
	"create_subshell_request": (*front).createSubshell,
	"delete_subshell_request": (*front).deleteSubshell,
	"list_subshell_request":   (*front).listSubshells,
}

// fromShell queues cells and answers everything else at once, also while a
// cell runs. Comm messages keep their order.
func (k *front) fromShell(r *request) {
	k.firstShell.Do(func() {
		select {
		case <-k.subscribed:
		case <-time.After(subscriberWait):
		case <-k.done:
		}
	})
	switch {
	case r.MsgType() == "execute_request":
		k.queue(r)
	case strings.HasPrefix(r.MsgType(), "comm_") && r.MsgType() != "comm_info_request":
		k.handle(r)
	default:
		k.quick <- struct{}{}
		go func() {
			defer func() { <-k.quick }()
			k.handle(r)
		}()
	}
}

// fromControl handles one message at a time and waits for no cell.
func (k *front) fromControl(r *request) { k.handle(r) }

// handle answers a request between busy and idle. An unknown one gets no
// reply, as its sender may know one that this protocol has not.
func (k *front) handle(r *request) {
	k.bracket(r, func() {
		if h := handlers[r.MsgType()]; h != nil {
			h(k, r)
		} else {
			k.opt.Log("kernel: %s: no such request: %q", r.channel, r.MsgType())
		}
	})
}

// bracket is the one place where busy and idle come from.
func (k *front) bracket(r *request, f func()) {
	k.begin(r)
	defer k.finish(r)
	defer func() {
		if v := recover(); v != nil {
			k.opt.Log("kernel: %s: panic: %v\n%s", r.MsgType(), v, debug.Stack())
			k.replyError(r, "KernelError", fmt.Sprint(v))
		}
	}()
	f()
	// The request lives on for late output, which needs no more than its header.
	r.Content, r.Buffers = nil, nil
}

// reply answers on the socket that the request came from.
func (k *front) reply(r *request, content json.RawMessage) {
	kind, ok := strings.CutSuffix(r.MsgType(), "_request")
	if !ok { // comm messages have no replies
		return
	}
	parts, _ := k.codec.Encode(r.Identities[1:], kind+"_reply", r.RawHeader, nil, content, nil)
	if err := r.socket.Send(r.Identities[0], parts); err != nil {
		k.opt.Log("kernel: %s: no reply: %v", r.MsgType(), err)
	}
}

func (k *front) replyError(r *request, name, value string) {
	k.reply(r, encode(object{"status": "error", "ename": name, "evalue": value, "traceback": []string{}}))
}

// content decodes a request's content, or replies that it cannot.
func (k *front) content(r *request, v any) bool {
	if err := json.Unmarshal(r.Content, v); err != nil {
		k.opt.Log("kernel: %s: %v", r.MsgType(), err)
		k.replyError(r, "BadRequest", fmt.Sprintf("%s: %v", r.MsgType(), err))
		return false
	}
	return true
}
