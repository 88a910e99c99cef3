package notebook

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"
)

// Open returns the notebook in the file. Errors name the file and the place
// in it.
func Open(path string) (*Notebook, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("notebook: %w", err)
	}
	nb, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return nb, nil
}

// Parse returns the notebook that the JSON text describes. Formats 3 and 4 are
// read; cells without a valid id of their own get one made from their place
// and source, so that reading a file twice gives the same ids.
//
// Broken JSON gives an error with line and column; JSON that is no notebook
// gives one with the path of the wrong value, as in "cells[3].source".
func Parse(data []byte) (*Notebook, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("notebook: the file is empty; an empty notebook is written by Jupyter's File > New")
	}
	if !utf8.Valid(data) {
		line, col := lineColumn(data, firstInvalid(data))
		return nil, fmt.Errorf("notebook: text is not UTF-8 (line %d, column %d); save the file as UTF-8", line, col)
	}
	var root any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&root); err != nil {
		return nil, syntaxError(data, err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		line, col := lineColumn(data, decoder.InputOffset())
		return nil, fmt.Errorf("notebook: text after the end of the notebook (line %d, column %d); remove it", line, col)
	}
	top, ok := root.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("notebook: not a notebook: the file holds %s, want an object with \"cells\"", kindOf(root))
	}
	r := &reader{}
	nb := r.notebook(top)
	if r.err != nil {
		return nil, r.err
	}
	nb.repairIDs()
	return nb, nil
}

// reader walks the decoded JSON and keeps the first thing that is wrong.
type reader struct{ err error }

func (r *reader) fail(path, format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("notebook: %s: %s", path, fmt.Sprintf(format, args...))
	}
}

func (r *reader) notebook(top map[string]any) *Notebook {
	nb := &Notebook{}
	major, ok := integer(top["nbformat"])
	if !ok {
		r.fail("nbformat", "want a whole number, got %s; is this a notebook?", kindOf(top["nbformat"]))
		return nb
	}
	minor, _ := integer(top["nbformat_minor"])
	switch {
	case major == 3:
		return r.notebook3(top)
	case major < 3:
		r.fail("nbformat", "version %d is older than 3; open the notebook in Jupyter and save it", major)
		return nb
	case major > Major:
		r.fail("nbformat", "version %d is newer than this program knows (%d.%d); a newer fathom may read it", major, Major, Minor)
		return nb
	}
	if minor > Minor {
		nb.minor = minor
	}
	nb.Metadata = r.object(top, "", "metadata")
	cells, ok := top["cells"].([]any)
	if !ok {
		r.fail("cells", "want a list of cells, got %s", kindOf(top["cells"]))
		return nb
	}
	for i, c := range cells {
		nb.Cells = append(nb.Cells, r.cell(c, fmt.Sprintf("cells[%d]", i)))
	}
	for key, value := range top {
		switch key {
		case "nbformat", "nbformat_minor", "metadata", "cells":
		default:
			put(&nb.extra, key, value)
		}
	}
	nb.dropTransient()
	return nb
}

func (r *reader) cell(v any, path string) *Cell {
	c := &Cell{Metadata: map[string]any{}}
	m, ok := v.(map[string]any)
	if !ok {
		r.fail(path, "want a cell, got %s", kindOf(v))
		return c
	}
	c.Kind, _ = m["cell_type"].(string)
	switch c.Kind {
	case Code, Markdown, Raw:
	default:
		r.fail(path+".cell_type", "want \"code\", \"markdown\" or \"raw\", got %s", kindOf(m["cell_type"]))
		return c
	}
	c.ID, _ = m["id"].(string)
	c.Source = r.text(m["source"], path+".source")
	c.Metadata = r.object(m, path+".", "metadata")
	if v, ok := m["attachments"]; ok && c.Kind != Code {
		c.Attachments = r.attachments(v, path+".attachments")
	}
	if c.Kind == Code {
		c.Count = r.count(m["execution_count"], path+".execution_count")
		if list, ok := m["outputs"].([]any); ok {
			for i, o := range list {
				c.Outputs = append(c.Outputs, r.output(o, fmt.Sprintf("%s.outputs[%d]", path, i)))
			}
		} else if m["outputs"] != nil {
			r.fail(path+".outputs", "want a list of outputs, got %s", kindOf(m["outputs"]))
		}
	}
	// The schema allows no further fields in a cell: what other tools put
	// there is kept in the cell's metadata, where it is allowed.
	for key, value := range m {
		switch key {
		case "cell_type", "id", "source", "metadata", "execution_count", "outputs", "attachments":
		default:
			if _, taken := c.Metadata[key]; !taken {
				c.Metadata[key] = value
			}
		}
	}
	return c
}

