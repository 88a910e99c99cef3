package display

import (
	"encoding/base64"
	"encoding/json"
	"sort"
	"strings"
)

// Bundle is one value in several representations, keyed by MIME type, as a
// front end receives it. It always holds "text/plain".
//
// A value of Data is a string for text types, []byte for binary types (images,
// audio, video: base64 on the wire) and anything encoding/json takes for JSON
// types ("application/json" and every "…+json").
type Bundle struct {
	Data     map[string]any
	Metadata map[string]any
}

// Text returns a Bundle that holds only plain text.
func Text(s string) Bundle {
	return Bundle{Data: map[string]any{"text/plain": s}}
}

// IsZero reports whether the bundle has no representation at all.
func (b Bundle) IsZero() bool { return len(b.Data) == 0 }

// Types returns the MIME types of the bundle, sorted.
func (b Bundle) Types() []string {
	types := make([]string, 0, len(b.Data))
	for t := range b.Data {
		types = append(types, t)
	}
	sort.Strings(types)
	return types
}

// Wire returns Data as the Jupyter protocol wants it: text and base64 as
// strings, valid UTF-8 only, JSON types as JSON values.
func (b Bundle) Wire() map[string]any {
	wire := make(map[string]any, len(b.Data))
	for t, v := range b.Data {
		switch v := v.(type) {
		case string:
			wire[t] = strings.ToValidUTF8(v, "\uFFFD")
		case []byte:
			wire[t] = base64.StdEncoding.EncodeToString(v)
		default:
			if _, err := json.Marshal(v); err != nil {
				continue // NaN, cycles, channels: the other types speak for the value
			}
			wire[t] = v
		}
	}
	if _, ok := wire["text/plain"]; !ok {
		wire["text/plain"] = ""
	}
	return wire
}
