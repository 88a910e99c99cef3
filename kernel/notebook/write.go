package notebook

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Save writes the notebook to the file as a whole or not at all: to a
// temporary file beside it, then renamed.
func (nb *Notebook) Save(path string) error {
	data, err := nb.Bytes()
	if err != nil {
		return err
	}
	return WriteFile(path, data)
}

// Bytes returns the notebook as nbformat 4.5, laid out as Jupyter does it: keys
// sorted, one space of indent, text as lists of lines, a newline at the end.
// The same notebook always gives the same bytes. An invalid notebook gives
// Validate's error.
func (nb *Notebook) Bytes() ([]byte, error) {
	if err := nb.Validate(); err != nil {
		return nil, err
	}
	cells := make([]any, len(nb.Cells))
	for i, c := range nb.Cells {
		cells[i] = c.wire()
	}
	top := map[string]any{
		"cells":          cells,
		"metadata":       orEmpty(nb.Metadata),
		"nbformat":       json.Number(fmt.Sprint(Major)),
		"nbformat_minor": json.Number(fmt.Sprint(max(Minor, nb.minor))),
	}
	for key, value := range nb.extra {
		if _, ours := top[key]; !ours {
			top[key] = value
		}
	}
	var b bytes.Buffer
	if err := encode(&b, top, 0); err != nil {
		return nil, fmt.Errorf("notebook: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

func (c *Cell) wire() map[string]any {
	m := map[string]any{
		"cell_type": c.Kind,
		"id":        c.ID,
		"metadata":  orEmpty(c.Metadata),
		"source":    lines(c.Source),
	}
	if c.Kind != Code {
		if c.Attachments != nil {
			files := map[string]any{}
			for name, bundle := range c.Attachments {
				if b, ok := bundle.(map[string]any); ok {
					files[name] = splitBundle(b)
				}
			}
			m["attachments"] = files
		}
		return m
	}
	m["execution_count"] = orNull(c.Count)
	outputs := make([]any, len(c.Outputs))
	for i, o := range c.Outputs {
		outputs[i] = o.wire()
	}
	m["outputs"] = outputs
	return m
}

func (o *Output) wire() map[string]any {
	m := map[string]any{"output_type": o.Kind}
	for key, value := range o.extra {
		m[key] = value
	}
	switch o.Kind {
	case StreamOutput:
		m["name"], m["text"] = o.Name, lines(o.Text)
	case DisplayData, ExecuteResult:
		m["data"], m["metadata"] = splitBundle(o.Data), orEmpty(o.Metadata)
		if o.Kind == ExecuteResult {
			m["execution_count"] = orNull(o.Count)
		}
	case ErrorOutput:
		traceback := make([]any, len(o.Traceback))
		for i, line := range o.Traceback {
			traceback[i] = line
		}
		m["ename"], m["evalue"], m["traceback"] = o.ErrName, o.ErrValue, traceback
	}
	return m
}

// splitBundle returns the bundle with its text types as lists of lines, and
// bytes as base64.
func splitBundle(bundle map[string]any) map[string]any {
	out := make(map[string]any, len(bundle))
	for mime, v := range bundle {
		switch v := v.(type) {
		case []byte:
			out[mime] = base64.StdEncoding.EncodeToString(v)
		case string:
			if strings.HasPrefix(mime, "text/") || mime == "application/javascript" || mime == "image/svg+xml" {
				out[mime] = lines(v)
			} else {
				out[mime] = v
			}
		default:
			out[mime] = v
		}
	}
	return out
}

// lines cuts the text after each line break; the pieces join to the text.
func lines(s string) []any {
	list := []any{}
	for line := range strings.Lines(s) {
		list = append(list, line)
	}
	return list
}

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

func orNull(n int) any {
	if n == 0 {
		return nil
	}
	return json.Number(fmt.Sprint(n))
}

// encode writes the value as JSON with sorted keys and an indent of one space
// a level. encoding/json would do, but escapes U+2028 and U+2029, which
// Jupyter does not: files would change on every change of hands.
func encode(b *bytes.Buffer, v any, level int) error {
	newline := func(level int) {
		b.WriteByte('\n')
		for range level {
			b.WriteByte(' ')
		}
	}
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			b.WriteString("{}")
			return nil
		}
		b.WriteByte('{')
		for i, key := range sortedKeys(v) {
			if i > 0 {
				b.WriteByte(',')
			}
			newline(level + 1)
			encodeString(b, key)
			b.WriteString(": ")
			if err := encode(b, v[key], level+1); err != nil {
				return err
			}
		}
		newline(level)
		b.WriteByte('}')
	case []any:
		if len(v) == 0 {
			b.WriteString("[]")
			return nil
		}
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			newline(level + 1)
			if err := encode(b, item, level+1); err != nil {
				return err
			}
		}
		newline(level)
		b.WriteByte(']')
	case string:
		encodeString(b, v)
	case json.Number:
		b.WriteString(v.String())
	case nil:
		b.WriteString("null")
	case bool:
		fmt.Fprintf(b, "%t", v)
	default:
		// A value that a cell showed under a JSON type: any Go value.
		data, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("value of type %T is no JSON: %w", v, err)
		}
		var plain any
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.UseNumber()
		if err := decoder.Decode(&plain); err != nil {
			return err
		}
		return encode(b, plain, level)
	}
	return nil
}

