package native

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"regexp"
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
	if err != nil {
		return err
	}
	// Export data comes first in the archive, and holds names as text too.
	object := bytes.Index(data, []byte("_go_.o"))
	if object < 0 {
		return nil
	}
	changed := false
	for at := object; ; {
		i := nextName(data[at:])
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

// nextName finds what a name to patch has in it: a mark with a number, or the
// units' path.
func nextName(data []byte) int {
	for at := 0; ; {
		i := bytes.IndexByte(data[at:], mark[0])
		j := bytes.Index(data[at:], []byte(UnitPath))
		switch {
		case i < 0 && j < 0:
			return -1
		case i < 0 || j >= 0 && j < i:
			return at + j
		}
		at += i
		if rest := data[at:]; len(rest) > len(mark) && string(rest[:len(mark)]) == mark && '0' <= rest[len(mark)] && rest[len(mark)] <= '9' {
			return at
		}
		at++
	}
}

// patchName patches the name around data[at]. It reports false where no name
// is there.
func patchName(data []byte, at int) bool {
	for start := at; start >= 2 && start > at-4096; start-- {
		// A name's text starts after its length; what is before the length
		// is one byte of flags, below 16.
		for _, width := range []int{1, 2} {
			if start-width-1 < 0 || data[start-width-1] > 15 {
				continue
			}
			n, used := binary.Uvarint(data[start-width : start])
			if used != width || int(n) <= at-start || start+int(n) > len(data) {
				continue
			}
			text := data[start : start+int(n)]
			if !isName(text) {
				continue
			}
			short := shown(string(text))
			if short == string(text) {
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

// isName reports whether the text is what the compiler stores of a type, a
// field or a package path, and not a symbol of the linker's.
func isName(text []byte) bool {
	if !utf8.Valid(text) || bytes.Contains(text, []byte("type:")) || bytes.Contains(text, []byte("..")) {
		return false
	}
	for _, c := range text {
		if c < 0x20 {
			return false
		}
	}
	if string(text) == UnitPath || bytes.Contains(text, []byte("main.")) {
		return true
	}
	return !bytes.ContainsAny(text, " .*[](){},:/\"") && bytes.Contains(text, []byte(mark)) // a field
}

// shown is the name that the user sees: without numbers, and with the path that
// a program's own package has.
func shown(s string) string {
	s = unmark(s)
	if s == UnitPath {
		return "main"
	}
	return inMain(s)
}

// inMain replaces the units' path before a dot by main, which is as long.
func inMain(s string) string {
	var out strings.Builder
	for {
		i := strings.Index(s, UnitPath+".")
		if i < 0 {
			out.WriteString(s)
			return out.String()
		}
		out.WriteString(s[:i])
		if i == 0 || strings.IndexByte("*[](){},; .\x00", s[i-1]) >= 0 {
			out.WriteString("main.")
		} else {
			out.WriteString(UnitPath + ".")
		}
		s = s[i+len(UnitPath)+1:]
	}
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
		rest := s[i+len(mark):]
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		out.WriteString(s[:i])
		if digits == 0 {
			out.WriteString(mark) // not a number of ours
		}
		s = rest[digits:]
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

// patchFunctions gives the functions of a linked unit the names in stack
// traces that a program's own have.
func patchFunctions(so string) error {
	f, err := elf.Open(so)
	if err != nil {
		return nil // another system's format: the names stay
	}
	defer f.Close()
	for _, name := range []string{".gopclntab", ".data.rel.ro.gopclntab"} {
		s := f.Section(name)
		if s == nil {
			continue
		}
		data, err := s.Data()
		if err != nil {
			return err
		}
		patched := []byte(capitals(inMain(string(data))))
		if bytes.Equal(patched, data) {
			continue
		}
		out, err := os.OpenFile(so, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = out.WriteAt(patched, int64(s.Offset))
		if cerr := out.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// capitals takes the mark from before the names of exported functions, in text
// that holds names ended by zero bytes. Its length stays.
func capitals(s string) string {
	if !strings.Contains(s, mark) {
		return s
	}
	var out strings.Builder
	out.Grow(len(s))
	for len(s) > 0 {
		name, rest, ok := strings.Cut(s, "\x00")
		short := name
		if strings.Contains(name, "main."+mark) && utf8.ValidString(name) {
			short = markedCapital.ReplaceAllString(name, "main.$1")
		}
		out.WriteString(short)
		for range len(name) - len(short) {
			out.WriteByte(0)
		}
		if ok {
			out.WriteByte(0)
		}
		s = rest
	}
	return out.String()
}

var markedCapital = regexp.MustCompile(`main\.` + mark + `(\p{Lu})`)
