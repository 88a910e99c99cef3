package notebook

import (
	"fmt"
	"strings"
)

// Format 3 differs from 4 in these: cells lie in worksheets, a code cell's text
// is "input" and its number "prompt_number", headings are cells of their own,
// and outputs name their types with short words.

func (r *reader) notebook3(top map[string]any) *Notebook {
	nb := &Notebook{Metadata: r.object(top, "", "metadata")}
	delete(nb.Metadata, "name") // the file's name, in format 3
	sheets, ok := top["worksheets"].([]any)
	if !ok && top["worksheets"] != nil {
		r.fail("worksheets", "want a list, got %s", kindOf(top["worksheets"]))
	}
	for w, sheet := range sheets {
		path := fmt.Sprintf("worksheets[%d]", w)
		m, ok := sheet.(map[string]any)
		if !ok {
			r.fail(path, "want an object, got %s", kindOf(sheet))
			return nb
		}
		cells, ok := m["cells"].([]any)
		if !ok && m["cells"] != nil {
			r.fail(path+".cells", "want a list, got %s", kindOf(m["cells"]))
		}
		for i, c := range cells {
			nb.Cells = append(nb.Cells, r.cell3(c, fmt.Sprintf("%s.cells[%d]", path, i)))
		}
	}
	nb.dropTransient()
	return nb
}

func (r *reader) cell3(v any, path string) *Cell {
	c := &Cell{Metadata: map[string]any{}}
	m, ok := v.(map[string]any)
	if !ok {
		r.fail(path, "want a cell, got %s", kindOf(v))
		return c
	}
	c.Metadata = r.object(m, path+".", "metadata")
	kind, _ := m["cell_type"].(string)
	switch kind {
	case "code":
		c.Kind = Code
		c.Source = r.text(m["input"], path+".input")
		c.Count, _ = integer(m["prompt_number"]) // some writers put "*" here
		c.Count = max(c.Count, 0)
		if collapsed, ok := m["collapsed"].(bool); ok {
			c.Metadata["collapsed"] = collapsed
		}
		list, ok := m["outputs"].([]any)
		if !ok && m["outputs"] != nil {
			r.fail(path+".outputs", "want a list of outputs, got %s", kindOf(m["outputs"]))
		}
		for i, o := range list {
			c.Outputs = append(c.Outputs, r.output3(o, fmt.Sprintf("%s.outputs[%d]", path, i)))
		}
	case "heading":
		c.Kind = Markdown
		level, ok := integer(m["level"])
		if !ok || level < 1 || level > 6 {
			level = 1
		}
		text := strings.Join(strings.Fields(r.text(m["source"], path+".source")), " ")
		c.Source = strings.Repeat("#", level) + " " + text
	case "markdown", "html":
		c.Kind = Markdown
		c.Source = r.text(m["source"], path+".source")
	case "raw":
		c.Kind = Raw
		c.Source = r.text(m["source"], path+".source")
	default:
		r.fail(path+".cell_type", "want \"code\", \"markdown\", \"heading\", \"html\" or \"raw\", got %s", kindOf(m["cell_type"]))
	}
	return c
}

// mime3 maps format 3's short names to MIME types.
var mime3 = map[string]string{
	"text": "text/plain", "html": "text/html", "svg": "image/svg+xml", "png": "image/png",
	"jpeg": "image/jpeg", "latex": "text/latex", "json": "application/json", "javascript": "application/javascript",
}

func (r *reader) output3(v any, path string) *Output {
	m, ok := v.(map[string]any)
	if !ok {
		r.fail(path, "want an output, got %s", kindOf(v))
		return &Output{}
	}
	m4 := map[string]any{}
	kind, _ := m["output_type"].(string)
	switch kind {
	case "stream":
		m4["output_type"], m4["text"], m4["name"] = StreamOutput, m["text"], m["stream"]
	case "pyerr":
		m4["output_type"] = ErrorOutput
		m4["ename"], m4["evalue"], m4["traceback"] = m["ename"], m["evalue"], m["traceback"]
	case "pyout", "display_data":
		m4["output_type"] = DisplayData
		if kind == "pyout" {
			m4["output_type"] = ExecuteResult
			if n, ok := integer(m["prompt_number"]); ok && n >= 0 {
				m4["execution_count"] = m["prompt_number"]
			}
		}
		if m["metadata"] != nil {
			m4["metadata"] = m["metadata"]
		}
		data := map[string]any{}
		for key, value := range m {
			switch key {
			case "output_type", "prompt_number", "metadata":
				continue
			}
			if mime, ok := mime3[key]; ok {
				key = mime
			}
			data[key] = value
		}
		m4["data"] = data
	default:
		r.fail(path+".output_type", "want \"stream\", \"pyout\", \"pyerr\" or \"display_data\", got %s", kindOf(m["output_type"]))
		return &Output{}
	}
	return r.output(m4, path)
}