func encodeString(b *bytes.Buffer, s string) {
	const hex = "0123456789abcdef"
	b.WriteByte('"')
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			b.WriteRune(r) // U+FFFD for a byte that is no UTF-8
			i += size
			continue
		}
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '\b':
			b.WriteString(`\b`)
		case c == '\f':
			b.WriteString(`\f`)
		case c < 0x20:
			b.WriteString(`\u00`)
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		default:
			b.WriteByte(c)
		}
		i++
	}
	b.WriteByte('"')
}

// Validate reports the first thing in the notebook that nbformat 4.5 forbids.
func (nb *Notebook) Validate() error {
	seen := map[string]int{}
	for i, c := range nb.Cells {
		bad := func(format string, args ...any) error {
			return fmt.Errorf("notebook: cells[%d]: %s", i, fmt.Sprintf(format, args...))
		}
		switch c.Kind {
		case Code:
		case Markdown, Raw:
			if len(c.Outputs) > 0 || c.Count != 0 {
				return bad("a %s cell has no outputs and no count", c.Kind)
			}
		default:
			return bad("unknown kind %q", c.Kind)
		}
		if !validID.MatchString(c.ID) {
			return bad("id %q; want 1 to 64 letters, digits, - or _", clip(c.ID))
		}
		if first, taken := seen[c.ID]; taken {
			return bad("id %q is also that of cells[%d]", c.ID, first)
		}
		seen[c.ID] = i
		for j, o := range c.Outputs {
			if err := o.validate(); err != nil {
				return bad("outputs[%d]: %v", j, err)
			}
		}
	}
	return nil
}

func (o *Output) validate() error {
	switch o.Kind {
	case StreamOutput:
		if o.Name == "" {
			return fmt.Errorf("a stream needs a name")
		}
	case DisplayData, ExecuteResult:
		for mime, v := range o.Data {
			if _, text := v.(string); !text && !isJSON(mime) {
				if _, raw := v.([]byte); !raw {
					return fmt.Errorf("%s holds %T; want text", mime, v)
				}
			}
		}
	case ErrorOutput, "":
		if o.Kind == "" {
			return fmt.Errorf("an output needs a kind")
		}
	}
	return nil
}

// WriteFile writes the file as a whole or not at all. A symbolic link is
// followed; an existing file's mode is kept; a device or pipe is written to.
func WriteFile(path string, data []byte) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	mode := os.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return os.WriteFile(path, data, mode) // a device or a pipe: nothing to rename onto
		}
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("notebook: %w", err)
	}
	defer os.Remove(f.Name()) // does nothing once it is renamed
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("notebook: writing %s: %w", path, err)
	}
	return nil
}
