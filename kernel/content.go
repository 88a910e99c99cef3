package kernel

import (
	"encoding/base64"
	"encoding/json"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fathom-kernel/fathom/stdlib/display"
)

// Contents of messages that may be large are written straight into one buffer
// of the right size: an image of 50 MB must not be in memory four times.

// appendBundle appends a bundle as `"data":{…},"metadata":{…}`.
func appendBundle(b []byte, bundle display.Bundle) []byte {
	b = append(b, `"data":{`...)
	types := bundle.Types()
	if _, ok := bundle.Data["text/plain"]; !ok {
		types = append(types, "text/plain")
		sort.Strings(types)
	}
	first := true
	for _, mime := range types {
		start := len(b)
		if !first {
			b = append(b, ',')
		}
		b = append(appendString(b, mime), ':')
		switch v := bundle.Data[mime].(type) {
		case nil:
			b = append(b, `""`...)
		case string:
			b = appendString(b, v)
		case []byte:
			b = append(b, '"')
			b = base64.StdEncoding.AppendEncode(b, v)
			b = append(b, '"')
		case json.RawMessage: // checked where it came in
			b = append(b, v...)
		default:
			raw, err := json.Marshal(v)
			if err != nil {
				b = b[:start]
				continue
			}
			b = append(b, raw...)
		}
		first = false
	}
	b = append(b, `},"metadata":`...)
	if raw, err := json.Marshal(bundle.Metadata); err == nil && len(bundle.Metadata) > 0 {
		return append(b, raw...)
	}
	return append(b, "{}"...)
}

// bundleSize estimates what appendBundle appends, from above where that is
// cheap.
func bundleSize(bundle display.Bundle) int {
	n := 256
	for mime, v := range bundle.Data {
		n += len(mime) + 8
		switch v := v.(type) {
		case string:
			n += len(v) + len(v)/16
		case []byte:
			n += base64.StdEncoding.EncodedLen(len(v))
		case json.RawMessage:
			n += len(v)
		}
	}
	return n
}

// displayContent is the content of display_data, update_display_data and, with
// a count above zero, execute_result.
func displayContent(bundle display.Bundle, id string, count int) json.RawMessage {
	b := make([]byte, 0, bundleSize(bundle))
	b = append(b, '{')
	b = appendBundle(b, bundle)
	b = append(b, `,"transient":{`...)
	if id != "" {
		b = append(b, `"display_id":`...)
		b = appendString(b, id)
	}
	b = append(b, '}')
	if count > 0 {
		b = append(b, `,"execution_count":`...)
		b = strconv.AppendInt(b, int64(count), 10)
	}
	return append(b, '}')
}

func streamContent(name, text string) json.RawMessage {
	b := make([]byte, 0, len(text)+len(text)/8+64)
	b = append(b, `{"name":`...)
	b = appendString(b, name)
	b = append(b, `,"text":`...)
	b = appendString(b, text)
	return append(b, '}')
}

const hexDigits = "0123456789abcdef"

// appendString appends a JSON string; invalid UTF-8 becomes U+FFFD.
func appendString(b []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[start:i]...)
		start = i + 1
		switch c {
		case '\n':
			b = append(b, '\\', 'n')
		case '\t':
			b = append(b, '\\', 't')
		case '\r':
			b = append(b, '\\', 'r')
		case '"', '\\':
			b = append(b, '\\', c)
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

// object is a small content.
type object = map[string]any

func encode(content any) json.RawMessage {
	b, err := json.Marshal(content)
	if err != nil { // a payload or a comm's data holds what JSON cannot
		b, _ = json.Marshal(object{"status": "error", "ename": "EncodingError", "evalue": err.Error(), "traceback": []string{}})
	}
	return b
}