func (r *reader) attachments(v any, path string) map[string]any {
	files, ok := v.(map[string]any)
	if !ok {
		r.fail(path, "want an object, got %s", kindOf(v))
		return nil
	}
	for name, bundle := range files {
		m, ok := bundle.(map[string]any)
		if !ok {
			r.fail(path+"."+name, "want an object of MIME types, got %s", kindOf(bundle))
			return nil
		}
		files[name] = rejoin(m)
	}
	return files
}

func (r *reader) output(v any, path string) *Output {
	o := &Output{}
	m, ok := v.(map[string]any)
	if !ok {
		r.fail(path, "want an output, got %s", kindOf(v))
		return o
	}
	o.Kind, _ = m["output_type"].(string)
	known := map[string]bool{"output_type": true}
	switch o.Kind {
	case StreamOutput:
		o.Name, _ = m["name"].(string)
		if o.Name == "" {
			o.Name = "stdout"
		}
		o.Text = r.text(m["text"], path+".text")
		known["name"], known["text"] = true, true
	case DisplayData, ExecuteResult:
		o.Data = rejoin(r.object(m, path+".", "data"))
		for mime, v := range o.Data {
			if _, text := v.(string); !text && !isJSON(mime) {
				r.fail(path+".data."+mime, "want a string or a list of strings, got %s", kindOf(v))
			}
		}
		o.Metadata = r.object(m, path+".", "metadata")
		known["data"], known["metadata"] = true, true
		if o.Kind == ExecuteResult {
			o.Count = r.count(m["execution_count"], path+".execution_count")
			known["execution_count"] = true
		}
	case ErrorOutput:
		o.ErrName, _ = m["ename"].(string)
		o.ErrValue, _ = m["evalue"].(string)
		switch lines := m["traceback"].(type) {
		case nil:
		case []any:
			for i, line := range lines {
				o.Traceback = append(o.Traceback, r.text(line, fmt.Sprintf("%s.traceback[%d]", path, i)))
			}
		default:
			r.fail(path+".traceback", "want a list of strings, got %s", kindOf(lines))
		}
		known["ename"], known["evalue"], known["traceback"] = true, true, true
	case "":
		r.fail(path+".output_type", "want a string, got %s", kindOf(m["output_type"]))
	}
	for key, value := range m {
		if !known[key] {
			put(&o.extra, key, value)
		}
	}
	return o
}

// object returns the object at m[key], an empty one where there is none.
func (r *reader) object(m map[string]any, prefix, key string) map[string]any {
	switch v := m[key].(type) {
	case map[string]any:
		return v
	case nil:
	default:
		r.fail(prefix+key, "want an object, got %s", kindOf(v))
	}
	return map[string]any{}
}

// text returns a string that may be stored as a list of its lines.
func (r *reader) text(v any, path string) string {
	s, ok := joined(v)
	if !ok && v != nil {
		r.fail(path, "want a string or a list of strings, got %s", kindOf(v))
	}
	return s
}

func (r *reader) count(v any, path string) int {
	if v == nil {
		return 0
	}
	n, ok := integer(v)
	if !ok || n < 0 {
		r.fail(path, "want a whole number or null, got %s", kindOf(v))
		return 0
	}
	return n
}

