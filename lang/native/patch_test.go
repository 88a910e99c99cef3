package native

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// name stores a type's name as the compiler does.
func name(flags byte, s string) []byte {
	return append([]byte{flags, byte(len(s))}, s...)
}

func TestPatchTypeNames(t *testing.T) {
	var in, want []byte
	in = append(in, "export data cell.Tǃ3 \x01\x0a*main.Tǃ3 _go_.o type:cell.Tǃ3type:.namedata.*main.Tǃ3."...)
	want = append(want, in...)
	for _, n := range []struct {
		flags     byte
		long, end string
	}{
		{1, "*main.Tǃ3", "*main.T"},
		{0, "*map[string]*main.Tǃ3", "*map[string]*main.T"},
		{0, "*struct { X main.Tǃ12; Y []main.Uǃ2 }", "*struct { X main.T; Y []main.U }"},
		{9, "Tǃ3", "T"},     // the name of an embedded field
		{0, "cell", "main"}, // a package path
		{0, "*main.L[cell.T;cell.Uǃ2]", "*main.L[main.T;main.U]"},
		{0, "*main.Q[hardcell.T]", "*main.Q[hardcell.T]"},
		{1, "*main.Plain", "*main.Plain"},
	} {
		in = append(in, name(n.flags, n.long)...)
		short := name(n.flags, n.end)
		want = append(want, short...)
		want = append(want, make([]byte, len(n.long)-len(n.end))...)
	}
	file := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(file, in, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := patchTypeNames(file); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(file)
	if !bytes.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
