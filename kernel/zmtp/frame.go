package zmtp

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Flag bits of a frame.
const (
	flagMore    = 1
	flagLong    = 2
	flagCommand = 4
)

// errFrame is wrapped by every error that is the peer's fault.
var errFrame = errors.New("zmtp: malformed frame")

type frame struct {
	flags byte
	body  []byte
}

func (f frame) more() bool    { return f.flags&flagMore != 0 }
func (f frame) command() bool { return f.flags&flagCommand != 0 }

// eager is how much of a frame is allocated on the peer's word alone; a longer
// body grows only as its bytes arrive.
const eager = 64 << 10

// readFrame reads one frame of at most limit bytes.
func readFrame(r *bufio.Reader, limit int64) (frame, error) {
	flags, err := r.ReadByte()
	if err != nil {
		return frame{}, err
	}
	if flags&^(flagMore|flagLong|flagCommand) != 0 || flags&flagCommand != 0 && flags&flagMore != 0 {
		return frame{}, fmt.Errorf("%w: flags %#02x", errFrame, flags)
	}
	var size uint64
	if flags&flagLong == 0 {
		b, err := r.ReadByte()
		if err != nil {
			return frame{}, noEOF(err)
		}
		size = uint64(b)
	} else {
		var b [8]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return frame{}, noEOF(err)
		}
		size = binary.BigEndian.Uint64(b[:])
	}
	if size > uint64(max(limit, 0)) {
		return frame{}, fmt.Errorf("%w: %d bytes, more than the %d allowed", errFrame, size, limit)
	}
	body, err := readBody(r, int(size))
	return frame{flags &^ flagLong, body}, err
}

func readBody(r io.Reader, size int) ([]byte, error) {
	body := make([]byte, min(size, eager))
	read := 0
	for {
		n, err := io.ReadFull(r, body[read:])
		read += n
		if err != nil {
			return nil, noEOF(err)
		}
		if read == size {
			return body, nil
		}
		grown := make([]byte, min(size, 4*len(body)))
		copy(grown, body)
		body = grown
	}
}

// noEOF keeps io.EOF for the end between two frames.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// appendHeader appends the flags and the length of a frame.
func appendHeader(b []byte, flags byte, size int) []byte {
	if size < 256 {
		return append(b, flags, byte(size))
	}
	return binary.BigEndian.AppendUint64(append(b, flags|flagLong), uint64(size))
}

// readMessage reads the frames of one message, or one command, which comes
// back with isCommand set.
func readMessage(r *bufio.Reader, limit int64, frames int) (parts [][]byte, isCommand bool, err error) {
	for {
		f, err := readFrame(r, limit)
		if err != nil {
			if len(parts) > 0 {
				err = noEOF(err)
			}
			return nil, false, err
		}
		if f.command() {
			if len(parts) > 0 {
				return nil, false, fmt.Errorf("%w: command inside a message", errFrame)
			}
			return [][]byte{f.body}, true, nil
		}
		parts = append(parts, f.body)
		limit -= int64(len(f.body))
		if !f.more() {
			return parts, false, nil
		}
		if len(parts) >= frames {
			return nil, false, fmt.Errorf("%w: more than %d frames in a message", errFrame, frames)
		}
	}
}