// rejoin makes strings of the lists of lines in a MIME bundle. JSON types are
// left alone: a list there is a list.
func rejoin(bundle map[string]any) map[string]any {
	for mime, v := range bundle {
		if s, ok := joined(v); ok && !isJSON(mime) {
			bundle[mime] = s
		}
	}
	return bundle
}

func joined(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case []any:
		var b strings.Builder
		for _, line := range v {
			s, ok := line.(string)
			if !ok {
				return "", false
			}
			b.WriteString(s)
		}
		return b.String(), true
	}
	return "", false
}

func isJSON(mime string) bool {
	return mime == "application/json" || strings.HasPrefix(mime, "application/") && strings.HasSuffix(mime, "+json")
}

// dropTransient removes what the format says must never be in a file.
func (nb *Notebook) dropTransient() {
	for _, key := range []string{"orig_nbformat", "orig_nbformat_minor", "signature"} {
		delete(nb.Metadata, key)
	}
	for _, c := range nb.Cells {
		delete(c.Metadata, "trusted")
	}
}

var validID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// repairIDs gives an id to every cell that has none, an invalid one, or one
// that an earlier cell has.
func (nb *Notebook) repairIDs() {
	taken := map[string]bool{}
	var without []int
	for i, c := range nb.Cells {
		if !validID.MatchString(c.ID) || taken[c.ID] {
			without = append(without, i)
			continue
		}
		taken[c.ID] = true
	}
	for _, i := range without {
		c := nb.Cells[i]
		c.ID = newID(i, c.Source, taken)
	}
}

// newID returns an id that is not taken, always the same for the same input.
func newID(place int, source string, taken map[string]bool) string {
	for try := 0; ; try++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %s", try, place, source))
		id := hex.EncodeToString(sum[:4])
		if !taken[id] {
			taken[id] = true
			return id
		}
	}
}

func integer(v any) (int, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	if i, err := n.Int64(); err == nil && i == int64(int32(i)) {
		return int(i), true
	}
	if f, err := n.Float64(); err == nil && f == float64(int32(f)) {
		return int(f), true // some tools write 4.0
	}
	return 0, false
}

func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case bool:
		return "true or false"
	case json.Number:
		return "the number " + clip(v.String())
	case string:
		return fmt.Sprintf("%q", clip(v))
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return fmt.Sprintf("%T", v)
}

func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

func syntaxError(data []byte, err error) error {
	offset := int64(len(data))
	what := "the file ends in the middle; it may be cut off"
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && syntax.Offset < int64(len(data)) {
		offset, what = syntax.Offset, syntax.Error()
	}
	line, col := lineColumn(data, offset)
	return fmt.Errorf("notebook: broken JSON at line %d, column %d: %s", line, col, what)
}

// lineColumn returns the 1-based line and column (in code points) of a byte
// offset.
func lineColumn(data []byte, offset int64) (line, col int) {
	offset = max(0, min(offset, int64(len(data))))
	before := data[:offset]
	line = 1 + bytes.Count(before, []byte("\n"))
	start := bytes.LastIndexByte(before, '\n') + 1
	return line, max(1, utf8.RuneCount(before[start:]))
}

func firstInvalid(data []byte) int64 {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return int64(i)
		}
		i += size
	}
	return int64(len(data))
}

func put(m *map[string]any, key string, value any) {
	if *m == nil {
		*m = map[string]any{}
	}
	(*m)[key] = value
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func lower(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// firstHeading returns the text of the first "# heading" line outside a code
// fence.
func firstHeading(markdown string) string {
	fenced := false
	for line := range strings.Lines(markdown) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		text := strings.TrimLeft(line, "#")
		if level := len(line) - len(text); !fenced && level >= 1 && level <= 6 && strings.HasPrefix(text, " ") {
			return strings.TrimSpace(strings.TrimRight(text, "# "))
		}
	}
	return ""
}
