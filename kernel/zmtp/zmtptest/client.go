// Package zmtptest is a small ZMTP client for tests: it can behave, and it can
// misbehave byte by byte.
package zmtptest

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"time"
)

// Client is a connection to a bound socket.
type Client struct {
	Conn net.Conn
	r    *bufio.Reader
}

// Greeting of ZMTP 3.1 with the NULL mechanism.
func Greeting() []byte {
	g := make([]byte, 64)
	g[0], g[9], g[10], g[11] = 0xff, 0x7f, 3, 1
	copy(g[12:], "NULL")
	return g
}

// Ready is the READY command of a socket type and identity.
func Ready(typ, identity string) []byte {
	body := []byte("\x05READY")
	for _, p := range [][2]string{{"Socket-Type", typ}, {"Identity", identity}} {
		body = append(append(body, byte(len(p[0]))), p[0]...)
		body = binary.BigEndian.AppendUint32(body, uint32(len(p[1])))
		body = append(body, p[1]...)
	}
	return Frame(4, body)
}

// Frame encodes one frame with the given flags; the long flag is set where
// the length needs it.
func Frame(flags byte, body []byte) []byte {
	if len(body) < 256 {
		return append([]byte{flags, byte(len(body))}, body...)
	}
	b := binary.BigEndian.AppendUint64([]byte{flags | 2}, uint64(len(body)))
	return append(b, body...)
}

// Dial connects and shakes hands as a socket of the type (DEALER, REQ, SUB).
func Dial(addr net.Addr, typ, identity string) (*Client, error) {
	conn, err := net.Dial(addr.Network(), addr.String())
	if err != nil {
		return nil, err
	}
	c := &Client{conn, bufio.NewReaderSize(conn, 64<<10)}
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	defer conn.SetDeadline(time.Time{})
	if _, err := conn.Write(append(Greeting(), Ready(typ, identity)...)); err != nil {
		return nil, err
	}
	if _, err := io.CopyN(io.Discard, c.r, 64); err != nil {
		return nil, fmt.Errorf("greeting: %w", err)
	}
	flags, body, err := c.Frame()
	if err != nil || flags&4 == 0 || len(body) < 6 || string(body[1:6]) != "READY" {
		return nil, fmt.Errorf("zmtptest: %q instead of READY: %v", body, err)
	}
	return c, nil
}

// Frame reads one frame.
func (c *Client) Frame() (flags byte, body []byte, err error) {
	if flags, err = c.r.ReadByte(); err != nil {
		return 0, nil, err
	}
	var size uint64
	if flags&2 == 0 {
		b, err := c.r.ReadByte()
		if err != nil {
			return 0, nil, err
		}
		size = uint64(b)
	} else {
		var b [8]byte
		if _, err := io.ReadFull(c.r, b[:]); err != nil {
			return 0, nil, err
		}
		size = binary.BigEndian.Uint64(b[:])
	}
	body = make([]byte, size)
	_, err = io.ReadFull(c.r, body)
	return flags, body, err
}

// Send writes a message.
func (c *Client) Send(parts ...[]byte) error {
	var b []byte
	for i, p := range parts {
		flags := byte(0)
		if i < len(parts)-1 {
			flags = 1
		}
		b = append(b, Frame(flags, p)...)
	}
	_, err := c.Conn.Write(b)
	return err
}

// Recv reads a message, skipping commands, within the time given.
func (c *Client) Recv(timeout time.Duration) ([][]byte, error) {
	c.Conn.SetReadDeadline(time.Now().Add(timeout))
	defer c.Conn.SetReadDeadline(time.Time{})
	var parts [][]byte
	for {
		flags, body, err := c.Frame()
		if err != nil {
			return nil, err
		}
		if flags&4 != 0 {
			continue
		}
		parts = append(parts, body)
		if flags&1 == 0 {
			return parts, nil
		}
	}
}

// Close disconnects.
func (c *Client) Close() error { return c.Conn.Close() }
