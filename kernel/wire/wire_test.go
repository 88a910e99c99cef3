package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"testing"
)

const pythonSignature = "27420d152c6253e6b0e61daab85e29babeed8061708d3a72147b49ace4940424"

func codec(t testing.TB, key string) *Codec {
	c, err := NewCodec("hmac-sha256", key)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestSignature checks a signature made elsewhere: by Python's
// hmac.new(b"secret", b'{"msg_type":"a"}{}{}{"x":1}', hashlib.sha256).
func TestSignature(t *testing.T) {
	parts := [][]byte{[]byte("id"), []byte(Delimiter), []byte(pythonSignature),
		[]byte(`{"msg_type":"a"}`), []byte("{}"), []byte("{}"), []byte(`{"x":1}`)}
	c := codec(t, "secret")
	m, err := c.Decode(parts)
	if err != nil || m.Header.MsgType != "a" || string(m.Content) != `{"x":1}` || string(m.Identities[0]) != "id" {
		t.Fatalf("%+v, %v", m, err)
	}
	if _, err := c.Decode(parts); !errors.Is(err, ErrReplayed) {
		t.Errorf("replay: %v", err)
	}
	for i := range pythonSignature {
		bad := []byte(pythonSignature)
		bad[i] ^= 1
		parts[2] = bad
		if _, err := codec(t, "secret").Decode(parts); !errors.Is(err, ErrSignature) {
			t.Fatalf("signature with byte %d changed: %v", i, err)
		}
	}
	for _, s := range []string{"", "00", pythonSignature + "00"} {
		parts[2] = []byte(s)
		if _, err := codec(t, "secret").Decode(parts); !errors.Is(err, ErrSignature) {
			t.Errorf("signature %q: %v", s, err)
		}
	}
	// An empty key checks nothing.
	for range 2 {
		if _, err := codec(t, "").Decode(parts); err != nil {
			t.Errorf("empty key: %v", err)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	for _, key := range []string{"", "k"} {
		kernel, client := codec(t, key), codec(t, key)
		parent := json.RawMessage(`{"msg_id": "p",  "odd":[1] , "session":"s"}`)
		parts, id := kernel.Encode([][]byte{{0, 1}}, "status", parent, nil, []byte(`{"a":"é"}`), [][]byte{{9}, nil})
		if key == "" && len(parts[2]) != 0 {
			t.Errorf("signature without a key: %q", parts[2])
		}
		if !bytes.Equal(parts[4], parent) {
			t.Errorf("the parent header was changed to %s", parts[4])
		}
		m, err := client.Decode(parts)
		if err != nil {
			t.Fatal(err)
		}
		if m.Header.MsgID != id || m.Header.MsgType != "status" || m.Header.Session != kernel.Session() || m.Header.Version != ProtocolVersion ||
			m.Parent.MsgID != "p" || string(m.Metadata) != "{}" || len(m.Buffers) != 2 || m.Buffers[0][0] != 9 {
			t.Errorf("%+v", m)
		}
		if !regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$`).MatchString(m.Header.Date) {
			t.Errorf("date %q", m.Header.Date)
		}
	}
}

func TestMalformed(t *testing.T) {
	d := []byte(Delimiter)
	for name, parts := range map[string][][]byte{
		"nothing":        nil,
		"no delimiter":   {[]byte("a"), []byte("b")},
		"too short":      {d, {}, []byte("{}")},
		"no JSON":        {d, {}, []byte("{"), []byte("{}"), []byte("{}"), []byte("{}")},
		"no type":        {d, {}, []byte("{}"), []byte("{}"), []byte("{}"), []byte("{}")},
		"type no string": {d, {}, []byte(`{"msg_type":1}`), []byte("{}"), []byte("{}"), []byte("{}")},
		"content a list": {d, {}, []byte(`{"msg_type":"a"}`), []byte("{}"), []byte("{}"), []byte("[]")},
		"metadata null":  {d, {}, []byte(`{"msg_type":"a"}`), []byte("{}"), []byte("null"), []byte("{}")},
	} {
		if _, err := codec(t, "").Decode(parts); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	m, err := codec(t, "").Decode([][]byte{d, {}, []byte(`{"msg_type":"a"}`), []byte("{}"), []byte("{}"), []byte("{\"x\":\"\xff\"}")})
	if err != nil || string(m.Content) != `{"x":"`+"\uFFFD"+`"}` {
		t.Errorf("invalid UTF-8: %v, %v", m, err)
	}
}

func TestOldSignaturesAreForgotten(t *testing.T) {
	c := codec(t, "k")
	first, _ := codec(t, "k").Encode(nil, "a", nil, nil, nil, nil)
	if _, err := c.Decode(first); err != nil {
		t.Fatal(err)
	}
	sender := codec(t, "k")
	for range maxSeen + 10 {
		parts, _ := sender.Encode(nil, "a", nil, nil, nil, nil)
		if _, err := c.Decode(parts); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.seen) != maxSeen || len(c.order) != maxSeen {
		t.Errorf("%d signatures are remembered, want %d", len(c.seen), maxSeen)
	}
}

func TestSchemes(t *testing.T) {
	if _, err := NewCodec("hmac-md5", "k"); err == nil {
		t.Error("hmac-md5 was accepted")
	}
	if _, err := NewCodec("", "k"); err != nil {
		t.Error(err)
	}
}

// FuzzDecode splits its input at newlines into frames. What is accepted must
// have a type and valid dictionaries, and be accepted again when encoded.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("id\n<IDS|MSG>\n\n{\"msg_type\":\"a\"}\n{}\n{}\n{\"code\":\"x\"}\nbuffer"))
	f.Add([]byte("<IDS|MSG>\n\n{\"msg_type\":\"\xff\"}\n{}\n{}\n{}"))
	f.Add([]byte("<IDS|MSG>\nsig\n{\"msg_type\":\"a\",\"msg_id\":{}}\n[]\nnull\n1"))
	f.Fuzz(func(t *testing.T, in []byte) {
		m, err := codec(t, "").Decode(bytes.Split(in, []byte("\n")))
		if err != nil {
			return
		}
		for _, d := range [][]byte{m.RawHeader, m.Metadata, m.Content} {
			if !json.Valid(d) {
				t.Fatalf("%q is not JSON", d)
			}
		}
		c := codec(t, "key")
		parts, _ := c.Encode(m.Identities, m.Header.MsgType, m.RawHeader, m.Metadata, m.Content, m.Buffers)
		again, err := codec(t, "key").Decode(parts)
		if err != nil {
			t.Fatalf("encoded message is refused: %v", err)
		}
		if again.Header.MsgType != m.Header.MsgType || !bytes.Equal(again.Content, m.Content) || len(again.Buffers) != len(m.Buffers) {
			t.Fatalf("%+v became %+v", m, again)
		}
	})
}
