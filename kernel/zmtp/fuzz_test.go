package zmtp

import (
	"bufio"
	"bytes"
	"io"
	"testing"

	"github.com/fathom-kernel/fathom/kernel/zmtp/zmtptest"
)

// FuzzReadMessage feeds arbitrary bytes to the decoder. What it accepts must
// encode to the same bytes again, up to the choice of long or short lengths,
// and obey the limits.
func FuzzReadMessage(f *testing.F) {
	f.Add(append(zmtptest.Frame(1, []byte("a")), zmtptest.Frame(0, []byte("b"))...))
	f.Add(zmtptest.Frame(4, []byte("\x04PING\x00\x01x")))
	f.Add([]byte{2, 0, 0, 0, 0, 0, 0, 0, 1, 'x'})
	f.Add([]byte{2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Add(bytes.Repeat([]byte{1, 0}, 20))
	f.Fuzz(func(t *testing.T, in []byte) {
		const limit, frames = 1 << 16, 8
		r := bufio.NewReader(bytes.NewReader(in))
		for {
			parts, isCommand, err := readMessage(r, limit, frames)
			if err != nil {
				return
			}
			size := 0
			var encoded []byte
			for i, p := range parts {
				size += len(p)
				flags := byte(0)
				if isCommand {
					flags = flagCommand
				} else if i < len(parts)-1 {
					flags = flagMore
				}
				encoded = append(appendHeader(encoded, flags, len(p)), p...)
			}
			if size > limit || len(parts) > frames {
				t.Fatalf("accepted %d bytes in %d frames", size, len(parts))
			}
			again, again2, err := readMessage(bufio.NewReader(bytes.NewReader(encoded)), limit, frames)
			if err != nil || again2 != isCommand || len(again) != len(parts) {
				t.Fatalf("re-encoded message reads as %q, %v", again, err)
			}
			for i := range parts {
				if !bytes.Equal(parts[i], again[i]) {
					t.Fatalf("part %d changed", i)
				}
			}
		}
	})
}

// FuzzShake feeds arbitrary bytes as a whole handshake.
func FuzzShake(f *testing.F) {
	f.Add(append(zmtptest.Greeting(), zmtptest.Ready("DEALER", "id")...))
	f.Add(append(zmtptest.Greeting(), zmtptest.Ready("SUB", "")...))
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		identity, err := shake(bufio.NewReader(bytes.NewReader(in)), io.Discard, Router)
		if err == nil && (len(identity) > maxIdentity || len(identity) > 0 && identity[0] == 0) {
			t.Fatalf("identity %q", identity)
		}
	})
}
