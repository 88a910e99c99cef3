package kernel

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strconv"
)

// A fence is a marker that the worker writes to file descriptors 1 and 2
// before a packet whose place among the printed text matters. It holds a token
// that only the two sides know, so that no program prints one by chance, and
// it is shorter than PIPE_BUF, so that nothing can come in between its bytes.

const fenceDigits = 16

func newFenceToken() string {
	b := make([]byte, 16)
	rand.Read(b)
	return hex.EncodeToString(b)
}

func fencePrefix(token string) []byte { return []byte("\x02fence:" + token + ":") }

func appendFence(b []byte, token string, n uint64) []byte {
	return fmt.Appendf(append(b, fencePrefix(token)...), "%0*x\x03", fenceDigits, n)
}

// cutFence returns the text before the first fence in b, the fence's number
// and what follows it. Without a whole fence ok is false, and text is what
// cannot be the start of one; the rest must wait for more bytes.
func cutFence(b, prefix []byte) (text []byte, n uint64, rest []byte, ok bool) {
	for from := 0; ; {
		i := bytes.IndexByte(b[from:], prefix[0])
		if i < 0 {
			return b, 0, nil, false
		}
		i += from
		tail := b[i:]
		if len(tail) < len(prefix) {
			if bytes.HasPrefix(prefix, tail) {
				return b[:i], 0, tail, false
			}
		} else if bytes.HasPrefix(tail, prefix) {
			whole := len(prefix) + fenceDigits + 1
			if len(tail) < whole {
				return b[:i], 0, tail, false
			}
			if n, err := strconv.ParseUint(string(tail[len(prefix):whole-1]), 16, 64); err == nil && tail[whole-1] == 3 {
				return b[:i], n, tail[whole:], true
			}
		}
		from = i + 1
	}
}
