package kernel

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/fathom-kernel/fathom/kernel/zmtp"
)

// question is an input_request that waits for its reply.
type question struct {
	id     string // of the input_request
	answer chan string
}

var errNoStdin = errors.New("kernel: this client has no stdin channel to be asked on")

// ask sends an input_request to the client that sent r, under the identity
// that its stdin socket shares with its shell socket.
func (k *front) ask(ctx context.Context, r *request, prompt string, password bool) (string, error) {
	q := &question{answer: make(chan string, 1)}
	parts, id := k.codec.Encode(r.Identities[1:], "input_request", r.RawHeader, nil, encode(object{"prompt": prompt, "password": password}), nil)
	q.id = id
	k.mu.Lock()
	k.asking = append(k.asking, q)
	k.mu.Unlock()
	defer func() {
		k.mu.Lock()
		k.asking = slices.DeleteFunc(k.asking, func(x *question) bool { return x == q })
		k.mu.Unlock()
	}()
	// The client's stdin socket may still be connecting.
	for end := time.Now().Add(2 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		err := k.stdin.Send(r.Identities[0], parts)
		if err == nil {
			break
		}
		if !errors.Is(err, zmtp.ErrUnreachable) || time.Now().After(end) {
			return "", errNoStdin
		}
	}
	select {
	case text := <-q.answer:
		return text, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// fromStdin gives an input_reply to the question it answers. Most clients do
// not say which one that is: then it is the newest.
func (k *front) fromStdin(r *request) {
	var reply struct {
		Value string `json:"value"`
	}
	if r.MsgType() != "input_reply" || json.Unmarshal(r.Content, &reply) != nil {
		k.opt.Log("kernel: stdin: %q is not an input_reply", r.MsgType())
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := len(k.asking) - 1; i >= 0; i-- {
		if q := k.asking[i]; r.Parent.MsgID == "" || r.Parent.MsgID == q.id || i == 0 {
			select {
			case q.answer <- reply.Value:
			default: // answered twice
			}
			return
		}
	}
	k.opt.Log("kernel: stdin: an input_reply that nobody waits for")
}
