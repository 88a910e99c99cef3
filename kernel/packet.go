package kernel

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// A packet is one message between the front and a worker. On the pipe it is
// two big-endian uint32, the length of its JSON head and the number of its
// buffers, then a uint32 length per buffer, the head and the buffers. What may
// be long (values, images, comm buffers) travels in buffers and is never
// quoted or copied into JSON.
type packet struct {
	Kind  string          `json:"kind"`
	ID    uint64          `json:"id,omitempty"`    // of a question and its answer
	Cell  string          `json:"cell,omitempty"`  // the cell, or comm message, that it belongs to
	Fence uint64          `json:"fence,omitempty"` // comes after this fence on fds 1 and 2
	Body  json.RawMessage `json:"body,omitempty"`

	buffers [][]byte
}

// Kinds of packets from the front.
const (
	askHello     = "hello"     // the first one: fence token, memory limit
	askExecute   = "execute"   // executeBody
	askInterrupt = "interrupt" // the cell named
	askComplete  = "complete"  // cursorBody, answered
	askInspect   = "inspect"   // cursorBody, answered
	askComplEnd  = "iscomplete"
	askComm      = "comm"    // commBody and buffers
	askRestore   = "restore" // snapshot buffer, answered
	askInput     = "input"   // answer to tellInput: inputBody
	askClose     = "close"
)

// Kinds of packets from the worker.
const (
	tellReady   = "ready"
	tellStarted = "started"
	tellDone    = "done" // resultBody
	tellDisplay = "display"
	tellUpdate  = "update"
	tellResult  = "result"
	tellClear   = "clear"
	tellStream  = "stream" // of a cell that is not the current one
	tellInput   = "input"
	tellComm    = "comm"
	tellAnswer  = "answer"
)

type (
	helloBody struct {
		Token  string
		Memory int64
	}
	executeBody struct {
		Cell       Cell
		AllowStdin bool
	}
	cursorBody struct {
		Code           string
		Cursor, Detail int
	}
	commBody struct {
		Kind, ID, Target string
		Data, Metadata   map[string]any
	}
	displayBody struct {
		ID     string `json:",omitempty"` // display_id
		Bundle bundleBody
	}
	clearBody  struct{ Wait bool }
	streamBody struct{ Name string }
	inputBody  struct {
		Prompt   string `json:",omitempty"`
		Password bool   `json:",omitempty"`
		Text     string `json:",omitempty"`
		Err      string `json:",omitempty"`
		Refused  bool   `json:",omitempty"`
	}
	restoredBody struct {
		Lost []string
		Err  string
	}
)

// maxPacket is the most that one packet may hold, in bytes. A worker that
// would send more shows a line instead.
const maxPacket = 160 << 20

const maxBuffers = 1 << 16

var errPacket = errors.New("kernel: malformed packet")

// newPacket encodes a body, which must be of a type that JSON takes.
func newPacket(kind string, body any) packet {
	p := packet{Kind: kind}
	if body != nil {
		p.Body, _ = json.Marshal(body)
	}
	return p
}

// body decodes the packet's body.
func (p packet) body(v any) error {
	if err := json.Unmarshal(p.Body, v); err != nil {
		return fmt.Errorf("%w: %s: %v", errPacket, p.Kind, err)
	}
	return nil
}

func (p packet) size() int {
	n := len(p.Body)
	for _, b := range p.buffers {
		n += len(b)
	}
	return n
}

// pipeWriter writes packets; any goroutine may.
type pipeWriter struct {
	mu sync.Mutex
	w  *os.File
}

func (w *pipeWriter) write(p packet) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return writePacket(w.w, p)
}

func writePacket(w io.Writer, p packet) error {
	head, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("kernel: packet %s: %w", p.Kind, err)
	}
	b := make([]byte, 0, 8+4*len(p.buffers)+len(head))
	b = binary.BigEndian.AppendUint32(b, uint32(len(head)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(p.buffers)))
	for _, buf := range p.buffers {
		b = binary.BigEndian.AppendUint32(b, uint32(len(buf)))
	}
	b = append(b, head...)
	if _, err := w.Write(b); err != nil {
		return err
	}
	for _, buf := range p.buffers {
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
	return nil
}

// readPacket reads one packet. The other side is our own program, but user
// code may have written to the pipe: nothing it can write does harm.
func readPacket(r io.Reader) (packet, error) {
	var b [8]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return packet{}, err
	}
	headSize, count := binary.BigEndian.Uint32(b[:]), binary.BigEndian.Uint32(b[4:])
	if headSize > maxPacket || count > maxBuffers {
		return packet{}, fmt.Errorf("%w: %d bytes, %d buffers", errPacket, headSize, count)
	}
	sizes := make([]uint32, count)
	if err := binary.Read(r, binary.BigEndian, sizes); err != nil {
		return packet{}, err
	}
	left := int64(maxPacket) - int64(headSize)
	for _, n := range sizes {
		if left -= int64(n); left < 0 {
			return packet{}, fmt.Errorf("%w: more than %d bytes", errPacket, maxPacket)
		}
	}
	head, err := readExactly(r, int(headSize))
	if err != nil {
		return packet{}, err
	}
	var p packet
	if err := json.Unmarshal(head, &p); err != nil {
		return packet{}, fmt.Errorf("%w: %v", errPacket, err)
	}
	for _, n := range sizes {
		buf, err := readExactly(r, int(n))
		if err != nil {
			return packet{}, err
		}
		p.buffers = append(p.buffers, buf)
	}
	return p, nil
}

// readExactly allocates no more than twice what really arrives.
func readExactly(r io.Reader, n int) ([]byte, error) {
	const eager = 1 << 20
	b := make([]byte, min(n, eager))
	for read := 0; ; {
		m, err := io.ReadFull(r, b[read:])
		if read += m; err != nil {
			return nil, err
		}
		if read == n {
			return b, nil
		}
		// The first full megabyte shows that the sender means it.
		grown := make([]byte, n)
		copy(grown, b)
		b = grown
	}
}
