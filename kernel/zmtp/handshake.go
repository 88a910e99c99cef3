package zmtp

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// Type is a socket type, by its name on the wire.
type Type string

// The socket types that can be bound here.
const (
	Router Type = "ROUTER"
	Rep    Type = "REP"
	XPub   Type = "XPUB"
)

// partners of each type, RFC 28 and 29.
var partners = map[Type]string{
	Router: "DEALER REQ ROUTER",
	Rep:    "REQ DEALER",
	XPub:   "SUB XSUB",
}

const (
	greetingSize  = 64
	handshakeSize = 4 << 10 // of a command in the handshake, bytes
	maxIdentity   = 255
)

// greeting announces ZMTP 3.1 with the NULL mechanism.
func greeting() []byte {
	g := make([]byte, greetingSize)
	g[0], g[9] = 0xff, 0x7f
	g[10], g[11] = 3, 1
	copy(g[12:32], "NULL")
	return g
}

// shake runs the handshake of a peer that has just connected and returns the
// identity it gave, empty where it gave none.
func shake(r *bufio.Reader, w io.Writer, typ Type) (identity []byte, err error) {
	if _, err := w.Write(greeting()); err != nil {
		return nil, err
	}
	// The first ten bytes tell a ZMTP 3 peer from anything else: an HTTP
	// client would wait for an answer before it sent 64.
	var g [greetingSize]byte
	if _, err := io.ReadFull(r, g[:11]); err != nil {
		return nil, noEOF(err)
	}
	if g[0] != 0xff || g[9]&1 != 1 {
		return nil, fmt.Errorf("%w: not a ZMTP greeting", errFrame)
	}
	if g[10] < 3 {
		return nil, fmt.Errorf("%w: ZMTP version %d, 3 is needed", errFrame, g[10])
	}
	if _, err := io.ReadFull(r, g[11:]); err != nil {
		return nil, noEOF(err)
	}
	if mechanism := strings.TrimRight(string(g[12:32]), "\x00"); mechanism != "NULL" {
		return nil, fmt.Errorf("%w: mechanism %q, only NULL is spoken", errFrame, mechanism)
	}
	ready := appendProperty(appendName(nil, "READY"), "Socket-Type", []byte(typ))
	ready = appendProperty(ready, "Identity", nil)
	if err := writeCommand(w, ready); err != nil {
		return nil, err
	}
	f, err := readFrame(r, handshakeSize)
	if err != nil {
		return nil, noEOF(err)
	}
	name, rest, ok := splitName(f.body)
	if !f.command() || !ok || name != "READY" {
		return nil, fmt.Errorf("%w: %q instead of READY", errFrame, name)
	}
	properties, err := parseProperties(rest)
	if err != nil {
		return nil, err
	}
	if kind := string(properties["socket-type"]); !partner(typ, kind) {
		reason := fmt.Sprintf("%s cannot talk to %.20q", typ, kind)
		writeCommand(w, append(appendName(nil, "ERROR"), append([]byte{byte(len(reason))}, reason...)...))
		return nil, fmt.Errorf("%w: %s", errFrame, reason)
	}
	identity = properties["identity"]
	if len(identity) > maxIdentity || len(identity) > 0 && identity[0] == 0 {
		return nil, fmt.Errorf("%w: identity of %d bytes, first %d", errFrame, len(identity), identity[0])
	}
	return identity, nil
}

func partner(typ Type, kind string) bool {
	for _, k := range strings.Fields(partners[typ]) {
		if k == kind {
			return true
		}
	}
	return false
}

func writeCommand(w io.Writer, body []byte) error {
	_, err := w.Write(append(appendHeader(nil, flagCommand, len(body)), body...))
	return err
}

func appendName(b []byte, name string) []byte {
	return append(append(b, byte(len(name))), name...)
}

// splitName cuts a command body into its name and data.
func splitName(body []byte) (name string, data []byte, ok bool) {
	if len(body) == 0 || int(body[0]) > len(body)-1 {
		return "", nil, false
	}
	n := int(body[0])
	return string(body[1 : 1+n]), body[1+n:], true
}

func appendProperty(b []byte, name string, value []byte) []byte {
	b = appendName(b, name)
	b = binary.BigEndian.AppendUint32(b, uint32(len(value)))
	return append(b, value...)
}

// parseProperties reads the metadata of READY; names are case-insensitive.
func parseProperties(b []byte) (map[string][]byte, error) {
	properties := map[string][]byte{}
	for len(b) > 0 {
		name, rest, ok := splitName(b)
		if !ok || len(rest) < 4 {
			return nil, fmt.Errorf("%w: truncated metadata", errFrame)
		}
		size := binary.BigEndian.Uint32(rest)
		rest = rest[4:]
		if uint64(size) > uint64(len(rest)) {
			return nil, fmt.Errorf("%w: truncated metadata", errFrame)
		}
		properties[strings.ToLower(name)] = bytes.Clone(rest[:size])
		b = rest[size:]
	}
	return properties, nil
}
