package kernel

import "strings"

// source is code as a client sent it, and as the Engine gets it: with line
// ends of one byte. Clients count positions in Unicode code points of the
// former, the Engine in bytes of the latter.
type source struct{ client, engine string }

func newSource(code string) source {
	code = strings.ToValidUTF8(code, "\uFFFD")
	return source{code, normalise(code)}
}

// normalise turns \r\n and lone \r, which some editors save, into \n.
func normalise(code string) string {
	if !strings.Contains(code, "\r") {
		return code
	}
	return strings.ReplaceAll(strings.ReplaceAll(code, "\r\n", "\n"), "\r", "\n")
}

// offset translates a client's position; one past the end is the end, a
// negative one the start.
func (s source) offset(position int) int {
	runes := 0
	for i := range s.client {
		if runes >= position {
			before := s.client[:i]
			if s.client[i] == '\n' { // between \r and \n the Engine has no place
				before = strings.TrimSuffix(before, "\r")
			}
			return len(normalise(before))
		}
		runes++
	}
	return len(s.engine)
}

// position translates an Engine's offset; one inside a rune is the rune's
// start.
func (s source) position(offset int) int {
	engine, runes := 0, 0
	for i, r := range s.client {
		if r == '\r' && strings.HasPrefix(s.client[i+1:], "\n") {
			if engine >= offset {
				return runes
			}
			runes++
			continue
		}
		size := len(string(r))
		if engine+size > offset {
			return runes
		}
		engine += size
		runes++
	}
	return runes
}
