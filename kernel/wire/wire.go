// Package wire turns the frames of a ZeroMQ message into a Jupyter message and
// back, and signs and checks them.
//
// The layout is that of the Jupyter messaging protocol, "The wire protocol":
// identities, the delimiter <IDS|MSG>, the signature in hex, then header,
// parent header, metadata and content in JSON, then buffers. The signature is
// made over the four dictionaries as they are sent; nothing is encoded again
// to check it.
package wire

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"sync"
	"time"
	"unicode/utf8"
)

// ProtocolVersion is the version of the Jupyter messaging protocol.
const ProtocolVersion = "5.5"

// Delimiter stands between the identities and the signature.
const Delimiter = "<IDS|MSG>"

// Header of a message.
type Header struct {
	MsgID      string `json:"msg_id"`
	Session    string `json:"session"`
	Username   string `json:"username"`
	Date       string `json:"date"` // ISO 8601
	MsgType    string `json:"msg_type"`
	Version    string `json:"version"`
	SubshellID string `json:"subshell_id,omitempty"`
}

// Message is one message as it came in. RawHeader is what its answers carry as
// their parent header, byte for byte.
type Message struct {
	Identities [][]byte
	Header     Header
	RawHeader  json.RawMessage
	Parent     Header
	Metadata   json.RawMessage
	Content    json.RawMessage
	Buffers    [][]byte
}

// Errors of Decode.
var (
	ErrMalformed = errors.New("wire: malformed message")
	ErrSignature = errors.New("wire: wrong signature")
	ErrReplayed  = errors.New("wire: message was seen before")
)

// maxSeen is how many signatures are remembered against replays.
const maxSeen = 1 << 16

// Codec encodes and decodes the messages of one connection. Methods may be
// called from any goroutine.
type Codec struct {
	key     []byte
	session string

	mu    sync.Mutex
	seen  map[[sha256.Size]byte]bool
	order [][sha256.Size]byte // of seen, a ring once it is full
	next  int
}

// NewCodec returns a Codec for a connection file's signature_scheme and key.
// With an empty key nothing is signed or checked, as the protocol says.
func NewCodec(scheme, key string) (*Codec, error) {
	if scheme != "" && scheme != "hmac-sha256" {
		return nil, fmt.Errorf("wire: signature_scheme %q; only hmac-sha256 is spoken", scheme)
	}
	return &Codec{key: []byte(key), session: NewID(), seen: map[[sha256.Size]byte]bool{}}, nil
}

// NewID returns a random identifier in the form of a UUID, version 4.
func NewID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Session is the id in the headers of what this side sends: it names the
// kernel process.
func (c *Codec) Session() string { return c.session }

// sign writes the signature of four dictionaries into sum.
func (c *Codec) sign(dicts [][]byte) (sum [sha256.Size]byte) {
	var mac hash.Hash = hmac.New(sha256.New, c.key)
	for _, d := range dicts {
		mac.Write(d)
	}
	mac.Sum(sum[:0])
	return sum
}

// Encode returns the frames of a message: identities (or a topic), delimiter,
// signature, dictionaries and buffers. A nil parent is the empty dictionary,
// and so is nil metadata. Content and buffers are kept, not copied.
func (c *Codec) Encode(identities [][]byte, msgType string, parent, metadata, content json.RawMessage, buffers [][]byte) (parts [][]byte, id string) {
	id = NewID()
	header, _ := json.Marshal(Header{
		MsgID: id, Session: c.session, Username: "kernel", MsgType: msgType, Version: ProtocolVersion,
		Date: time.Now().UTC().Format("2006-01-02T15:04:05.000000Z"),
	})
	dicts := [][]byte{header, orEmpty(parent), orEmpty(metadata), orEmpty(content)}
	signature := []byte{}
	if len(c.key) > 0 {
		sum := c.sign(dicts)
		signature = hex.AppendEncode(nil, sum[:])
	}
	parts = append(parts, identities...)
	parts = append(parts, []byte(Delimiter), signature)
	parts = append(parts, dicts...)
	return append(parts, buffers...), id
}

func orEmpty(dict json.RawMessage) []byte {
	if len(dict) == 0 {
		return []byte("{}")
	}
	return dict
}

// Decode checks and takes apart the frames of a message. Errors wrap
// ErrMalformed, ErrSignature or ErrReplayed.
func (c *Codec) Decode(parts [][]byte) (*Message, error) {
	i := 0
	for i < len(parts) && string(parts[i]) != Delimiter {
		i++
	}
	if i == len(parts) {
		return nil, fmt.Errorf("%w: no delimiter in %d frames", ErrMalformed, len(parts))
	}
	m := &Message{Identities: parts[:i]}
	rest := parts[i+1:]
	if len(rest) < 5 {
		return nil, fmt.Errorf("%w: %d frames after the delimiter, 5 are needed", ErrMalformed, len(rest))
	}
	if err := c.check(rest[0], rest[1:5]); err != nil {
		return nil, err
	}
	header, err := dictionary("header", rest[1])
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(header, &m.Header); err != nil || m.Header.MsgType == "" {
		return nil, fmt.Errorf("%w: header without a msg_type (%v)", ErrMalformed, err)
	}
	m.RawHeader = header
	parent, err := dictionary("parent_header", rest[2])
	if err != nil {
		return nil, err
	}
	json.Unmarshal(parent, &m.Parent) // often empty, and never vital
	if m.Metadata, err = dictionary("metadata", rest[3]); err != nil {
		return nil, err
	}
	if m.Content, err = dictionary("content", rest[4]); err != nil {
		return nil, err
	}
	m.Buffers = rest[5:]
	return m, nil
}

// dictionary checks that a frame is a JSON object in valid UTF-8.
func dictionary(name string, b []byte) (json.RawMessage, error) {
	b = bytes.TrimSpace(b)
	if len(b) == 0 || b[0] != '{' || !json.Valid(b) {
		return nil, fmt.Errorf("%w: %s is not a JSON object", ErrMalformed, name)
	}
	if !utf8.Valid(b) {
		return bytes.ToValidUTF8(b, []byte("\uFFFD")), nil
	}
	return b, nil
}

// check verifies a signature in constant time and remembers it.
func (c *Codec) check(signature []byte, dicts [][]byte) error {
	if len(c.key) == 0 {
		return nil
	}
	var given [sha256.Size]byte
	if len(signature) != hex.EncodedLen(sha256.Size) {
		return fmt.Errorf("%w: %d bytes", ErrSignature, len(signature))
	}
	if _, err := hex.Decode(given[:], signature); err != nil {
		return ErrSignature
	}
	sum := c.sign(dicts)
	if !hmac.Equal(sum[:], given[:]) {
		return ErrSignature
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen[sum] {
		return ErrReplayed
	}
	c.seen[sum] = true
	if len(c.order) < maxSeen {
		c.order = append(c.order, sum)
		return nil
	}
	delete(c.seen, c.order[c.next])
	c.order[c.next] = sum
	c.next = (c.next + 1) % maxSeen
	return nil
}
