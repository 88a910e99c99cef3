package display

import (
	"testing"
	"unicode/utf8"
)

// graph builds a value from bytes: lists, maps, structs and pointers that may
// hang from each other in any way, cycles included.
func graph(data []byte) any {
	type node struct {
		Name string
		Next any
		Ptr  *any
	}
	pool := []any{nil, 1, "text", 2.5}
	pick := func(b byte) any { return pool[int(b)%len(pool)] }
	for i := 0; i+2 < len(data) && len(pool) < 64; i += 3 {
		a, b := data[i+1], data[i+2]
		switch data[i] % 8 {
		case 0:
			list := []any{pick(a), pick(b), nil}
			list[2] = list
			pool = append(pool, list)
		case 1:
			m := map[string]any{string(data[i : i+2]): pick(a), "x": pick(b)}
			m["me"] = m
			pool = append(pool, m)
		case 2:
			n := &node{Name: string(data[i:]), Next: pick(a)}
			n.Ptr = &n.Next
			pool = append(pool, n)
		case 3:
			pool = append(pool, []*node{{Next: pick(a)}, nil, {Next: pick(b)}})
		case 4:
			p := pick(a)
			pool = append(pool, &p)
		case 5:
			pool = append(pool, []map[string]any{{"a": pick(a)}, nil, {"b": pick(b)}})
		case 6:
			pool = append(pool, [][]any{{pick(a)}, {pick(b), pick(a)}})
		case 7:
			pool = append(pool, map[any]any{int(a): pick(b), string(data[i:]): pick(a)})
		}
	}
	return pool[len(pool)-1]
}

// FuzzRender holds that any value is shown: text of bounded size, valid UTF-8,
// twice the same, and JSON that can be sent.
func FuzzRender(f *testing.F) {
	f.Add([]byte("\x00\x04\x05\x01\x05\x06\x02\x06\x07\x03\x07\x08"))
	f.Add([]byte("\x04\x04\x04\x04\x05\x05\x05\x06\x06\x06\x07\x07\x07\x08\x08"))
	f.Fuzz(func(t *testing.T, data []byte) {
		v := graph(data)
		b := Render(v)
		for mime, d := range b.Data {
			s, ok := d.(string)
			if !ok || len(s) > 200_000 || !utf8.ValidString(s) {
				t.Fatalf("%s is a %T of %d bytes", mime, d, len(s))
			}
		}
		if again := Render(v).Data["text/plain"]; again != b.Data["text/plain"] {
			t.Fatalf("shown as\n%s\nand then as\n%s", b.Data["text/plain"], again)
		}
		if _, ok := fromData(JSON(v)).Wire()[MIMETypeJSON]; !ok {
			t.Fatalf("the JSON of %s cannot be sent", b.Data["text/plain"])
		}
	})
}
