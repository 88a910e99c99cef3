package native

import (
	"bytes"
	"encoding/binary"
	"os"
	"runtime"
	"strings"
	"unicode/utf8"
)

// mark is the letter before the number in the name of a type declared again:
// T, then Tǃ2. See lang/check.go.
const mark = "ǃ"

// patchTypeNames takes the numbers out of the names that types have at run
// time, so that %T prints main.T whichever declaration it is. The linker's
// symbols keep them: they are what tells the types apart.
//
// A name is stored as a byte of flags, its length as a varint, and its bytes.
// The shorter name is written in its place, with what is left over behind it.
func patchTypeNames(archive string) error {
	data, err := os.ReadFile(archive)
	if err != nil || !bytes.Contains(data, []byte(mark)) {
		return err
	}
	// Export data comes first in the archive, and holds names as text too.
	object := bytes.Index(data, []byte("_go_.o"))
	if object < 0 {
		return nil
	}
	changed := false
	for at := object; ; {
		i := bytes.Index(data[at:], []byte(mark))
		if i < 0 {
			break
		}
		at += i
		if patchName(data[object:], at-object) {
			changed = true // what follows has moved up: look at the same place again
		} else {
			at += len(mark)
		}
	}
	if !changed {
		return nil
	}
	return os.WriteFile(archive, data, 0o644)
}

// patchName patches the name around the mark at data[at]. It reports false
// where no name is there.
func patchName(data []byte, at int) bool {
	for start := at; start >= 2 && start > at-4096; start-- {
		// A name's text starts after its length; what is before the length
		// is one byte of flags, below 16.
		for _, width := range []int{1, 2} {
			if start-width-1 < 0 || data[start-width-1] > 15 {
				continue
			}
			n, used := binary.Uvarint(data[start-width : start])
			if used != width || int(n) < at-start+len(mark) || start+int(n) > len(data) {
				continue
			}
			text := data[start : start+int(n)]
			if !utf8.Valid(text) || !printable(text) || bytes.Contains(text, []byte(UnitPath+".")) || bytes.Contains(text, []byte("type:")) || !bytes.Contains(text, []byte("main.")) && !isName(text) {
				continue
			}
			short := unmark(string(text))
			if len(short) == len(text) {
				continue
			}
			var length [binary.MaxVarintLen64]byte
			w := binary.PutUvarint(length[:], uint64(len(short)))
			begin := start - width
			copy(data[begin:], length[:w])
			copy(data[begin+w:], short)
			clear(data[begin+w+len(short) : start+int(n)])
			return true
		}
	}
	return false
}

func printable(b []byte) bool {
	for _, c := range b {
		if c < 0x20 {
			return false
		}
	}
	return true
}

// isName reports whether the text is one identifier, as the name of a field.
func isName(b []byte) bool {
	return !bytes.ContainsAny(b, " .*[](){},:/\"") && len(b) < 256
}

// unmark removes every mark with the digits behind it.
func unmark(s string) string {
	var out strings.Builder
	for {
		i := strings.Index(s, mark)
		if i < 0 {
			out.WriteString(s)
			return out.String()
		}
		out.WriteString(s[:i])
		s = strings.TrimLeft(s[i+len(mark):], "0123456789")
	}
}

// langVersion is the language that units are written in: the binary's.
func langVersion() string {
	v := runtime.Version()
	if i := strings.IndexByte(v, ' '); i > 0 {
		v = v[:i]
	}
	if parts := strings.SplitN(v, ".", 3); len(parts) >= 2 {
		return parts[0] + "." + parts[1]
	}
	return v
}
